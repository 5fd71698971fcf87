// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/rollout/kruise"
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
	w.Printf("Rollout %s is %v. %s\n\n", e.name(), state.text(), why)
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
