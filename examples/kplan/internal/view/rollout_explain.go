// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/preview"
	"github.com/kplan-go/kplan/rollout/workload"
	workloadquirk "github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A RolloutExplanation explains why a Rollout of OpenKruise makes progress or not.
type RolloutExplanation struct {
	RolloutPlan
	Idle     []Pod // pods of the workload that do not serve
	Instants []Instant
}

// State returns the state of the Rollout, and one sentence that explains it.
func (e *RolloutExplanation) State() (State, string) {
	if failures := e.failures(); len(failures) > 0 && len(e.allHolds()) == 0 {
		return StateStuck, "The controller fails: " + strings.Join(failures, "; ") + "."
	}
	state, why := e.blocked()
	if ending := e.ending(); ending != "" {
		switch {
		case e.moves():
			return StateProgressing, ending + " " + e.movesText()
		case len(e.allHolds()) > 0:
			return StateWaiting, ending + " " + why
		}
		return StateWaiting, ending
	}
	if state != StateStuck && e.moves() {
		return StateProgressing, e.movesText()
	}
	if e.idleNow() {
		return StateComplete, "There is nothing to release." + endings(e.Idle, e.Now, nil)
	}
	return state, causes(e.Idle, e.Now, nil, why)
}

// idleNow reports whether the Rollout only waits for the next release.
func (e *RolloutExplanation) idleNow() bool {
	phase := e.Plan.Status.Phase
	return phase == kruise.PhaseHealthy || phase == kruise.PhaseDisabled
}

func (e *RolloutExplanation) movesText() string {
	n := len(e.Plan.Actions)
	if e.Batch != nil {
		n += len(e.Batch.Actions)
	}
	if n == 0 {
		return "The controller will act at once: it only writes a status."
	}
	return fmt.Sprintf("The controllers will act at once, in %s.", plural(int32(n), "write"))
}

// blocked is State for a Rollout without actions. A hold of the BatchRelease is more precise than
// the hold of the Rollout that waits for the BatchRelease.
func (e *RolloutExplanation) blocked() (State, string) {
	state, why := StateWaiting, "Nothing will happen, and the planner does not say why."
	for i, h := range e.allHolds() {
		a := rolloutHolds.advice(h.Reason)
		if i == 0 || h.By == "BatchRelease" {
			why = a.Means
		}
		if a.Stuck {
			return StateStuck, a.Means
		}
	}
	return state, why
}

// Text writes the explanation as text.
func (e RolloutExplanation) Text(w *terminal.Writer) {
	state, why := e.State()
	w.Printf("Rollout %s is %v. %s\n\n", e.Subject().label(), state.text(), why)
	writePolicies(w, e.Policies, ofOpenKruise)
	r := &e.Snapshot.Rollout
	w.Printf("Workload:                %s %s, %s, style %s\n", r.WorkloadRef.Kind, r.WorkloadRef.Name, plural(e.Replicas, "replica"), r.Style())
	w.Printf("Status:                  %s\n", kruiseStatus(&r.Status))
	if e.Batch != nil {
		w.Printf("Batches:                 %v\n", e.Before)
	}
	if e.Batch != nil && e.Batch.Context != nil {
		c := e.Batch.Context
		w.Printf("Batch:                   %d updated pods wanted; %d updated, %d of them ready\n", c.Desired, c.Updated, c.UpdatedReady)
	}
	writeInstants(w, e.Instants, e.Now)
	w.Printf("\n")
	e.steps(w)
	writeIdle(w, e.Idle)
	if !e.empty() {
		w.Printf("\n")
		e.actions().WriteTo(w)
	}
	for i, h := range e.allHolds() {
		if i == 0 {
			w.Printf("\nWaits:\n")
		}
		writeAdvice(w, h.what(), rolloutHolds.whyNot(h.Reason, h.Have, h.Limit), h.Reason, rolloutHolds.advice(h.Reason), "")
	}
}

