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
	if at := p.Plan.RecheckAt; !at.IsZero() {
		w.Printf("Recheck:     %s, in %s\n", at.Format(time.RFC3339), clock(at.Sub(p.Now)))
	}
}

func (p *ArgoPlan) name() string {
	if p.Namespace != "" {
		return p.Namespace + "/" + p.Snapshot.Rollout.Name
	}
	return p.Snapshot.Rollout.Name
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
	w.Printf("Rollout %s of Argo: %s, %s\n\n", p.name(), argoStyle(&p.Snapshot.Rollout), plural(p.replicas(), "replica"))
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
	}{headOf(argoRollout(p.Namespace, p.Snapshot.Rollout.Name)), p.Policies, p.Plan.Actions, notNil(p.Plan.Holds), plan(p.Plan)})
}
