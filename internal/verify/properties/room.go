// SPDX-License-Identifier: Apache-2.0

package properties

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// A Planner is the function under test.
type Planner[S, O, P any] = func(S, time.Time, O) (P, error)

// A Room describes one kind of planner: the generators of its snapshots, and the effects of its
// plans.
type Room[S, O, P any] struct {
	Package string // import path
	Prefix  string // of its inputs in package invariant, such as "Deployment"
	// Draw and Options draw snapshots, and options for which the invariants hold.
	Draw    func(random.Source, random.Kind) S
	Options func(random.Source) O
	// Reference is our planner: other planners must accept each snapshot that it accepts.
	Reference Planner[S, O, P]
	// Fair carries out plans in a fair cluster until nothing changes any more.
	Fair func(*invariant.Planner[S, O, P]) (invariant.Trace[S, O, P], bool)
	// Actions returns the number of actions of a plan, and Apply carries out the actions from index
	// from up to, but not including, to.
	Actions func(*P) int
	Apply   func(p *P, from, to int, s S, now time.Time) (S, error)
	// Finish writes the results of a plan that are not actions: status and tables.
	Finish func(*S, *P)
	// Derive reconstructs the plan of a change as far as possible, and Derived names the checks of
	// such a plan.
	Derive  func(before, after *S, o *O) P
	Derived []string
	// Begin repairs a snapshot that the API server would refuse.
	Begin func(*S)
	// World changes a snapshot between two plans, by name.
	World map[string]func(t random.Source, s *S, now time.Time)
	// Drift returns the number of pods by which a planner that saw before is wrong about after,
	// when the World has made the change; [Unknown] if the desired state changed. If it is nil,
	// there are no stale views.
	Drift func(before, after *S) int64
	// Moved returns the number of pods by which a controller's writes changed sizes. If it is nil,
	// later plans take the controller's writes into account, since the controller remembers them.
	Moved func(before, after *S) int64
	// Blind adds a controller's memory of its last plan to a state that does not show the plan's
	// effect yet. If it is nil, the controller is protected only by the preconditions of its
	// writes.
	Blind func(s *S, p *P, now time.Time)
}

// Accepted is the name of the check that planners return a plan at all.
const Accepted = "snapshots are accepted"

// A Row describes a check.
type Row struct {
	Name    string
	Promise string
	On      []string // the functions that run it
}

// callers maps each kind of input to the functions that run its checks.
var callers = map[string][]string{
	"Pass": {"Check", "CheckPass", "CheckTrace", "Machine"}, "Planner": {"Check"}, "Trace": {"Check", "CheckTrace"}, "Change": {"CheckChange", "Machine"},
}

// order is the order of the functions in a row.
var order = []string{"Check", "CheckPass", "CheckChange", "CheckTrace", "Machine"}

// Rows returns the checks of this kind of planner.
func (r *Room[S, O, P]) Rows() []Row {
	rows := []Row{{Accepted, "snapshots that our planner accepts are not refused", []string{"Check", "Machine"}}}
	for _, i := range invariant.All() {
		var on []string
		for _, input := range i.Inputs() {
			for kind, names := range callers {
				if input == r.Prefix+kind {
					on = append(on, names...)
				}
			}
		}
		if slices.Contains(r.Derived, i.Name) {
			on = append(on, "CheckChange")
		}
		if len(on) == 0 {
			continue
		}
		if i.Name == "convergence" { // checked at the end
			on = append(on, "Machine")
		}
		sorted := slices.DeleteFunc(slices.Clone(order), func(name string) bool { return !slices.Contains(on, name) })
		rows = append(rows, Row{i.Name, i.Title, sorted})
	}
	return rows
}

// Names returns the names of the checks.
func (r *Room[S, O, P]) Names() []string { return namesOf(r.Rows()) }

func namesOf(rows []Row) []string {
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = row.Name
	}
	return names
}

// Kinds returns the kinds of a set of bits: before a pass, truthful, midway, anything.
func Kinds(bits uint8) (kinds []random.Kind) {
	for i, k := range []random.Kind{random.CaughtUp, random.Truthful, random.Midway, random.Anything} {
		if bits&(1<<i) != 0 {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// SnapshotsOf draws the snapshots of the settings: their own, or of some kinds with equal frequency,
// of all kinds if there are none.
func (r *Room[S, O, P]) SnapshotsOf(set Settings[S, O], kinds []random.Kind) *rapid.Generator[S] {
	switch {
	case set.Snapshots != nil:
		return set.Snapshots
	case len(kinds) == 0:
		kinds = []random.Kind{random.CaughtUp, random.Truthful, random.Midway, random.Anything}
	}
	return Drawn(func(s random.Source) S { return r.Draw(s, random.OneOf(s, "kind", kinds...)) })
}

// Drawn returns a generator of the results of draw. They share no memory, so a planner that writes
// to one does not affect others.
func Drawn[V any](draw func(random.Source) V) *rapid.Generator[V] {
	return random.Custom(func(t random.T) V { return purity.Clone(draw(t)) })
}

// OptionsOf draws the options of the settings: their own, or options for which the invariants hold.
func (r *Room[S, O, P]) OptionsOf(set Settings[S, O]) *rapid.Generator[O] {
	if set.Options != nil {
		return set.Options
	}
	return Drawn(r.Options)
}

// Settings select inputs and checks. The zero Settings select all.
type Settings[S, O any] struct {
	Kinds        []random.Kind
	Snapshots    *rapid.Generator[S] // instead of the kinds
	Options      *rapid.Generator[O] // instead of the room's options
	Only, Except []string
	Strict       bool
}
