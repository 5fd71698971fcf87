// SPDX-License-Identifier: Apache-2.0

package plantest

import (
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/properties"
)

// Check tries a planner on random snapshots, as often as rapid says (100 times, or
// -rapid.checks), and fails with the smallest case that it finds. For each snapshot it calls the
// planner repeatedly: on the same input, with lists in another order, at other times, and in a
// fair cluster until nothing changes any more.
func (k Kit[S, O, P]) Check(t rapid.TB, plan Planner[S, O, P]) {
	t.Helper()
	rapid.Check(t, k.Property(plan))
}

// Property returns the property that [Kit.Check] checks for one case.
func (k Kit[S, O, P]) Property(plan Planner[S, O, P]) func(*rapid.T) {
	return k.Room.Property(plan, k.set)
}

// Machine returns a state machine of a planner and a cluster. A plan is carried out, or only a
// prefix of it, because the controller crashes; pods become available or are lost; time passes;
// and users edit. Every plan is checked, and the true state after each of its writes; in the end
// the planner must come to rest.
//
// A pass may see a stale cache: it lacks at most the controller's writes of the last five minutes,
// and never goes back. Preconditions of writes are still checked. A bound may be missed by the
// number of pods that others have changed since the state that the pass sees, but not by the
// controller's own writes. The doc.go of each kit says more.
func (k Kit[S, O, P]) Machine(plan Planner[S, O, P]) func(*rapid.T) {
	return k.Room.Machine(plan, k.set)
}

// A Pass is one call of a planner, and the plan that it returned.
type Pass[S, O, P any] struct {
	Snapshot S
	Now      time.Time
	Options  O
	Plan     P
}

// CheckPass checks one plan.
func (k Kit[S, O, P]) CheckPass(t rapid.TB, p Pass[S, O, P]) {
	t.Helper()
	k.Room.CheckPass(t, properties.Pass[S, O, P](p), k.set)
}

// CheckTrace checks the passes of one controller for one object, in their order. The snapshot of
// each pass is the true state, and each plan was carried out before the next pass. The loop is
// fair if the desired state did not change, nothing failed, and all pods became available between
// passes: then no earlier state may come back.
func (k Kit[S, O, P]) CheckTrace(t rapid.TB, passes []Pass[S, O, P], fair bool) {
	t.Helper()
	list := make([]properties.Pass[S, O, P], len(passes))
	for i, p := range passes {
		list[i] = properties.Pass[S, O, P](p)
	}
	k.Room.CheckTrace(t, list, fair, k.set)
}

// A Change is the true state before and after one pass of a controller that writes objects,
// without writes of others.
type Change[S, O any] struct {
	Before, After S
	Now           time.Time
	Options       O // the policies that the controller is expected to follow
	// Partial means that the pass ended early, by a crash or a refused write. Then only the
	// bounds are checked.
	Partial bool
	// Slack is the number of pods by which a bound may be missed: pods that were created or
	// deleted and that the controller could not see yet.
	Slack int64
}

// CheckChange checks the writes of a controller that has no plan, from the states before and
// after. An object that exists only after the pass was created by it, and one that exists only
// before was deleted. The kits without checks of changes, rollouttest.Kruise and
// rollouttest.Batches, fail the test.
func (k Kit[S, O, P]) CheckChange(t rapid.TB, c Change[S, O]) {
	t.Helper()
	k.Room.CheckChange(t, properties.Change[S, O](c), k.set)
}
