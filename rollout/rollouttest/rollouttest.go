// SPDX-License-Identifier: Apache-2.0

package rollouttest

import (
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// The types of planners.
type (
	// A KruisePlanner plans a pass of a Rollout of OpenKruise, like [kruise.Reconcile].
	KruisePlanner = func(s kruise.Snapshot, now time.Time, opts kruise.Options) (kruise.Plan, error)
	// A BatchPlanner plans a pass of a BatchRelease, like [batchrelease.Reconcile].
	BatchPlanner = func(s batchrelease.Snapshot, now time.Time, opts batchrelease.Options) (batchrelease.Plan, error)
	// An ArgoPlanner plans a pass of a Rollout of Argo, like [argo.Reconcile].
	ArgoPlanner = func(s argo.Snapshot, now time.Time, opts argo.Options) (argo.Plan, error)
)

// A Planner is one of the three.
type Planner interface {
	KruisePlanner | BatchPlanner | ArgoPlanner
}

// A Snapshot is the snapshot of one of the planners.
type Snapshot interface {
	kruise.Snapshot | batchrelease.Snapshot | argo.Snapshot
}

// An OptionSet is the options of one of the planners.
type OptionSet interface {
	kruise.Options | batchrelease.Options | argo.Options
}

// Kinds select how far snapshots are from a real cluster; several may be joined by |.
type Kinds uint8

// The kinds of snapshots.
const (
	// CaughtUp is the middle of a release in which nothing interferes.
	CaughtUp Kinds = 1 << iota
	// Truthful is any state that a real cluster can have: a Rollout is deleted, disabled or
	// paused, another template has come, counts are stale.
	Truthful
	// Midway is some passes after CaughtUp: plans were carried out, pods may have started or
	// failed, and people may have approved.
	Midway
	// Anything also has values that no real cluster has and that planners accept: steps of any
	// size, statuses that contradict each other, missing objects.
	Anything
)

func (k Kinds) list() []random.Kind { return properties.Kinds(uint8(k)) }

// Now returns the instant at which all snapshots are taken. Their times are around it.
func Now() time.Time { return random.Now }

// Snapshots draws snapshots, each of the kinds equally often; of all kinds if kinds is 0. For
// instance, Snapshots[argo.Snapshot](CaughtUp) draws updates from v1 to v4.
//
// A Rollout of OpenKruise has up to four steps, with traffic in half of the cases, as a
// canary or, one in four, blue-green. A BatchRelease drives a workload of any of five kinds,
// of up to 12 pods or 150. A Rollout of Argo has up to 9 pods and four steps; one in four is
// blue-green, and half lead requests by weights.
func Snapshots[S Snapshot](kinds Kinds) *rapid.Generator[S] {
	var g any
	switch any(*new(S)).(type) {
	case kruise.Snapshot:
		g = kruiseRoom.SnapshotsOf(properties.Settings[kruise.Snapshot, kruise.Options]{}, kinds.list())
	case batchrelease.Snapshot:
		g = batchRoom.SnapshotsOf(properties.Settings[batchrelease.Snapshot, batchrelease.Options]{}, kinds.list())
	case argo.Snapshot:
		g = argoRoom.SnapshotsOf(properties.Settings[argo.Snapshot, argo.Options]{}, kinds.list())
	}
	return g.(*rapid.Generator[S])
}

// RollingBack draws a BatchRelease that takes a template back in batches, some pods of which
// were never updated, for [From]. [Snapshots] draws none of them.
func RollingBack() *rapid.Generator[batchrelease.Snapshot] { return properties.Drawn(rollingBack) }

// Options draws options for which the checks are promised: no repair of a quirk, or all.
func Options[O OptionSet]() *rapid.Generator[O] {
	var g any
	switch any(*new(O)).(type) {
	case kruise.Options:
		g = kruiseRoom.OptionsOf(properties.Settings[kruise.Snapshot, kruise.Options]{})
	case batchrelease.Options:
		g = batchRoom.OptionsOf(properties.Settings[batchrelease.Snapshot, batchrelease.Options]{})
	case argo.Options:
		g = argoRoom.OptionsOf(properties.Settings[argo.Snapshot, argo.Options]{})
	}
	return g.(*rapid.Generator[O])
}

// Names returns the names of the checks, in the order of README.md.
func Names() []string {
	var names []string
	for _, row := range rows() {
		names = append(names, row.Name)
	}
	return names
}

// Check tries a planner on random snapshots, as often as rapid says (100 times, or
// -rapid.checks), and fails with the smallest case that it finds. It calls the planner on
// the same snapshot repeatedly, with parts in another order, at other times, and in a fair
// cluster until nothing changes any more.
func Check[P Planner](t rapid.TB, plan P, settings ...Setting) {
	t.Helper()
	rapid.Check(t, Property(plan, settings...))
}

// Property is [Check] for one case.
func Property[P Planner](plan P, settings ...Setting) func(*rapid.T) {
	return func(t *rapid.T) {
		switch plan := any(plan).(type) {
		case KruisePlanner:
			kruiseRoom.Property(plan, chosen[kruise.Snapshot, kruise.Options](t, settings))(t)
		case BatchPlanner:
			batchRoom.Property(plan, chosen[batchrelease.Snapshot, batchrelease.Options](t, settings))(t)
		case ArgoPlanner:
			argoRoom.Property(plan, chosen[argo.Snapshot, argo.Options](t, settings))(t)
		}
	}
}

// Machine is a state machine of a planner and a cluster. A pass is carried out, or only a prefix
// of it, because the controller crashes. The driven workload continues as far as it may, or is
// lost; time passes; people approve, pause and set another template. Every plan is checked, for
// Argo also the true state after each write; and in the end plans must become empty.
//
// For Argo, passes also see stale views: the controller's writes may be invisible for five
// minutes, while preconditions of writes still hold. Invisible writes for another template than
// the visible one may miss a bound: nothing prevents that.
func Machine[P Planner](plan P, settings ...Setting) func(*rapid.T) {
	return func(t *rapid.T) {
		switch plan := any(plan).(type) {
		case KruisePlanner:
			kruiseRoom.Machine(plan, chosen[kruise.Snapshot, kruise.Options](t, settings))(t)
		case BatchPlanner:
			batchRoom.Machine(plan, chosen[batchrelease.Snapshot, batchrelease.Options](t, settings))(t)
		case ArgoPlanner:
			argoRoom.Machine(plan, chosen[argo.Snapshot, argo.Options](t, settings))(t)
		}
	}
}

// A Pass is one call of a planner, and its result.
type Pass[S Snapshot, O OptionSet, P any] struct {
	Snapshot S
	Now      time.Time
	Options  O
	Plan     P
}

// The passes of the planners.
type (
	// A KruisePass is a pass of a [KruisePlanner].
	KruisePass = Pass[kruise.Snapshot, kruise.Options, kruise.Plan]
	// A BatchPass is a pass of a [BatchPlanner].
	BatchPass = Pass[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan]
	// An ArgoPass is a pass of an [ArgoPlanner].
	ArgoPass = Pass[argo.Snapshot, argo.Options, argo.Plan]
)

// CheckPass checks one plan.
func CheckPass[S Snapshot, O OptionSet, P any](t rapid.TB, p Pass[S, O, P], settings ...Setting) {
	t.Helper()
	switch p := any(p).(type) {
	case KruisePass:
		kruiseRoom.CheckPass(t, properties.Pass[kruise.Snapshot, kruise.Options, kruise.Plan](p), chosen[kruise.Snapshot, kruise.Options](t, settings))
	case BatchPass:
		batchRoom.CheckPass(t, properties.Pass[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan](p), chosen[batchrelease.Snapshot, batchrelease.Options](t, settings))
	case ArgoPass:
		argoRoom.CheckPass(t, properties.Pass[argo.Snapshot, argo.Options, argo.Plan](p), chosen[argo.Snapshot, argo.Options](t, settings))
	default:
		t.Fatalf("rollouttest: %T is no pass of one planner", p)
	}
}
