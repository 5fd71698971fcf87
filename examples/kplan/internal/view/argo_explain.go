// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/rollout/argo"
)

// An ArgoExplanation is why one Rollout of Argo moves, or does not.
type ArgoExplanation struct {
	ArgoPlan
	Idle     []Pod // of its ReplicaSets, those that do not serve
	Instants []Instant
}

// State returns how the Rollout stands, and one sentence that says why.
func (e *ArgoExplanation) State() (State, string) {
	for _, h := range e.Plan.Holds {
		if a := argoHolds.advice(h.Reason); a.Stuck {
			return StateStuck, a.Means + e.failing()
		}
	}
	st := &e.Plan.Status
	switch {
	case st.Phase == argo.PhaseDegraded:
		return StateStuck, "Nothing moved within progressDeadlineSeconds." + e.failing()
	case len(e.Plan.Actions) > 0:
		return StateProgressing, fmt.Sprintf("The controller will act at once, in %s.", plural(int32(len(e.Plan.Actions)), "write"))
	case e.moves():
		return StateProgressing, "The controller will act at once: it only writes a status."
	case st.Phase == argo.PhaseHealthy:
		return StateComplete, "All pods have the template that is wanted, and get the traffic."
	}
	for _, h := range e.Plan.Holds {
		return StateWaiting, argoHolds.advice(h.Reason).Means + e.failing()
	}
	if st.Phase == argo.PhaseProgressing {
		return StateWaiting, "It waits for pods: " + st.Message + "." + e.failing()
	}
	return StateWaiting, "Nothing will happen, and the planner does not say why." + e.failing()
}

func (e *ArgoExplanation) failing() string {
	if len(e.Idle) == 0 {
		return ""
	}
	return " Pods that do not serve: " + byReason(e.Idle) + "."
}

// Text writes the explanation for people.
func (e ArgoExplanation) Text(w *terminal.Writer) {
	state, why := e.State()
	w.Printf("Rollout %s is %v. %s\n\n", e.name(), state.text(), why)
	writeDepartures(w, e.Policies, "Argo Rollouts")
	w.Printf("Strategy:                %s, %s\n", argoStyle(&e.Snapshot.Rollout), plural(e.replicas(), "replica"))
	w.Printf("Status:                  %s\n", argoStanding(&e.Snapshot.Rollout.Status))
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
		writeAdvice(w, "rollout", argoWaits(h), string(h.Reason), argoHolds.advice(h.Reason), "")
	}
}

// role says whose pods a ReplicaSet has.
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

// MarshalJSON encodes the explanation. Lists are always there.
func (e ArgoExplanation) MarshalJSON() ([]byte, error) {
	state, why := e.State()
	holds := []explained[argo.Hold]{}
	for _, h := range e.Plan.Holds {
		a := argoHolds.advice(h.Reason)
		holds = append(holds, explained[argo.Hold]{h, argoWaits(h), a.Means, a.Ends, a.Stuck})
	}
	return marshal(struct {
		Kind       string                 `json:"kind"`
		APIVersion string                 `json:"apiVersion"`
		Name       string                 `json:"name"`
		Namespace  string                 `json:"namespace,omitempty"`
		Policies   []string               `json:"policies,omitempty"`
		State      State                  `json:"state"`
		Why        string                 `json:"why"`
		Status     argo.Status            `json:"status"` // as it was read
		Actions    argo.Actions           `json:"actions"`
		Holds      []explained[argo.Hold] `json:"holds"`
		Pods       []Pod                  `json:"pods"` // that do not serve
		Instants   []Instant              `json:"instants"`
	}{
		"Rollout", argoVersion, e.Snapshot.Rollout.Name, e.Namespace, e.Policies, state, why, e.Snapshot.Rollout.Status, e.Plan.Actions, holds,
		notNil(e.Idle), notNil(e.Instants),
	})
}
