// SPDX-License-Identifier: Apache-2.0

package deploytest

import (
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// A Planner decides what to do about a Deployment. [deploy.Reconcile] is one.
type Planner = func(s deploy.Snapshot, now time.Time, opts deploy.Options) (deploy.Plan, error)

// Kinds say how far snapshots are from what a cluster shows; several may be joined by |.
type Kinds uint8

// The kinds of snapshots.
const (
	// CaughtUp is before a pass: all that was written has been carried out, statuses are
	// true, and nothing was scaled or paused since.
	CaughtUp Kinds = 1 << iota
	// Truthful is what a cluster can show at any time: statuses lag behind or run ahead,
	// people pause, scale, roll back and delete, ReplicaSets are orphans or another's.
	Truthful
	// Midway is some passes after CaughtUp: plans were carried out, and pods live, or those
	// of the new template never do.
	Midway
	// Anything has values, too, that no cluster shows and that planners accept: sizes up to
	// the largest, tampered annotations, statuses of any kind.
	Anything
)

func (k Kinds) list() []random.Kind { return properties.Kinds(uint8(k)) }

// Now returns the instant at which all snapshots are taken. Their times are around it.
func Now() time.Time { return random.Now }

// Snapshots draws a Deployment with up to four ReplicaSets, of each of the kinds as often;
// of all if there is none. Replicas are up to 12, limits up to 6 or 130 %, and the template
// is that of one of the ReplicaSets or a new one, so that every branch of a rollout is met
// within some tens of cases. Of Anything, each third size is of any magnitude.
func Snapshots(kinds Kinds) *rapid.Generator[deploy.Snapshot] { return room.Snapshots(kinds.list()) }

// Scaling draws a rollout in the middle, with hundreds of pods, that has just been scaled,
// for [From]: only then does it show how replicas are shared out when that is interrupted.
func Scaling() *rapid.Generator[deploy.Snapshot] { return properties.Drawn(scaling) }

// Partitioned draws a Deployment that is rolled by partition as those of OpenKruise are, for
// [From]. [Snapshots] draws none.
func Partitioned() *rapid.Generator[deploy.Snapshot] { return properties.Drawn(partitioned) }

// Options draws options for which the checks are promised: policies of any kind, and no
// repair of a quirk, or all repairs.
func Options() *rapid.Generator[deploy.Options] { return room.OptionsOf() }

type settings = properties.Settings[deploy.Snapshot, deploy.Options]

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
func From(snapshots *rapid.Generator[deploy.Snapshot]) Setting {
	return func(s *settings) { s.Snapshots = snapshots }
}

// With tries options of a generator of your own, such as
// rapid.Just(deploy.Options{}) for a planner that has no policies.
func With(options *rapid.Generator[deploy.Options]) Setting {
	return func(s *settings) { s.Options = options }
}

// Strict reports what a known quirk of Kubernetes explains, too. [deploy.Reconcile] passes it
// with deploy.RepairAll only.
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
// prefix of it, because the controller crashes; pods become available or are lost; time
// passes; and somebody scales, pauses, resumes or gives another template. Every plan is
// checked, and the true state after each of its writes; and in the end it must come to rest.
//
// A pass may see an old view: the cache lags behind, by no more than five minutes behind what
// the controller has written, and never goes back. Preconditions of writes hold as ever.
// A bound may be missed by the pods that others have changed since, and by none that the
// controller has written itself, with one exception, which no precondition of Kubernetes
// prevents: those that it wrote for what was wanted before, when it sees that something else
// is wanted and does not see yet what it has written. So it is if a ReplicaSet for a template
// is created that was replaced in the meantime.
func Machine(plan Planner, settings ...Setting) func(*rapid.T) {
	return room.Machine(plan, chosen(settings))
}

// A Pass is one call of a planner, and what it returned.
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

// CheckTrace checks the passes of one controller for one Deployment, in their order, each
// with the true state as its snapshot, and each carried out before the next. The loop is
// fair if nobody has changed what is wanted, nothing failed, and all pods became available
// between passes: then no earlier state may come back.
func CheckTrace(t rapid.TB, passes []Pass, fair bool, settings ...Setting) {
	t.Helper()
	list := make([]properties.Pass[deploy.Snapshot, deploy.Options, deploy.Plan], len(passes))
	for i, p := range passes {
		list[i] = properties.Pass[deploy.Snapshot, deploy.Options, deploy.Plan](p)
	}
	room.CheckTrace(t, list, fair, chosen(settings))
}

// A Change is the true state before and after one pass of a controller that writes objects,
// when nobody else has written in between. Statuses of ReplicaSets are those of before.
type Change struct {
	Before, After deploy.Snapshot
	Now           time.Time
	Options       deploy.Options // the policies that the controller is to have
	// Partial tells that the pass has ended early, by a crash or a refused write. Then only
	// the bounds are checked.
	Partial bool
	// Slack is by how many pods a bound may be missed: those that were created or deleted
	// and that the controller could not see yet.
	Slack int64
}

// CheckChange checks what a controller has made of a Deployment and its ReplicaSets. It
// needs no plan, so that it is for controllers which have none. A ReplicaSet that is not
// there before is taken for created, and one that is not there after for deleted.
func CheckChange(t rapid.TB, c Change, settings ...Setting) {
	t.Helper()
	room.CheckChange(t, properties.Change[deploy.Snapshot, deploy.Options](c), chosen(settings))
}
