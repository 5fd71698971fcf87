// SPDX-License-Identifier: Apache-2.0

package properties

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/random"
)

// InPlan plants a bug into the plans of a planner.
func (r *Room[S, O, P]) InPlan(name, bug string, change func(s *S, p *P)) Plant[S, O, P] {
	return Plant[S, O, P]{Name: name, Bug: bug, Wrap: func(plan Planner[S, O, P]) Planner[S, O, P] {
		return func(s S, now time.Time, o O) (P, error) {
			p, err := plan(s, now, o)
			if err == nil {
				change(&s, &p)
			}
			return p, err
		}
	}}
}

// InView plants a bug into the input that a planner sees.
func (r *Room[S, O, P]) InView(name, bug string, change func(s *S, now *time.Time, o *O)) Plant[S, O, P] {
	return Plant[S, O, P]{Name: name, Bug: bug, Wrap: func(plan Planner[S, O, P]) Planner[S, O, P] {
		return func(s S, now time.Time, o O) (P, error) {
			change(&s, &now, &o)
			return plan(s, now, o)
		}
	}}
}

// Refusal plants an error for some snapshots.
func (r *Room[S, O, P]) Refusal(bug string, refused func(*S) bool) Plant[S, O, P] {
	return Plant[S, O, P]{Name: Accepted, Bug: bug, Wrap: func(plan Planner[S, O, P]) Planner[S, O, P] {
		return func(s S, now time.Time, o O) (none P, err error) {
			if refused(&s) {
				return none, errors.New("refused")
			}
			return plan(s, now, o)
		}
	}}
}

var calls atomic.Int32

// Impurities are bugs that any planner can have, with a number that mark writes into a plan.
func (r *Room[S, O, P]) Impurities(mark func(p *P, n int32)) []Plant[S, O, P] {
	return []Plant[S, O, P]{
		r.InPlan("determinism", "calls are counted", func(_ *S, p *P) { mark(p, calls.Add(1)) }),
		{Name: "time shift", Bug: "the time of day decides", Wrap: func(plan Planner[S, O, P]) Planner[S, O, P] {
			return func(s S, now time.Time, o O) (P, error) {
				p, err := plan(s, now, o)
				mark(&p, int32(now.Unix()%1000))
				return p, err
			}
		}},
	}
}

// Each changes the elements of type A of a list, such as the actions of a plan.
func Each[A, T any](list []T, change func(*A)) {
	for i, element := range list {
		if a, ok := any(element).(A); ok {
			change(&a)
			list[i] = any(a).(T)
		}
	}
}

// Without returns the elements of a list that are not of type A, or that gone does not select.
func Without[A, T any](list []T, gone func(A) bool) []T {
	return slices.DeleteFunc(list, func(element T) bool { a, ok := any(element).(A); return ok && gone(a) })
}

// Elsewhere requires that the bugs with the names machine are found by the machine, those with the
// names trace by CheckTrace, and those that need no plan by CheckChange.
func (r *Room[S, O, P]) Elsewhere(t *testing.T, plants []Plant[S, O, P], machine, trace []string) {
	try := func(p Plant[S, O, P], by string, property func(*rapid.T), cases int) {
		t.Run(by+" "+p.Name, func(t *testing.T) {
			if Cases(t, property, cases) == 0 {
				t.Fatalf("not found in %d cases", cases)
			}
		})
	}
	for _, p := range plants {
		plan, only := p.Wrap(r.Reference), Settings[S, O]{Only: []string{p.Name}}
		if slices.Contains(machine, p.Name) {
			try(p, "machine", r.Machine(plan, only), 300)
		}
		if slices.Contains(trace, p.Name) {
			try(p, "trace", r.Loops(plan, only), 300)
		}
		if slices.Contains(r.Derived, p.Name) {
			try(p, "change", r.Changes(plan, only, nil), 3000)
		}
	}
}

// Changes returns a property that runs CheckChange on the effects of a planner's plans. Only the
// number of actions that partly draws are carried out, or all if it is nil.
func (r *Room[S, O, P]) Changes(plan Planner[S, O, P], set Settings[S, O], partly func(t *rapid.T, actions int) int) func(*rapid.T) {
	return func(t *rapid.T) {
		s, o := r.look(t, set).draw(t, set.Kinds)
		p, err := plan(s, random.Now, o)
		if err != nil {
			return
		}
		all := r.Actions(&p)
		n := all
		if partly != nil {
			n = partly(t, all)
		}
		after, err := r.Apply(&p, 0, n, s, random.Now)
		if err != nil {
			return
		}
		if n == all {
			r.Finish(&after, &p)
		}
		r.CheckChange(t, Change[S, O]{Before: s, After: after, Now: random.Now, Options: o, Partial: n < all}, set)
	}
}

// Sound requires that all checks pass our planner: on snapshots, as a machine, in loops, with its
// plans as changes, completely or in part, and strictly with all repairs, on snapshots of some kinds
// or of all.
func (r *Room[S, O, P]) Sound(t *testing.T, repaired O, kinds ...random.Kind) {
	all, strict := Settings[S, O]{}, Settings[S, O]{Strict: true, Kinds: kinds, Options: rapid.Just(repaired)}
	t.Run("check", func(t *testing.T) { rapid.Check(t, r.Property(r.Reference, all)) })
	t.Run("machine", func(t *testing.T) { rapid.Check(t, r.Machine(r.Reference, all)) })
	t.Run("loop", func(t *testing.T) { rapid.Check(t, r.Loops(r.Reference, all)) })
	t.Run("strict", func(t *testing.T) { rapid.Check(t, r.Property(r.Reference, strict)) })
	if r.Derive != nil {
		partly := func(t *rapid.T, n int) int { return rapid.IntRange(0, n).Draw(t, "actions carried out") }
		t.Run("changes", func(t *testing.T) { rapid.Check(t, r.Changes(r.Reference, all, partly)) })
	}
}

// Finds requires that a check reports these violations.
func (r *Room[S, O, P]) Finds(t *testing.T, want string, check func(t rapid.TB)) {
	t.Helper()
	text, _, _ := strings.Cut(Said(check), "plan:\n")
	if text = strings.TrimPrefix(text, r.Package+":"); text != want {
		t.Errorf("found %q, want %q", text, want)
	}
}
