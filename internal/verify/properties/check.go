// SPDX-License-Identifier: Apache-2.0

package properties

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// A looker runs the selected checks on snapshots of one kind.
type looker[S, O, P any] struct {
	room  *Room[S, O, P]
	set   Settings[S, O]
	names []string
}

// look returns a looker for the settings. It ends the test if they name an unknown check.
func (r *Room[S, O, P]) look(t rapid.TB, set Settings[S, O]) *looker[S, O, P] {
	t.Helper()
	return &looker[S, O, P]{room: r, set: set, names: Choice{set.Only, set.Except}.leaves(t, r.Package, r.Names())}
}

// draw draws a snapshot and options.
func (l *looker[S, O, P]) draw(t *rapid.T, kinds []random.Kind) (S, O) {
	return l.room.SnapshotsOf(l.set, kinds).Draw(t, "snapshot"), l.room.OptionsOf(l.set).Draw(t, "options")
}

// run runs the checks of an input, and returns the violations.
func run[S, O, P, C any](l *looker[S, O, P], c *C) (found []invariant.Violation) {
	for _, name := range l.names {
		for _, line := range invariant.Check(name, c) {
			found = append(found, invariant.Violation{Name: name, Detail: line})
		}
	}
	return found
}

// A Pass is one call of a planner and its result.
type Pass[S, O, P any] struct {
	Snapshot S
	Now      time.Time
	Options  O
	Plan     P
}

func (l *looker[S, O, P]) pass(p *Pass[S, O, P]) *invariant.Pass[S, O, P] {
	return &invariant.Pass[S, O, P]{Snapshot: p.Snapshot, Now: p.Now, Options: p.Options, Plan: p.Plan, Strict: l.set.Strict}
}

// report ends the test if there are violations.
func (l *looker[S, O, P]) report(t rapid.TB, found []invariant.Violation, p *Pass[S, O, P]) {
	t.Helper()
	if len(found) == 0 {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n", l.room.Package)
	for _, v := range found {
		fmt.Fprintf(&b, "    %s\n", v)
	}
	fmt.Fprintf(&b, "plan:\n    %s\n", strings.ReplaceAll(fmt.Sprint(p.Plan), "\n", "\n    "))
	fmt.Fprintf(&b, "at %s, with options %s, for the snapshot\n    %s", p.Now.Format(time.RFC3339Nano), encode(p.Options), encode(p.Snapshot))
	t.Fatal(b.String())
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// CheckPass checks one plan.
func (r *Room[S, O, P]) CheckPass(t rapid.TB, p Pass[S, O, P], set Settings[S, O]) {
	t.Helper()
	l := r.look(t, set)
	l.report(t, run(l, l.pass(&p)), &p)
}

// CheckTrace checks each pass of a loop, and the loop as a whole.
func (r *Room[S, O, P]) CheckTrace(t rapid.TB, passes []Pass[S, O, P], fair bool, set Settings[S, O]) {
	t.Helper()
	l := r.look(t, set)
	trace := invariant.Trace[S, O, P]{Fair: fair, Strict: set.Strict}
	for i := range passes {
		p := &passes[i]
		trace.Passes = append(trace.Passes, *l.pass(p))
		if found := run(l, l.pass(p)); len(found) > 0 {
			t.Logf("pass %d of %d", i+1, len(passes))
			l.report(t, found, p)
		}
	}
	if len(passes) > 0 {
		last := &passes[len(passes)-1]
		l.report(t, run(l, &trace), last)
	}
}

// A Change is the true state before and after the writes of one pass.
type Change[S, O any] struct {
	Before, After S
	Now           time.Time
	Options       O
	Partial       bool // only some of the writes were made
	Slack         int64
}

// CheckChange checks the writes of a controller that has no plan.
func (r *Room[S, O, P]) CheckChange(t rapid.TB, c Change[S, O], set Settings[S, O]) {
	t.Helper()
	if r.Derive == nil {
		t.Fatalf("%s: no check of these planners looks at a change", r.Package)
	}
	l := r.look(t, set)
	before, after := purity.Clone(c.Before), purity.Clone(c.After)
	p := Pass[S, O, P]{Snapshot: before, Now: c.Now, Options: c.Options, Plan: r.Derive(&before, &after, &c.Options)}
	found := run(l, &invariant.Change[S, O, P]{Pass: *l.pass(&p), Before: before, After: after, Slack: c.Slack})
	if !c.Partial && c.Slack == 0 {
		derived := *l
		derived.names = slices.DeleteFunc(slices.Clone(l.names), func(name string) bool { return !slices.Contains(r.Derived, name) })
		found = append(found, run(&derived, l.pass(&p))...)
	}
	l.report(t, found, &p)
}

// Property returns the property that Check checks.
func (r *Room[S, O, P]) Property(plan Planner[S, O, P], set Settings[S, O]) func(*rapid.T) {
	return func(t *rapid.T) {
		l := r.look(t, set)
		s, o := l.draw(t, set.Kinds)
		p := Pass[S, O, P]{Snapshot: s, Now: random.Now, Options: o}
		if !l.planned(t, &p, plan) {
			return
		}
		l.report(t, run(l, l.pass(&p)), &p)
		planner := invariant.Planner[S, O, P]{Snapshot: s, Now: p.Now, Options: o, Plan: plan, Strict: set.Strict}
		l.report(t, run(l, &planner), &p)
		if trace, ok := r.Fair(&planner); ok {
			l.report(t, run(l, &trace), &p)
		}
	}
}

// planned calls the planner on a copy of the snapshot, and reports whether there is a plan to
// check. An error is a violation if our planner returns none. A panic is reported by its own check.
func (l *looker[S, O, P]) planned(t *rapid.T, p *Pass[S, O, P], plan Planner[S, O, P]) bool {
	t.Helper()
	var err error
	panics := func() (panics bool) {
		defer func() { panics = recover() != nil }()
		p.Plan, err = plan(purity.Clone(p.Snapshot), p.Now, p.Options)
		return false
	}()
	if panics {
		planner := invariant.Planner[S, O, P]{Snapshot: p.Snapshot, Now: p.Now, Options: p.Options, Plan: plan}
		l.report(t, run(l, &planner), p)
		return false
	}
	if err == nil {
		return true
	}
	if _, ours := l.room.Reference(purity.Clone(p.Snapshot), p.Now, p.Options); ours == nil && slices.Contains(l.names, Accepted) {
		l.report(t, []invariant.Violation{{Name: Accepted, Detail: err.Error()}}, p)
	}
	return false
}