// MarshalJSON encodes the explanation. Lists are never left out.
func (e RolloutExplanation) MarshalJSON() ([]byte, error) {
	state, why := e.State()
	holds := []explained[rolloutHold]{}
	for _, h := range e.allHolds() {
		a := rolloutHolds.advice(h.Reason)
		holds = append(holds, explained[rolloutHold]{h, rolloutHolds.whyNot(h.Reason, h.Have, h.Limit), a.Means, a.Ends, a.Stuck})
	}
	return marshal(struct {
		head
		Policies     []string                 `json:"policies,omitempty"`
		State        State                    `json:"state"`
		Why          string                   `json:"why"`
		Status       kruise.Status            `json:"status"` // as it was read
		Actions      kruise.Actions           `json:"actions"`
		Holds        []explained[rolloutHold] `json:"holds"`
		BatchRelease *batchrelease.Plan       `json:"batchRelease,omitempty"`
		Steps        []preview.Step           `json:"steps"`
		Pods         []Pod                    `json:"pods"` // pods that do not serve
		Instants     []Instant                `json:"instants"`
	}{
		headOf(e.Subject()), e.Policies, state, why, e.Snapshot.Rollout.Status, e.Plan.Actions, holds,
		e.Batch, notNil(e.Preview.Steps), notNil(e.Idle), notNil(e.Instants),
	})
}

// ending returns a sentence on how a release ends before its last step, with the quirk involved. It
// returns "" if the release goes on.
func (p *RolloutPlan) ending() string {
	r := &p.Snapshot.Rollout
	var text string
	var quirk workloadquirk.Set
	switch {
	case !p.released():
		return ""
	case p.Leaving:
		text = fmt.Sprintf("The %s is being deleted, and its release ends with it", r.WorkloadRef.Kind)
		if s := r.Strategy(); len(s.TrafficRoutings) > 0 && !p.Repaired.Has(workloadquirk.TrafficLeftBehind) {
			text, quirk = text+"; Services and routes stay as they are", workloadquirk.TrafficLeftBehind
		}
	case !r.DeletionTimestamp.IsZero():
		text, quirk = p.givenUp("The Rollout is being deleted")
	case r.Disabled:
		text, quirk = p.givenUp("The Rollout is disabled")
	case p.Plan.Status.ProgressingReason() == kruise.ProgressCancelling:
		text = "The workload has been rolled back: the release is cancelled, and all pods get the template back, without pauses"
	default:
		return ""
	}
	if quirk != 0 {
		text += fmt.Sprintf(" (%s)", quirk)
	}
	return text + "."
}

// released reports whether a release is in progress and not in its closing.
func (p *RolloutPlan) released() bool {
	r, br := &p.Snapshot.Rollout, p.Snapshot.BatchRelease
	switch r.Status.Phase {
	case kruise.PhaseProgressing:
		reason := r.Status.ProgressingReason()
		return reason != kruise.ProgressFinalising && reason != kruise.ProgressCompleted
	case kruise.PhaseTerminating, kruise.PhaseDisabling:
		return br != nil && br.DeletionTimestamp.IsZero()
	}
	return false
}

// givenUp describes the workload of a Rollout that is deleted or disabled, and returns
// the quirk involved. Without a BatchRelease the workload was not taken over, so there is nothing
// to give back.
func (p *RolloutPlan) givenUp(why string) (string, workloadquirk.Set) {
	r, w := &p.Snapshot.Rollout, p.Snapshot.Workload
	switch {
	case p.Snapshot.BatchRelease == nil && w != nil && w.Annotations[partition.AnnotationControlInfo] == "":
		if p.Repaired.Has(workloadquirk.RollbackLeavesPaused) {
			return why + " before the release has begun, and the workload is given back", 0
		}
		return why + " before the release has begun, and the workload stays held back until somebody resumes it", workloadquirk.RollbackLeavesPaused
	case p.Repaired.Has(workloadquirk.DeletionFinishesRelease) && r.Style() != workload.BlueGreen:
		return why + ", and the workload stays where it stands", 0
	}
	return why + ", and all other pods get the template that is wanted at once, without pauses", workloadquirk.DeletionFinishesRelease
}
