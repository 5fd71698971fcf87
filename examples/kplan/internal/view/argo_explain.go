// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/reason"
)

// An ArgoExplanation explains why a Rollout of Argo makes progress or not.
type ArgoExplanation struct {
	ArgoPlan
	Idle     []Pod // pods of its ReplicaSets that do not serve
	Instants []Instant
}

// State returns the state of the Rollout, and one sentence that explains it.
func (e *ArgoExplanation) State() (State, string) {
	for _, h := range e.Plan.Holds {
		if argoAdvice(h).Stuck {
			return StateStuck, e.caused(e.means(h))
		}
	}
	st := &e.Plan.Status
	switch {
	case st.Phase == argo.PhaseDegraded:
		return StateStuck, e.caused("Nothing moved within progressDeadlineSeconds.")
	case len(e.Plan.Actions) > 0:
		return StateProgressing, fmt.Sprintf("The controller will act at once, in %s.", plural(int32(len(e.Plan.Actions)), "write"))
	case e.moves():
		return StateProgressing, "The controller will act at once: it only writes a status."
	case len(e.Plan.Holds) > 0:
		return StateWaiting, e.caused(e.means(e.Plan.Holds[0]) + e.calledHealthy())
	case st.Phase == argo.PhaseHealthy:
		return StateComplete, e.completeText() + endings(e.Idle, e.Now, nil)
	}
	return StateWaiting, e.caused("Nothing will happen, and the planner does not say why.")
}

// means returns the meaning of a hold. For refused pods it names the ReplicaSet and quotes the
// refusal.
func (e *ArgoExplanation) means(h kplan.Hold) string {
	for i := range e.Snapshot.Sets {
		set := &e.Snapshot.Sets[i]
		if h.Reason != reason.ReplicaFailure || set.Name != h.Name {
			continue
		}
		verb := "create"
		if h.Have > h.Limit {
			verb = "delete"
		}
		return fmt.Sprintf("The ReplicaSet %s (%s) cannot %s pods: %s.", set.Name, e.role(set), verb, strings.TrimSuffix(oneLine(failureOf(set)), "."))
	}
	return argoAdvice(h).Means
}

// calledHealthy adds that Argo Rollouts reports the phase Healthy during a hold, and the share of
// requests that go to old pods.
func (e *ArgoExplanation) calledHealthy() string {
	st := &e.Plan.Status
	if st.Phase != argo.PhaseHealthy {
		return ""
	}
	text := " Argo Rollouts reports the phase Healthy nevertheless."
	if w := st.Weights; w != nil {
		for _, to := range []argo.WeightDestination{w.Canary, w.Stable} {
			if to.Weight > 0 && to.Hash != e.Snapshot.Rollout.TemplateHash {
				text += fmt.Sprintf(" %d of %d requests go to old pods (%s).", to.Weight, w.Canary.Weight+w.Stable.Weight, to.Hash)
			}
		}
	}
	return text
}

// completeText returns the text about a complete update, with the number of old pods left.
func (e *ArgoExplanation) completeText() string {
	old := int32(0)
	for i := range e.Snapshot.Sets {
		if set := &e.Snapshot.Sets[i]; set.Hash != e.Snapshot.Rollout.TemplateHash {
			old += set.StatusReplicas
		}
	}
	if old > 0 {
		return "All pods that are wanted are available, and get the traffic. " + count(int(old), "old pod is", "old pods are") + " left."
	}
	return "All pods have the template that is wanted, and get the traffic."
}

// failureOf returns the message of the condition ReplicaFailure of a ReplicaSet, or "".
func failureOf(set *argo.ReplicaSet) string {
	for _, c := range set.Conditions {
		if c.Type == argo.ConditionReplicaFailure {
			return c.Message
		}
	}
	return ""
}

// failure returns the failure message of the ReplicaSet of a hold, or "".
func (e *ArgoExplanation) failure(h kplan.Hold) string {
	for i := range e.Snapshot.Sets {
		if set := &e.Snapshot.Sets[i]; set.Name == h.Name && h.Reason == reason.ReplicaFailure {
			return failureOf(set)
		}
	}
	return ""
}

// caused returns a reason to wait, with the pods that cause it before it.
func (e *ArgoExplanation) caused(why string) string { return causes(e.Idle, e.Now, nil, why) }

// Text writes the explanation as text.
func (e ArgoExplanation) Text(w *terminal.Writer) {
	state, why := e.State()
	writeState(w, "Rollout "+e.name(), e.Unapplied, state, why)
	writePolicies(w, e.Policies, ofArgo)
	w.Printf("Strategy:                %s, %s\n", argoStyle(&e.Snapshot.Rollout), plural(e.replicas(), "replica"))
	w.Printf("Status:                  %s\n", argoStatus(&e.Snapshot.Rollout.Status))
	writeInstants(w, e.Instants, e.Now)
	w.Printf("\n")
	t := terminal.NewTable("NAME", "TEMPLATE", "REVISION", "WANTED", "PODS", "AVAILABLE")
	for _, set := range e.Snapshot.Sets {
		t.Row(set.Name, e.role(&set), fmt.Sprint(set.Revision), fmt.Sprint(set.Replicas), fmt.Sprint(set.StatusReplicas), fmt.Sprint(set.AvailableReplicas))
	}
	t.WriteTo(w)
	w.Printf("\n")
	e.steps(w)
	if len(e.Plan.Actions) > 0 {
		e.actions().WriteTo(w)
	}
	writeIdle(w, e.Idle)
	for i, h := range e.Plan.Holds {
		if i == 0 {
			w.Printf("Waits:\n")
		}
		writeAdvice(w, argoSubject(h), argoWaits(h), h.Reason, argoAdvice(h), e.failure(h))
	}
}

// role returns the role of a ReplicaSet, such as "stable".
func (e *ArgoExplanation) role(set *argo.ReplicaSet) string {
	r := &e.Snapshot.Rollout
	switch isNew, isStable := set.Hash == r.TemplateHash, set.Hash == r.Status.StableRS; {
	case isNew && isStable:
		return "new, stable"
	case isNew:
		return "new"
	case isStable:
		return "stable"
	}
	return "old"
}

// MarshalJSON encodes the explanation. Lists are never left out.
func (e ArgoExplanation) MarshalJSON() ([]byte, error) {
	state, why := e.State()
	holds := []explained[kplan.Hold]{}
	for _, h := range e.Plan.Holds {
		a := argoAdvice(h)
		holds = append(holds, explained[kplan.Hold]{h, argoWaits(h), e.means(h), a.Ends, a.Stuck})
	}
	return marshal(struct {
		head
		Policies []string                `json:"policies,omitempty"`
		State    State                   `json:"state"`
		Why      string                  `json:"why"`
		Status   argo.Status             `json:"status"` // as it was read
		Actions  argo.Actions            `json:"actions"`
		Holds    []explained[kplan.Hold] `json:"holds"`
		Pods     []Pod                   `json:"pods"` // pods that do not serve
		Instants []Instant               `json:"instants"`
	}{
		headOf(argoRollout(e.Namespace, e.Snapshot.Rollout.Name)), e.Policies, state, why, e.Snapshot.Rollout.Status, e.Plan.Actions, holds,
		notNil(e.Idle), notNil(e.Instants),
	})
}
