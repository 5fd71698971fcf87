// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/reason"
)

// An ArgoPlan is the next plan for a Rollout of Argo.
type ArgoPlan struct {
	Namespace string
	Snapshot  argo.Snapshot
	Now       time.Time
	Plan      argo.Plan
	Policies  []string // flags that make it differ from Argo Rollouts
	Unapplied bool     // a manifest that was not applied yet
}

// Subject returns the Rollout.
func (p ArgoPlan) Subject() Subject { return argoRollout(p.Namespace, p.Snapshot.Rollout.Name) }

// Verdict returns the verdict on the Rollout.
func (p ArgoPlan) Verdict() Verdict { return verdictOf(&ArgoExplanation{ArgoPlan: p}, p.Unapplied) }

// Text writes the plan as text.
func (p ArgoPlan) Text(w *terminal.Writer) {
	p.heading(w)
	writePolicies(w, p.Policies, ofArgo)
	if len(p.Plan.Actions) == 0 {
		w.Printf("Nothing to write at the moment.\n\n")
	} else {
		p.actions().WriteTo(w)
		w.Printf("\n")
	}
	if len(p.Plan.Holds) > 0 {
		t := terminal.NewTable("WAITS", "REASON", "WHY")
		for _, h := range p.Plan.Holds {
			t.Row(argoSubject(h), string(h.Reason), argoWaits(h))
		}
		t.WriteTo(w)
		w.Printf("\n")
	}
	p.steps(w)
	w.Printf("Status:      %s\n", argoStatus(&p.Plan.Status))
	writeRecheck(w, "Recheck:     ", p.Plan.RecheckAt, p.Now)
}

func (p *ArgoPlan) replicas() int32 {
	if n := p.Snapshot.Rollout.Replicas; n != nil {
		return *n
	}
	return 1
}

// argoStyle returns the words for the strategy of a Rollout.
func argoStyle(r *argo.Rollout) string {
	switch {
	case r.BlueGreen != nil:
		return "blue-green"
	case r.Routing != nil:
		return "canary with traffic routing, " + count(len(r.Steps), "step", "steps")
	}
	return "canary, " + count(len(r.Steps), "step", "steps")
}

func (p *ArgoPlan) heading(w *terminal.Writer) {
	w.Printf("Rollout %s of Argo: %s, %s\n\n", p.Subject().label(), argoStyle(&p.Snapshot.Rollout), plural(p.replicas(), "replica"))
}

// moves reports whether the plan writes anything, including the status.
func (p *ArgoPlan) moves() bool {
	return len(p.Plan.Actions) > 0 || !reflect.DeepEqual(p.Snapshot.Rollout.Status, p.Plan.Status)
}

func (p *ArgoPlan) actions() *terminal.Table {
	t := terminal.NewTable("ACTION", "REASON", "WHY")
	for _, a := range p.Plan.Actions {
		r := reasonOf(a)
		t.Row(argoPhrase(a), string(r), argoActions.why(r))
	}
	return t
}

// steps writes the steps of a canary, with the sizes and the traffic of each.
func (p *ArgoPlan) steps(w *terminal.Writer) {
	r := &p.Snapshot.Rollout
	if len(r.Steps) == 0 {
		return
	}
	t := terminal.NewTable("STEP", "DOES", "NEW/OLD PODS", "TRAFFIC", "NOW")
	for i := range r.Steps {
		sizes, traffic := argoSizes(r, int32(i))
		t.Row(fmt.Sprint(i+1), argoStep(&r.Steps[i]), sizes, traffic, p.stateOf(int32(i)))
	}
	t.WriteTo(w)
	w.Printf("\n")
}

