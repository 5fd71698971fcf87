// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"reflect"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/preview"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A RolloutPlan is the next plan for a Rollout of OpenKruise and its BatchRelease.
type RolloutPlan struct {
	Namespace string
	Snapshot  kruise.Snapshot
	Replicas  int32 // of the workload
	Now       time.Time
	Plan      kruise.Plan
	Batch     *batchrelease.Plan // nil without a BatchRelease
	Before    batchrelease.Status
	Preview   preview.Plan // of all steps
	Policies  []string     // flags that make it differ from OpenKruise
	Repaired  quirk.Set
	Leaving   bool // the workload is being deleted
}

// Subject returns the Rollout.
func (p RolloutPlan) Subject() Subject {
	return kruiseRollout(p.Namespace, p.Snapshot.Rollout.Name)
}

// Drives returns the workload of the Rollout, without its group.
func (p RolloutPlan) Drives() Subject {
	ref := &p.Snapshot.Rollout.WorkloadRef
	return Subject{Kind: ref.Kind, Namespace: p.Namespace, Name: ref.Name}
}

// Verdict returns the verdict on the Rollout.
func (p RolloutPlan) Verdict() Verdict { return verdictOf(&RolloutExplanation{RolloutPlan: p}, false) }

// Text writes the plan as text.
func (p RolloutPlan) Text(w *terminal.Writer) {
	p.heading(w)
	writePolicies(w, p.Policies, ofOpenKruise)
	if p.empty() {
		w.Printf("Nothing to write at the moment.\n\n")
	} else {
		p.actions().WriteTo(w)
		w.Printf("\n")
	}
	p.holds(w)
	p.steps(w)
	w.Printf("\n")
	p.status(w)
}

func (p *RolloutPlan) heading(w *terminal.Writer) {
	r := &p.Snapshot.Rollout
	steps := 0
	if s := r.Strategy(); s != nil {
		steps = len(s.Steps)
	}
	w.Printf("Rollout %s of %s %s: style %s, %s, %s\n\n",
		p.Subject().label(), r.WorkloadRef.Kind, r.WorkloadRef.Name, r.Style(), count(steps, "step", "steps"), plural(p.Replicas, "replica"))
}

func (p *RolloutPlan) empty() bool {
	return len(p.Plan.Actions) == 0 && (p.Batch == nil || len(p.Batch.Actions) == 0)
}

// moves reports whether the plan writes anything, including a status.
func (p *RolloutPlan) moves() bool {
	if !p.empty() {
		return true
	}
	before, after := p.Snapshot.Rollout.Status, p.Plan.Status
	return p.Plan.Failure == "" && !reflect.DeepEqual(before, after) || p.batchMoves()
}

func (p *RolloutPlan) batchMoves() bool {
	return p.Batch != nil && p.Batch.Failure == "" && p.Batch.Status.String() != p.Before.String()
}

func (p *RolloutPlan) actions() *terminal.Table {
	t := terminal.NewTable("ACTION", "BY", "REASON", "WHY")
	add := func(by string, a fmt.Stringer) {
		r := reasonOf(a)
		t.Row(rolloutPhrase(a), by, string(r), rolloutActions.why(r))
	}
	for _, a := range p.Plan.Actions {
		add("rollout", a)
	}
	if p.Batch != nil {
		for _, a := range p.Batch.Actions {
			add("batch release", a)
		}
	}
	return t
}

// A rolloutHold is a hold with the kind of its object.
type rolloutHold struct {
	kplan.Hold
	By string `json:"by"` // Rollout or BatchRelease
}

func (h *rolloutHold) what() string { return words(h.By) }

// allHolds returns the holds of the Rollout, followed by the holds of its BatchRelease. It returns
// nil while the workload is being deleted.
func (p *RolloutPlan) allHolds() []rolloutHold {
	var list []rolloutHold
	if p.Leaving {
		return nil
	}
	for _, h := range p.Plan.Holds {
		list = append(list, rolloutHold{h, "Rollout"})
	}
	if p.Batch != nil {
		for _, h := range p.Batch.Holds {
			list = append(list, rolloutHold{h, "BatchRelease"})
		}
	}
	return list
}

func (p *RolloutPlan) holds(w *terminal.Writer) {
	holds := p.allHolds()
	if len(holds) == 0 {
		return
	}
	t := terminal.NewTable("WAITS", "REASON", "WHY")
	for _, h := range holds {
		t.Row(h.what(), string(h.Reason), rolloutHolds.whyNot(h.Reason, h.Have, h.Limit))
	}
	t.WriteTo(w)
	w.Printf("\n")
}

