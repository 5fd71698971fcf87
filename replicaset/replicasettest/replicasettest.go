// SPDX-License-Identifier: Apache-2.0

package replicasettest

import (
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/replicaset"
)

// A Planner decides what to do about a ReplicaSet. [replicaset.Reconcile] is one.
type Planner = func(s replicaset.Snapshot, now time.Time, opts replicaset.Options) (replicaset.Plan, error)

// Kinds say how far snapshots are from what a cluster shows; several may be joined by |.
type Kinds uint8

// The kinds of snapshots.
const (
	// CaughtUp is before a pass: no write is outstanding, and nothing but pods that the
	// ReplicaSet controls is there, none of which is being deleted.
	CaughtUp Kinds = 1 << iota
	// Truthful is what a cluster can show at any time: pods are being deleted, orphans or
	// another's, writes are expected that are not yet seen, the ReplicaSet is being deleted.
	Truthful
	// Midway is some passes after CaughtUp: plans were carried out, pods were scheduled, run
	// or became ready, and replicas changed.
	Midway
	// Anything has values, too, that no cluster shows and that planners accept: pods without
	// labels, UID or times, selectors that select others, conditions of any kind.
	Anything
)

func (k Kinds) list() []random.Kind { return properties.Kinds(uint8(k)) }

// Now returns the instant at which all snapshots are taken. Their times are around it.
func Now() time.Time { return random.Now }

// Snapshots draws a ReplicaSet with up to 14 pods, of each of the kinds as often; of all if
// there is none. Replicas are up to 12, so that about as often pods are missing as too many;
// of Anything, each third number is of any magnitude up to 1,000. Pods are alike in most
// respects, so that every rule about which of them goes decides now and then.
func Snapshots(kinds Kinds) *rapid.Generator[replicaset.Snapshot] {
	return room.Snapshots(kinds.list())
}

// Options draws options for which the checks are promised: policies and repairs of any
// kind.
func Options() *rapid.Generator[replicaset.Options] { return room.OptionsOf() }

type settings = properties.Settings[replicaset.Snapshot, replicaset.Options]

// A Setting chooses what is tried and which checks look at it. Without any, snapshots of
// all kinds are tried with options of any kind, and all checks look at them.
type Setting func(*settings)

// Only runs the checks of these names, see [Names]. An unknown name fails the test.
func Only(names ...string) Setting {
	return func(s *settings) { s.Only = append(s.Only, names...) }
}

// Except runs all checks but those of these names.
func Except(names ...string) Setting {
	return func(s *settings) { s.Except = append(s.Except, names...) }
}

// Over tries snapshots of these kinds. [Machine] never begins with Anything.
func Over(kinds Kinds) Setting { return func(s *settings) { s.Kinds = kinds.list() } }

// From tries snapshots of a generator of your own.
func From(snapshots *rapid.Generator[replicaset.Snapshot]) Setting {
	return func(s *settings) { s.Snapshots = snapshots }
}

// With tries options of a generator of your own, such as
// rapid.Just(replicaset.Options{}) for a planner that has no policies.
func With(options *rapid.Generator[replicaset.Options]) Setting {
	return func(s *settings) { s.Options = options }
}

// Strict reports what a known quirk of Kubernetes explains, too. [replicaset.Reconcile]
// passes it with replicaset.RepairAll only, and not over Anything: there are selectors there
// that do not select the pods of the template, which the API server refuses, and for which
// pods are created and released for ever.
func Strict() Setting { return func(s *settings) { s.Strict = true } }

func chosen(list []Setting) (s settings) {
	for _, set := range list {
		set(&s)
	}
	return s
}

// Names returns the names of the checks, in the order of README.md.
func Names() []string { return room.Names() }

// Check tries a planner on random snapshots, as often as rapid says (100 times, or
// -rapid.checks), and fails with the smallest case that it finds. The planner is called on
// the snapshot, again and again, with parts in another order, at other times, and in a fair
// cluster until nothing changes any more.
func Check(t rapid.TB, plan Planner, settings ...Setting) {
	t.Helper()
	rapid.Check(t, Property(plan, settings...))
}

// Property is what [Check] checks for one case.
func Property(plan Planner, settings ...Setting) func(*rapid.T) {
	return room.Property(plan, chosen(settings))
}

// Machine is a state machine of a planner and a cluster. A pass is carried out, or only a
// prefix of it, because the controller crashes; pods are scheduled, become ready, fail or
// end; time passes; and somebody scales. Every plan is checked, and the true state after each
// of its writes; and in the end it must come to rest.
//
// A pass may see an old view: the cache lags behind, by no more than five minutes behind what
// the controller has written, and never goes back. The controller has the Expectations
// of its last plan, until a crash.
// A bound may be missed by the pods that others have changed since, and by none that the
// controller has written itself.
func Machine(plan Planner, settings ...Setting) func(*rapid.T) {
	return room.Machine(plan, chosen(settings))
}

// A Pass is one call of a planner, and what it returned.
type Pass struct {
	Snapshot replicaset.Snapshot
	Now      time.Time
	Options  replicaset.Options
	Plan     replicaset.Plan
}

// CheckPass checks one plan.
func CheckPass(t rapid.TB, p Pass, settings ...Setting) {
	t.Helper()
	room.CheckPass(t, properties.Pass[replicaset.Snapshot, replicaset.Options, replicaset.Plan](p), chosen(settings))
}

// CheckTrace checks the passes of one controller for one ReplicaSet, in their order, each
// with the true state as its snapshot, and each carried out before the next. The loop is
// fair if nobody has changed what is wanted, nothing failed, and all pods became available
// between passes: then no earlier state may come back.
func CheckTrace(t rapid.TB, passes []Pass, fair bool, settings ...Setting) {
	t.Helper()
	list := make([]properties.Pass[replicaset.Snapshot, replicaset.Options, replicaset.Plan], len(passes))
	for i, p := range passes {
		list[i] = properties.Pass[replicaset.Snapshot, replicaset.Options, replicaset.Plan](p)
	}
	room.CheckTrace(t, list, fair, chosen(settings))
}

// A Change is the true state before and after one pass of a controller that writes objects,
// when nobody else has written in between. Pods that were deleted are gone after, or have a
// DeletionTimestamp.
type Change struct {
	Before, After replicaset.Snapshot
	Now           time.Time
	Options       replicaset.Options // the policies that the controller is to have
	// Partial tells that the pass has ended early, by a crash or a refused write. Then only
	// the bounds are checked.
	Partial bool
	// Slack is by how many pods a bound may be missed: those that were created or deleted
	// and that the controller could not see yet.
	Slack int64
}

// CheckChange checks what a controller has made of the pods of a ReplicaSet. It needs no
// plan, so that it is for controllers which have none. A pod whose name is not there before
// is taken for created.
func CheckChange(t rapid.TB, c Change, settings ...Setting) {
	t.Helper()
	room.CheckChange(t, properties.Change[replicaset.Snapshot, replicaset.Options](c), chosen(settings))
}
