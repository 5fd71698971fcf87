// SPDX-License-Identifier: Apache-2.0

package deploytest

import (
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// A Planner plans the next step of a Deployment. [deploy.Reconcile] is one.
type Planner = func(s deploy.Snapshot, now time.Time, opts deploy.Options) (deploy.Plan, error)

// Kinds select how far snapshots may be from the states that a cluster shows. Join several
// with |.
type Kinds uint8

// The kinds of snapshots.
const (
	// CaughtUp is the state before a pass when the cluster has caught up: all writes have
	// been carried out, statuses are true, and nothing was scaled or paused since.
	CaughtUp Kinds = 1 << iota
	// Truthful is any state that a cluster can show: statuses lag or run ahead, users
	// pause, scale, roll back and delete, and ReplicaSets are orphans or have another
	// owner.
	Truthful
	// Midway is some passes after CaughtUp: plans were carried out, and all pods became
	// available, or the new pods never do.
	Midway
	// Anything also has values that planners accept although no cluster shows them: sizes
	// up to the largest, tampered annotations, statuses of any kind.
	Anything
)

func (k Kinds) list() []random.Kind { return properties.Kinds(uint8(k)) }

// Now returns the instant at which all snapshots are taken. The times in a snapshot are
// around it.
func Now() time.Time { return random.Now }

// Snapshots draws a Deployment with up to four ReplicaSets. Each of the kinds is equally
// likely; zero Kinds mean all. Replicas are up to 12, limits up to 6 or 130 %, and the
// Deployment has the template of one of the ReplicaSets or a new one, so that a few dozen
// cases reach every branch of a rollout. With Anything, every third size is of any
// magnitude.
func Snapshots(kinds Kinds) *rapid.Generator[deploy.Snapshot] { return room.SnapshotsOf(settings{}, kinds.list()) }

// Scaling draws the middle of a rollout with hundreds of pods that has just been scaled,
// for [From]. Only such a snapshot shows how replicas are shared out when a scaling is
// interrupted.
func Scaling() *rapid.Generator[deploy.Snapshot] { return properties.Drawn(scaling) }

// Partitioned draws a Deployment that is rolled by partition, as in OpenKruise, for [From].
// [Snapshots] draws none.
func Partitioned() *rapid.Generator[deploy.Snapshot] { return properties.Drawn(partitioned) }

// Options draws the options that the checks support: any policies, and either no repair of
// a quirk or all repairs.
func Options() *rapid.Generator[deploy.Options] { return room.OptionsOf(settings{}) }

type settings = properties.Settings[deploy.Snapshot, deploy.Options]

// A Setting chooses the cases and the checks. By default all checks run on snapshots of all
// kinds with options of any kind.
type Setting func(*settings)

// Only runs the checks of these names, see [Names]. An unknown name fails the test.
func Only(names ...string) Setting {
	return func(s *settings) { s.Only = append(s.Only, names...) }
}

// Except runs all checks but the named ones.
func Except(names ...string) Setting {
	return func(s *settings) { s.Except = append(s.Except, names...) }
}

// Over tries snapshots of these kinds. [Machine] never begins with Anything.
func Over(kinds Kinds) Setting { return func(s *settings) { s.Kinds = kinds.list() } }

// From tries snapshots of your own generator.
func From(snapshots *rapid.Generator[deploy.Snapshot]) Setting {
	return func(s *settings) { s.Snapshots = snapshots }
}

// With tries options of your own generator, such as rapid.Just(deploy.Options{}) for a
// planner that has no policies.
func With(options *rapid.Generator[deploy.Options]) Setting {
	return func(s *settings) { s.Options = options }
}

// Strict also reports violations that a known quirk of Kubernetes explains.
// [deploy.Reconcile] passes it with deploy.RepairAll only.
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
// -rapid.checks), and fails with the smallest case that it finds. For each snapshot it
// calls the planner repeatedly: on the same input, with lists in another order, at other
// times, and in a fair cluster until nothing changes any more.
func Check(t rapid.TB, plan Planner, settings ...Setting) {
	t.Helper()
	rapid.Check(t, Property(plan, settings...))
}

// Property is one case of [Check].
func Property(plan Planner, settings ...Setting) func(*rapid.T) {
	return room.Property(plan, chosen(settings))
}

// Machine is a state machine of a planner and a cluster. A plan is carried out, or only a
// prefix of it, because the controller crashes; pods become available or are lost; time
// passes; and users scale, pause, resume or change the template. Every plan and the true
// state after each of its writes are checked; in the end the planner must come to rest.
//
// A pass may see a stale cache: it lacks at most the controller's writes of the last five
// minutes, and never goes back. Preconditions of writes are still checked. A bound may be
// exceeded by the number of pods that others have changed since the state that the pass sees,
// but not by the controller's own writes. There is one exception, which no precondition of
// Kubernetes prevents: the controller sees a change of the Deployment before it sees its own
// writes for the former Deployment, such as a ReplicaSet for a template that has been
// replaced since.
func Machine(plan Planner, settings ...Setting) func(*rapid.T) {
	return room.Machine(plan, chosen(settings))
}

// A Pass is one call of a planner, and the plan that it returned.
type Pass struct {
	Snapshot deploy.Snapshot
	Now      time.Time
	Options  deploy.Options
	Plan     deploy.Plan
}

// CheckPass checks one plan.
func CheckPass(t rapid.TB, p Pass, settings ...Setting) {
	t.Helper()
	room.CheckPass(t, properties.Pass[deploy.Snapshot, deploy.Options, deploy.Plan](p), chosen(settings))
}

// CheckTrace checks the passes of one controller for one Deployment, in their order. The
// snapshot of each pass is the true state, and each plan was carried out before the next
// pass. The loop is fair if the Deployment's spec did not change, nothing failed, and all
// pods became available between passes: then no earlier state may come back.
func CheckTrace(t rapid.TB, passes []Pass, fair bool, settings ...Setting) {
	t.Helper()
	list := make([]properties.Pass[deploy.Snapshot, deploy.Options, deploy.Plan], len(passes))
	for i, p := range passes {
		list[i] = properties.Pass[deploy.Snapshot, deploy.Options, deploy.Plan](p)
	}
	room.CheckTrace(t, list, fair, chosen(settings))
}

// A Change is the true state before and after one pass of a controller that writes objects,
// without writes of others. After has the statuses of ReplicaSets from before the pass.
type Change struct {
	Before, After deploy.Snapshot
	Now           time.Time
	Options       deploy.Options // the policies that the controller is expected to follow
	// Partial means that the pass ended early, by a crash or a refused write. Then only the
	// bounds are checked.
	Partial bool
	// Slack is the number of pods by which a bound may be exceeded: pods that were created
	// or deleted and that the controller could not see yet.
	Slack int64
}

// CheckChange checks the writes of a controller that has no plan, from the states before
// and after. A ReplicaSet that exists only after the pass was created by it, and one that
// exists only before was deleted.
func CheckChange(t rapid.TB, c Change, settings ...Setting) {
	t.Helper()
	room.CheckChange(t, properties.Change[deploy.Snapshot, deploy.Options](c), chosen(settings))
}
