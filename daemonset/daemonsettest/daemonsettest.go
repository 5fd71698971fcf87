// SPDX-License-Identifier: Apache-2.0

package daemonsettest

import (
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// A Planner plans the next step of a DaemonSet. [daemonset.Reconcile] is one.
type Planner = func(s daemonset.Snapshot, now time.Time, opts daemonset.Options) (daemonset.Plan, error)

// Kinds select how realistic the drawn snapshots are; join several with |.
type Kinds uint8

// The kinds of snapshots.
const (
	// CaughtUp is before an update: a healthy pod of the old template on each node.
	CaughtUp Kinds = 1 << iota
	// Truthful is one pod on each node, ready or not, old or new, on nodes with taints and
	// ranks.
	Truthful
	// Midway is some passes after CaughtUp: plans were carried out, pods were bound, became
	// ready or ended, or not.
	Midway
	// Anything also has values that no cluster shows but planners accept: several pods on a
	// node, pods on missing nodes, orphans, duplicate revisions.
	Anything
)

func (k Kinds) list() []random.Kind { return properties.Kinds(uint8(k)) }

// Now returns the instant at which all snapshots are taken. Their times are around it.
func Now() time.Time { return random.Now }

// Snapshots draws a DaemonSet on up to eight nodes. It draws each of the kinds equally often,
// and all kinds if kinds is 0. Every second snapshot has features of OpenKruise: partitions,
// selectors of nodes, a burst, updates in place, hooks.
func Snapshots(kinds Kinds) *rapid.Generator[daemonset.Snapshot] {
	return room.SnapshotsOf(settings{}, kinds.list())
}

// Options draws options for which the checks hold: policies of any kind, and no repair of a
// quirk, or all repairs.
func Options() *rapid.Generator[daemonset.Options] { return room.OptionsOf(settings{}) }

type settings = properties.Settings[daemonset.Snapshot, daemonset.Options]

// A Setting chooses the input and the checks. Without settings, all checks run on snapshots of
// all kinds with options of any kind.
type Setting func(*settings)

// Only runs the checks with these names, see [Names]. An unknown name fails the test.
func Only(names ...string) Setting {
	return func(s *settings) { s.Only = append(s.Only, names...) }
}

// Except runs all checks but the checks with these names.
func Except(names ...string) Setting {
	return func(s *settings) { s.Except = append(s.Except, names...) }
}

// Over tries snapshots of these kinds. [Machine] never begins with Anything.
func Over(kinds Kinds) Setting { return func(s *settings) { s.Kinds = kinds.list() } }

// From takes snapshots from your generator.
func From(snapshots *rapid.Generator[daemonset.Snapshot]) Setting {
	return func(s *settings) { s.Snapshots = snapshots }
}

// With takes options from your generator, such as rapid.Just(daemonset.Options{}) for a
// planner that has no policies.
func With(options *rapid.Generator[daemonset.Options]) Setting {
	return func(s *settings) { s.Options = options }
}

// Strict also reports violations that a known quirk of Kubernetes or OpenKruise explains.
// [daemonset.Reconcile] passes it with daemonset.RepairAll only.
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
// -rapid.checks), and fails with the smallest failing case. It calls the planner on each
// snapshot again and again, with parts in another order, at other times, and in a fair cluster
// until nothing changes any more.
func Check(t rapid.TB, plan Planner, settings ...Setting) {
	t.Helper()
	rapid.Check(t, Property(plan, settings...))
}

// Property returns the property that [Check] runs for one case.
func Property(plan Planner, settings ...Setting) func(*rapid.T) {
	return room.Property(plan, chosen(settings))
}

// Machine is a state machine of a planner and a cluster. A pass is carried out in full, or
// only a prefix of it, because the controller crashes; pods are bound, become ready, fail or
// end; nodes come, go and are tainted; time passes; and a user changes the template or the
// limits. Every plan is checked, and the true state after each of its writes; and in the end
// the planner must have no actions left.
//
// A pass may see an old view: the cache is at most five minutes older than the writes of the
// controller, and never goes back. The controller knows that its last writes are Unseen. Pods
// that others have changed since the view may break a bound; pods that the controller has
// written itself may not.
func Machine(plan Planner, settings ...Setting) func(*rapid.T) {
	return room.Machine(plan, chosen(settings))
}

// A Pass is one call of a planner with its result.
type Pass struct {
	Snapshot daemonset.Snapshot
	Now      time.Time
	Options  daemonset.Options
	Plan     daemonset.Plan
}

// CheckPass checks one plan.
func CheckPass(t rapid.TB, p Pass, settings ...Setting) {
	t.Helper()
	room.CheckPass(t, properties.Pass[daemonset.Snapshot, daemonset.Options, daemonset.Plan](p), chosen(settings))
}

// CheckTrace checks the passes of one controller for one DaemonSet, in their order, each with
// the true state as its snapshot, and each carried out before the next. The loop is fair if
// the desired state did not change, nothing failed, and all pods became available between
// passes: then no earlier state may come back.
func CheckTrace(t rapid.TB, passes []Pass, fair bool, settings ...Setting) {
	t.Helper()
	list := make([]properties.Pass[daemonset.Snapshot, daemonset.Options, daemonset.Plan], len(passes))
	for i, p := range passes {
		list[i] = properties.Pass[daemonset.Snapshot, daemonset.Options, daemonset.Plan](p)
	}
	room.CheckTrace(t, list, fair, chosen(settings))
}

// A Change is the true state before and after one pass of a controller that writes objects,
// without other writers in the meantime. A deleted pod is missing from After, or has a
// DeletionTimestamp there.
type Change struct {
	Before, After daemonset.Snapshot
	Now           time.Time
	Options       daemonset.Options // the policies that the controller is to have
	// Partial means that the pass has ended early, by a crash or a refused write. Then only
	// the bounds are checked.
	Partial bool
	// Slack is the number of pods by which a bound may be missed: pods created or deleted that
	// the controller could not see yet.
	Slack int64
}

// CheckChange checks the changes that a controller has made to the pods of a DaemonSet. It
// needs no plan, and so suits controllers without plans. A pod with a name that is not in
// Before counts as created.
func CheckChange(t rapid.TB, c Change, settings ...Setting) {
	t.Helper()
	room.CheckChange(t, properties.Change[daemonset.Snapshot, daemonset.Options](c), chosen(settings))
}
