// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A DaemonExplanation explains why a DaemonSet makes progress or not.
type DaemonExplanation struct {
	DaemonPlan
	Report   Report
	Idle     []Pod // pods that do not serve
	Instants []Instant
	Refused  []Refused // failures that events report
	Caveats  []Caveat
}

// State returns the state of the DaemonSet, and one sentence that explains it.
func (e *DaemonExplanation) State() (State, string) {
	state, why := e.planned()
	return withCaveats(state, why, e.Caveats)
}

// planned is State without caveats.
func (e *DaemonExplanation) planned() (State, string) {
	switch n := len(e.Plan.Actions); {
	case n == 0 && e.complete():
		if e.Plan.Status.DesiredNumberScheduled == 0 {
			return StateComplete, "No node should run a pod, and none does." + endings(e.Idle, e.Now, nil)
		}
		return StateComplete, fmt.Sprintf("%s a new and available pod.", count(int(e.Plan.Status.DesiredNumberScheduled), "node has", "nodes have")) + endings(e.Idle, e.Now, nil)
	case n > 0:
		return StateProgressing, fmt.Sprintf("The controller will act at once, in %s.", plural(int32(n), "write"))
	}
	state, why := StateWaiting, "Nothing will happen, and the planner does not say why."
	for i, h := range e.Plan.Holds {
		a := daemonSetHolds.advice(h.Reason)
		if i == 0 {
			why = a.Means
		}
		if a.Stuck {
			state, why = StateStuck, a.Means
			break
		}
	}
	if blockers := e.blockers(); len(blockers) > 0 {
		why += fmt.Sprintf(" %s: %s.", count(len(blockers), "node blocks the update", "nodes block the update"), Folded(blockers))
	}
	return state, causes(e.Idle, e.Now, nil, why)
}

// blockers returns the nodes that use up the budget while other nodes wait for it.
func (e *DaemonExplanation) blockers() []string {
	waits := false
	var names []string
	for i := range e.Nodes {
		r := &e.Nodes[i]
		waits = waits || r.Waits == reason.MaxUnavailable || r.Waits == reason.MaxSurge
		if r.Uses != "" {
			names = append(names, r.Node)
		}
	}
	if !waits {
		return nil
	}
	return names
}

// Text writes the explanation as text.
func (e DaemonExplanation) Text(w *terminal.Writer) {
	state, why := e.State()
	writeState(w, "DaemonSet "+e.name(), e.Unapplied, state, why)
	writePolicies(w, e.Policies, e.original())
	writeAssumed(w, e.Assumed)
	w.Printf("kubectl rollout status:  %s\n", e.Report.line())
	w.Printf("Budget:                  %s\n", e.bounds())
	w.Printf("                         %v\n", e.Plan.Status)
	writeInstants(w, e.Instants, e.Now)
	w.Printf("\n")
	e.nodes(w)
	writeIdle(w, e.Idle)
	if !e.Plan.Empty() {
		w.Printf("\n")
		e.actions().WriteTo(w)
	}
	for i, h := range e.foldedHolds() {
		if i == 0 {
			w.Printf("\nHeld back:\n")
		}
		a := e.advice(h.Hold)
		writeAdvice(w, h.of(e.Snapshot.DaemonSet.Name), daemonSetHolds.whyNot(h.Reason, h.Have, h.Limit), h.Reason, a, "")
	}
	writeCaveats(w, e.Caveats)
	writeRefused(w, e.Refused)
}

// advice returns the meaning of a hold. A hold on pods that can never start ends as the caveat
// says.
func (e *DaemonExplanation) advice(h kplan.Hold) Advice {
	a := daemonSetHolds.advice(h.Reason)
	for _, c := range e.Caveats {
		if c.Nodes != nil && (h.Reason == reason.MaxSurge || h.Reason == reason.NotReady && slices.Contains(c.Nodes, h.Node)) {
			a.Ends, a.Stuck = c.Ends, c.Stuck
		}
	}
	return a
}