// steps writes all steps of the Rollout, with the sizes of each.
func (p *RolloutPlan) steps(w *terminal.Writer) {
	t := terminal.NewTable("STEP", "ASKS FOR", "NEW/OLD PODS", "TRAFFIC", "THEN", "NOW")
	for i, s := range p.Preview.Steps {
		t.Row(fmt.Sprint(s.Index), s.Replicas.String(), sizesText(s), p.traffic(i), pauseText(s), p.stateOf(s.Index))
	}
	t.WriteTo(w)
	for _, warning := range p.Preview.Warnings {
		text := warning.Text
		if warning.Quirk != 0 {
			text += fmt.Sprintf(" (%s)", warning.Quirk)
		}
		w.Printf("Step %d: %s.\n", warning.Step, text)
	}
}

func sizesText(s preview.Step) string {
	text := ""
	for _, size := range s.Passes {
		text += size.String() + " "
	}
	if text == "" {
		text = s.End.String() + " "
	}
	if s.Stuck != "" {
		return text + "and never ends"
	}
	return text[:len(text)-1]
}

func pauseText(s preview.Step) string {
	switch s.Pause {
	case kruise.PauseManual:
		return "waits for approval"
	case kruise.PauseTimed:
		return "pauses " + clock(s.Duration)
	}
	return "goes on"
}

// traffic returns the words for the requests that a step routes to new pods.
func (p *RolloutPlan) traffic(i int) string {
	s := p.Snapshot.Rollout.Strategy()
	if s == nil || i >= len(s.Steps) {
		return "-"
	}
	step := &s.Steps[i]
	if n := len(step.Matches); n > 0 {
		return count(n, "match", "matches")
	}
	return dash(step.Traffic.String())
}

// stateOf returns the progress of the Rollout in a step, before the plan.
func (p *RolloutPlan) stateOf(index int32) string {
	s := p.Snapshot.Rollout.Status.Sub
	if s == nil || p.Snapshot.Rollout.Status.Phase != kruise.PhaseProgressing {
		return ""
	}
	switch {
	case index < s.CurrentStepIndex || s.CurrentStepState == kruise.StateCompleted:
		return "done"
	case index == s.CurrentStepIndex:
		return string(s.CurrentStepState)
	}
	return ""
}

// status writes the status of the Rollout and of the BatchRelease after the plan.
func (p *RolloutPlan) status(w *terminal.Writer) {
	w.Printf("Status:      %s\n", kruiseStatus(&p.Plan.Status))
	if p.Plan.Status.Message != "" {
		w.Printf("             %s\n", p.Plan.Status.Message)
	}
	if p.Batch != nil {
		w.Printf("Batches:     %v\n", p.Batch.Status)
	}
	for _, failure := range p.failures() {
		w.Printf("Error:       %s\n", failure)
	}
	writeRecheck(w, "Recheck:     ", p.recheckAt(), p.Now)
}

func (p *RolloutPlan) failures() []string {
	var list []string
	if p.Plan.Failure != "" {
		list = append(list, p.Plan.Failure)
	}
	if p.Batch != nil && p.Batch.Failure != "" {
		list = append(list, p.Batch.Failure)
	}
	return list
}

// recheckAt returns the earlier recheck time of the two plans, or zero.
func (p *RolloutPlan) recheckAt() time.Time {
	at := p.Plan.RecheckAt
	if b := p.Batch; b != nil && !b.RecheckAt.IsZero() && (at.IsZero() || b.RecheckAt.Before(at)) {
		at = b.RecheckAt
	}
	return at
}

// kruiseStatus returns the words for the status of a Rollout: phase, condition and step.
func kruiseStatus(s *kruise.Status) string {
	text := dash(string(s.Phase))
	for _, c := range s.Conditions {
		if c.Type == workload.ConditionProgressing && s.Phase == kruise.PhaseProgressing {
			text += " (" + c.Reason + ")"
		}
	}
	if s.Sub != nil {
		text += fmt.Sprintf(", step %d %s, %d new pods, %d ready", s.Sub.CurrentStepIndex, s.Sub.CurrentStepState, s.Sub.Replicas, s.Sub.ReadyReplicas)
	}
	return text
}

// MarshalJSON encodes the plan, the plan of the BatchRelease, if any, and all steps. Actions and
// holds are never left out.
func (p RolloutPlan) MarshalJSON() ([]byte, error) {
	type plan kruise.Plan // without methods
	return marshal(struct {
		head
		Policies []string       `json:"policies,omitempty"`
		Actions  kruise.Actions `json:"actions"`
		Holds    []kplan.Hold   `json:"holds"`
		plan
		BatchRelease *batchrelease.Plan `json:"batchRelease,omitempty"`
		Steps        []preview.Step     `json:"steps"`
		Warnings     []preview.Warning  `json:"warnings,omitempty"`
	}{
		headOf(p.Subject()), p.Policies, p.Plan.Actions, notNil(p.Plan.Holds), plan(p.Plan),
		p.Batch, notNil(p.Preview.Steps), p.Preview.Warnings,
	})
}