// argoSizes returns the sizes and the traffic of a step.
func argoSizes(r *argo.Rollout, step int32) (sizes, traffic string) {
	c := argo.Canary{
		Replicas: r.Replicas, MaxSurge: r.MaxSurge, MaxUnavailable: r.MaxUnavailable, Steps: r.Steps, CurrentStepIndex: &step, CurrentPodHash: "new", StableRS: "old",
	}
	if t := r.Routing; t != nil {
		c.TrafficRouting, c.MaxTrafficWeight, c.DynamicStableScale, c.MinPodsPerReplicaSet = true, t.MaxTrafficWeight, t.DynamicStableScale, t.MinPodsPerReplicaSet
		counts := c.Routed()
		return fmt.Sprintf("%d/%d", counts.Canary, counts.Stable), fmt.Sprintf("%d of %d", c.SetWeight(), c.MaxWeight())
	}
	n := int32(1)
	if r.Replicas != nil {
		n = *r.Replicas
	}
	counts := argo.Approximate(n, c.SetWeight(), c.MaxWeight(), argo.Budget(n, r.MaxSurge, r.MaxUnavailable).Surge)
	return fmt.Sprintf("%d/%d", counts.Canary, counts.Stable), "-"
}

// argoStep returns the words for a step, which may scale in addition to something else.
func argoStep(s *argo.Step) string {
	var parts []string
	if c := s.SetCanaryScale; c != nil {
		parts = append(parts, argoScale(c))
	}
	switch {
	case s.SetWeight != nil:
		parts = append(parts, fmt.Sprintf("weight %d", *s.SetWeight))
	case s.Pause != nil && s.Pause.Duration == nil:
		parts = append(parts, "waits for approval")
	case s.Pause != nil:
		parts = append(parts, "pauses "+clock(time.Duration(*s.Pause.Duration)*time.Second))
	case s.Other == argo.StepHeaderRoute:
		parts = append(parts, "route by header")
	case s.Other == argo.StepMirrorRoute:
		parts = append(parts, "mirror requests")
	case s.Other != "":
		parts = append(parts, s.Other)
	}
	return dash(strings.Join(parts, ", "))
}

func argoScale(c *argo.CanaryScale) string {
	switch {
	case c.Replicas != nil:
		return "scale to " + plural(*c.Replicas, "pod")
	case c.Weight != nil:
		return fmt.Sprintf("scale to weight %d", *c.Weight)
	}
	return "scale as the traffic"
}

// stateOf returns the progress of the Rollout in a step, before the plan.
func (p *ArgoPlan) stateOf(i int32) string {
	st := &p.Snapshot.Rollout.Status
	switch index := st.CurrentStepIndex; {
	case index == nil || st.StableRS == "" || st.StableRS == p.Snapshot.Rollout.TemplateHash:
		return ""
	case i < *index:
		return "done"
	case i == *index:
		return string(st.Phase)
	}
	return ""
}

// argoStatus returns the words for the status of a Rollout.
func argoStatus(s *argo.Status) string {
	text := dash(string(s.Phase))
	if s.Message != "" {
		text += ", " + s.Message
	}
	if s.CurrentStepIndex != nil && s.StableRS != s.CurrentPodHash {
		text += fmt.Sprintf(", %d steps done", *s.CurrentStepIndex)
	}
	if w := s.Weights; w != nil {
		text += fmt.Sprintf(", weights %d and %d", w.Canary.Weight, w.Stable.Weight)
	}
	return text
}

// MarshalJSON encodes the plan. Actions and holds are never left out.
func (p ArgoPlan) MarshalJSON() ([]byte, error) {
	type plan argo.Plan // without methods
	return marshal(struct {
		head
		Policies []string     `json:"policies,omitempty"`
		Actions  argo.Actions `json:"actions"`
		Holds    []kplan.Hold `json:"holds"`
		plan
	}{headOf(p.Subject()), p.Policies, p.Plan.Actions, notNil(p.Plan.Holds), plan(p.Plan)})
}

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
	writeState(w, "Rollout "+e.Subject().label(), e.Unapplied, state, why)
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
	holds := explain(e.Plan.Holds, func(h kplan.Hold) Advice {
		a := argoAdvice(h)
		a.Means = e.means(h)
		return a
	})
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
		headOf(e.Subject()), e.Policies, state, why, e.Snapshot.Rollout.Status, e.Plan.Actions, holds,
		notNil(e.Idle), notNil(e.Instants),
	})
}
