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

// A Planner is what is tested.
type Planner[S, O, P any] = func(S, time.Time, O) (P, error)

// A Room is one kind of planner: how its snapshots come about, and what a plan makes of
// them.
type Room[S, O, P any] struct {
	Package string // as it is imported
	Prefix  string // of the names of its inputs in package invariant, such as "Deployment"
	// Draw and Options draw snapshots, and options for which the invariants are promised.
	Draw    func(random.Source, random.Kind) S
	Options func(random.Source) O
	// Reference is our planner: a snapshot that it plans for must not be refused.
	Reference Planner[S, O, P]
	// Fair carries out plans in a fair cluster until nothing changes any more.
	Fair func(*invariant.Planner[S, O, P]) (invariant.Trace[S, O, P], bool)
	// Actions is how many actions a plan has, and Apply carries out those from one to
	// before another.
	Actions func(*P) int
	Apply   func(p *P, from, to int, s S, now time.Time) (S, error)
	// Finish writes what is not an action: status and tables.
	Finish func(*S, *P)
	// Derive makes of a change the plan that has led to it, as far as one can tell, and
	// Derived names the checks of such a plan.
	Derive  func(before, after *S, o *O) P
	Derived []string
	// Begin makes of a snapshot one that can go on: what the API server would refuse is
	// put right.
	Begin func(*S)
	// World is what happens to a snapshot between two plans, by name.
	World map[string]func(t random.Source, s *S, now time.Time)
	// Drift is by how many pods a planner is wrong that has seen one state while there is the
	// other, after the world has changed it; [Unknown] if something else is wanted. Without
	// it, planners see no old views.
	Drift func(before, after *S) int64
	// Moved is by how many pods writes of a controller have changed the sizes of one state
	// into those of another. Without it, they change nothing that a later plan is wrong about:
	// it remembers them.
	Moved func(before, after *S) int64
	// Blind makes of a state what a controller plans with that has carried out a plan and
	// does not see it yet, but remembers it. Without it, preconditions of its writes are all
	// that it has.
	Blind func(s *S, p *P, now time.Time)
}

// Accepted is the name of the check that planners plan at all.
const Accepted = "snapshots are accepted"

// A Row describes a check.
type Row struct {
	Name    string
	Promise string
	On      []string // the functions that run it
}

// callers says which function of a package runs the checks of which input.
var callers = map[string][]string{
	"Pass": {"Check", "CheckPass", "CheckTrace", "Machine"}, "Planner": {"Check"}, "Trace": {"Check", "CheckTrace"}, "Change": {"CheckChange", "Machine"},
}

// order is that of the callers in a row.
var order = []string{"Check", "CheckPass", "CheckChange", "CheckTrace", "Machine"}

// Rows returns the checks that look at this kind of planner.
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
		if i.Name == "convergence" { // in the end
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

// Snapshots draws snapshots of some kinds, each as often; of all that planners accept if
// there are none.
func (r *Room[S, O, P]) Snapshots(kinds []random.Kind) *rapid.Generator[S] {
	if len(kinds) == 0 {
		kinds = []random.Kind{random.CaughtUp, random.Truthful, random.Midway, random.Anything}
	}
	return Drawn(func(s random.Source) S { return r.Draw(s, random.OneOf(s, "kind", kinds...)) })
}

// Drawn is what a function draws. What is drawn shares no memory with anything else, so
// that a planner which writes to it spoils nothing.
func Drawn[V any](draw func(random.Source) V) *rapid.Generator[V] {
	return random.Custom(func(t random.T) V { return purity.Clone(draw(t)) })
}

// OptionsOf draws options for which the invariants are promised.
func (r *Room[S, O, P]) OptionsOf() *rapid.Generator[O] {
	return Drawn(r.Options)
}

// Settings are what is tried, and which checks look at it. The zero Settings are all.
type Settings[S, O any] struct {
	Kinds        []random.Kind
	Snapshots    *rapid.Generator[S] // instead of those of Kinds
	Options      *rapid.Generator[O] // instead of those of the room
	Only, Except []string
	Strict       bool
}
