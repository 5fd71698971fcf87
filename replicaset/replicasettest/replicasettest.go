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

// Kinds is a set of kinds of snapshots, joined by |: they differ in how close they are to a
// real cluster.
type Kinds uint8

// The kinds of snapshots.
const (
	// CaughtUp is a snapshot before a pass: no write is outstanding, and all pods are
	// controlled by the ReplicaSet, none of them being deleted.
	CaughtUp Kinds = 1 << iota
	// Truthful is a snapshot that a cluster can show at any time: some pods are being
	// deleted, are orphans or have another controller, some expected writes are not seen yet,
	// or the ReplicaSet is being deleted.
	Truthful
	// Midway is a few passes after CaughtUp: plans were carried out, pods were scheduled,
	// started or became ready, and replicas changed.
	Midway
	// Anything also has values that no cluster shows but planners accept: pods without
	// labels, UID or times, selectors that do not select the pods of the template, conditions
	// of any kind.
	Anything
)

func (k Kinds) list() []random.Kind { return properties.Kinds(uint8(k)) }

// Now returns the instant at which all snapshots are taken. Their times are around it.
func Now() time.Time { return random.Now }

// Snapshots draws a ReplicaSet with up to 14 pods, with each of the kinds equally likely; no
// kinds mean all of them. Replicas are up to 12, so that pods are missing about as often as
// there are too many; in Anything, one number in three has any magnitude up to 1,000. Pods
// are equal in most respects, so that each rule about which of them is deleted decides now
// and then.
func Snapshots(kinds Kinds) *rapid.Generator[replicaset.Snapshot] {
	return room.SnapshotsOf(settings{}, kinds.list())
}

// Options draws options for which the checks are promised: any policies and repairs.
func Options() *rapid.Generator[replicaset.Options] { return room.OptionsOf(settings{}) }

type settings = properties.Settings[replicaset.Snapshot, replicaset.Options]

// A Setting selects the input and the checks. By default snapshots of all kinds are tried
// with options of any kind, and all checks run.
type Setting func(*settings)

// Only runs the checks of these names, see [Names]. An unknown name fails the test.
func Only(names ...string) Setting {
	return func(s *settings) { s.Only = append(s.Only, names...) }
}

// Except runs all checks except these, see [Names].
func Except(names ...string) Setting {
	return func(s *settings) { s.Except = append(s.Except, names...) }
}

// Over tries snapshots of these kinds. [Machine] never starts with Anything.
func Over(kinds Kinds) Setting { return func(s *settings) { s.Kinds = kinds.list() } }

// From tries snapshots of your own generator.
func From(snapshots *rapid.Generator[replicaset.Snapshot]) Setting {
	return func(s *settings) { s.Snapshots = snapshots }
}

// With tries options of your own generator, such as rapid.Just(replicaset.Options{}) for a
// planner without policies.
func With(options *rapid.Generator[replicaset.Options]) Setting {
	return func(s *settings) { s.Options = options }
}

// Strict also reports violations that a known quirk of Kubernetes explains.
// [replicaset.Reconcile] passes it only with replicaset.RepairAll and without Anything: that
// kind has selectors that do not select the pods of the template. The API server refuses
// them, and a planner would create and release pods forever.
func Strict() Setting { return func(s *settings) { s.Strict = true } }

func chosen(list []Setting) (s settings) {
	for _, set := range list {
		set(&s)
	}
	return s
}

// Names returns the names of the checks, in the order of README.md.
func Names() []string { return room.Names() }

// Check tries a planner on random snapshots, 100 times or -rapid.checks, and fails with the
// smallest case that it finds. It calls the planner on the snapshot repeatedly, with its
// lists in another order, at other times, and in a fair cluster until nothing changes
// anymore.
func Check(t rapid.TB, plan Planner, settings ...Setting) {
	t.Helper()
	rapid.Check(t, Property(plan, settings...))
}

// Property returns the property that [Check] checks for one case.
func Property(plan Planner, settings ...Setting) func(*rapid.T) {
	return room.Property(plan, chosen(settings))
}

// Machine returns a state machine of a planner and a cluster. A pass is carried out
// completely, or in part because the controller crashes; pods are scheduled, become ready,
// fail or end; time passes; and a user scales. Every plan is checked, and so is the true
// state after each of its writes. In the end the machine must come to rest.
//
// A pass may see a stale cache: it lags at most five minutes after the writes of the
// controller, and never goes back in time. The controller has the Expectations of its last
// plan, until it crashes. A bound may be missed by the number of pods that others have
// changed since, but not by pods that the controller has written itself.
func Machine(plan Planner, settings ...Setting) func(*rapid.T) {
	return room.Machine(plan, chosen(settings))
}

// A Pass is one call of a planner and its result.
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

// CheckTrace checks the passes of one controller for one ReplicaSet, in their order. The
// snapshot of each pass is the true state, and each plan is carried out before the next pass.
// The loop is fair if the spec did not change, nothing failed, and all pods became available
// between passes: then no earlier state may return.
func CheckTrace(t rapid.TB, passes []Pass, fair bool, settings ...Setting) {
	t.Helper()
	list := make([]properties.Pass[replicaset.Snapshot, replicaset.Options, replicaset.Plan], len(passes))
	for i, p := range passes {
		list[i] = properties.Pass[replicaset.Snapshot, replicaset.Options, replicaset.Plan](p)
	}
	room.CheckTrace(t, list, fair, chosen(settings))
}

// A Change is the true state before and after one pass of a controller that writes objects
// itself, without any other writer between the two states. Deleted pods are missing from
// After or have a DeletionTimestamp.
type Change struct {
	Before, After replicaset.Snapshot
	Now           time.Time
	Options       replicaset.Options // the policies of the controller
	// Partial means that the pass ended early, by a crash or a refused write. Then only the
	// bounds are checked.
	Partial bool
	// Slack is the number of pods by which a bound may be missed: pods created or deleted
	// that the controller could not see yet.
	Slack int64
}

// CheckChange checks the changes that a controller has made to the pods of a ReplicaSet. It
// needs no plan, so it also works for controllers without one. A pod whose name is missing in
// Before counts as created.
func CheckChange(t rapid.TB, c Change, settings ...Setting) {
	t.Helper()
	room.CheckChange(t, properties.Change[replicaset.Snapshot, replicaset.Options](c), chosen(settings))
}
