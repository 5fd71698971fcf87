// SPDX-License-Identifier: Apache-2.0

package plantest

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// Kinds select how far snapshots may be from the states that a cluster shows. Join several with
// |. The doc.go of each kit says how its snapshots differ.
type Kinds uint8

// The kinds of snapshots.
const (
	// CaughtUp is the state before a pass, after the cluster has caught up with all writes.
	CaughtUp Kinds = 1 << iota
	// Truthful is any state that a cluster can show.
	Truthful
	// Midway is the state some passes after CaughtUp, with plans carried out and some pods
	// available.
	Midway
	// Anything also has values that planners accept although no cluster shows them.
	Anything
)

// Now returns the instant at which all snapshots are taken. The times in a snapshot are around
// it.
func Now() time.Time { return random.Now }

// A Planner plans the next step of an object from its snapshot. deploy.Reconcile is one.
type Planner[S, O, P any] = func(s S, now time.Time, opts O) (P, error)

// A Kit tests planners of one kind of object, with snapshots S, options O and plans P. Packages such as
// deploytest and replicasettest return kits; the zero Kit is not useful. A kit never changes: its
// methods return another one.
type Kit[S, O, P any] struct {
	// Room tells the checks how to draw, plan and carry out objects of the kind. Packages of this
	// module set it.
	Room *properties.Room[S, O, P]
	set  properties.Settings[S, O]
}

// Only returns a kit that runs only the named checks (see [Kit.Names]), in addition to the checks named
// by earlier calls. An unknown name fails the test.
func (k Kit[S, O, P]) Only(names ...string) Kit[S, O, P] {
	k.set.Only = slices.Concat(k.set.Only, names)
	return k
}

// Except returns a kit that does not run the checks of these names. An unknown name fails the
// test.
func (k Kit[S, O, P]) Except(names ...string) Kit[S, O, P] {
	k.set.Except = slices.Concat(k.set.Except, names)
	return k
}

// Over returns a kit that tries snapshots of these kinds; zero Kinds mean all. [Kit.Machine]
// never begins with Anything.
func (k Kit[S, O, P]) Over(kinds Kinds) Kit[S, O, P] {
	k.set.Kinds = properties.Kinds(uint8(kinds))
	return k
}

// From returns a kit that tries snapshots of your own generator instead of the kinds.
func (k Kit[S, O, P]) From(snapshots *rapid.Generator[S]) Kit[S, O, P] {
	k.set.Snapshots = snapshots
	return k
}

// With returns a kit that tries options of your own generator, such as
// rapid.Just(deploy.Options{}) for a planner without policies.
func (k Kit[S, O, P]) With(options *rapid.Generator[O]) Kit[S, O, P] {
	k.set.Options = options
	return k
}

// Strict returns a kit that also reports violations that a known quirk of upstream explains. The
// planners of this module pass a strict kit only if all quirks are repaired.
func (k Kit[S, O, P]) Strict() Kit[S, O, P] {
	k.set.Strict = true
	return k
}

// Names returns the names of all checks, in the order of README.md of the kit's package.
func (k Kit[S, O, P]) Names() []string { return k.Room.Names() }

// Snapshots returns the generator of the snapshots that the kit tries: yours after [Kit.From], and
// otherwise each of its kinds equally often.
func (k Kit[S, O, P]) Snapshots() *rapid.Generator[S] {
	return k.Room.SnapshotsOf(k.set, k.set.Kinds)
}

// Options returns the generator of the options that the kit tries: yours after [Kit.With], and otherwise
// any that the checks support.
func (k Kit[S, O, P]) Options() *rapid.Generator[O] { return k.Room.OptionsOf(k.set) }
