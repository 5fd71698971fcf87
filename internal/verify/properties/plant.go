// SPDX-License-Identifier: Apache-2.0

package properties

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// A Plant is a bug in a planner, and the check that finds it.
type Plant[S, O, P any] struct {
	Name, Bug string
	// Wrap adds the bug to a planner.
	Wrap func(Planner[S, O, P]) Planner[S, O, P]
	// On limits the inputs on which the bug is searched.
	On Settings[S, O]
}

// A silent test discards its log, and does not fail the real test.
type silent struct {
	testing.TB
	failed bool
	text   string
}

func (*silent) Helper()             {}
func (*silent) Name() string        { return "planted bug" }
func (*silent) Log(...any)          {}
func (*silent) Logf(string, ...any) {}
func (s *silent) Failed() bool      { return s.failed }
func (s *silent) Fail()             { s.failed = true }
func (s *silent) Error(args ...any) { s.failed = true; s.text += fmt.Sprint(args...) }
func (s *silent) Errorf(format string, args ...any) {
	s.Error(fmt.Sprintf(format, args...))
}
func (s *silent) FailNow()          { s.failed = true; runtime.Goexit() }
func (s *silent) Fatal(args ...any) { s.Error(args...); s.FailNow() }
func (s *silent) Fatalf(format string, args ...any) {
	s.Fatal(fmt.Sprintf(format, args...))
}

// Said returns the text with which a check ends a test, or "" if it passes.
func Said(check func(t rapid.TB)) string {
	to := &silent{}
	done := make(chan struct{})
	go func() { // Fatal ends the goroutine
		defer close(done)
		check(to)
	}()
	<-done
	return to.text
}

// Cases returns the number of the first case, among at most most, in which a property fails, or 0.
// The cases are the same every time.
func Cases(t testing.TB, property func(*rapid.T), most int) int {
	t.Helper()
	for name, value := range map[string]string{"rapid.seed": "1", "rapid.checks": strconv.Itoa(most), "rapid.nofailfile": "true", "rapid.shrinktime": "0s"} {
		f := flag.Lookup(name)
		before := f.Value.String()
		if err := f.Value.Set(value); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Value.Set(before) }()
	}
	cases, found, to := 0, false, &silent{}
	done := make(chan struct{})
	go func() { // FailNow ends the goroutine
		defer close(done)
		rapid.Check(to, func(rt *rapid.T) {
			if !found {
				cases++
			}
			defer func() { found = found || rt.Failed() }()
			property(rt)
		})
	}()
	<-done
	switch {
	case to.failed && !found:
		t.Fatal(to.text) // a panic, or no case could be drawn
	case !found:
		return 0
	}
	return cases
}

// FindPlants plants each bug in our planner, and requires that the check of its name alone finds it
// and that each check has a bug.
func (r *Room[S, O, P]) FindPlants(t *testing.T, plants []Plant[S, O, P]) {
	Compare(t, r.Rows(), r.Found(t, plants))
}

// Found is [Room.FindPlants] for a room that shares its table with others. It returns the bugs by
// the names of their checks.
func (r *Room[S, O, P]) Found(t *testing.T, plants []Plant[S, O, P]) map[string]string {
	bugs := map[string]string{}
	for _, p := range plants {
		bugs[p.Name] = strings.TrimPrefix(bugs[p.Name]+"; "+p.Bug, "; ")
		t.Run(p.Name+": "+p.Bug, func(t *testing.T) {
			set := p.On
			set.Only = []string{p.Name}
			found(t, r.Property(p.Wrap(r.Reference), set))
		})
	}
	demand(t, r.Rows(), bugs)
	return bugs
}

// demand requires a bug for each check.
func demand(t *testing.T, rows []Row, bugs map[string]string) {
	t.Helper()
	for _, row := range rows {
		if bugs[row.Name] == "" {
			t.Errorf("%s has no planted bug", row.Name)
		}
	}
}

// Loops returns a property that runs CheckTrace on a planner in a fair cluster, until nothing
// changes any more.
func (r *Room[S, O, P]) Loops(plan Planner[S, O, P], set Settings[S, O]) func(*rapid.T) {
	return func(t *rapid.T) {
		s, o := r.look(t, set).draw(t, set.Kinds)
		trace, ok := r.Fair(&invariant.Planner[S, O, P]{Snapshot: s, Now: random.Now, Options: o, Plan: plan})
		if !ok {
			return
		}
		var passes []Pass[S, O, P]
		for i := range trace.Passes {
			p := &trace.Passes[i]
			passes = append(passes, Pass[S, O, P]{Snapshot: p.Snapshot, Now: p.Now, Options: p.Options, Plan: p.Plan})
		}
		r.CheckTrace(t, passes, true, set)
	}
}

// found requires that a property fails.
func found(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	n := Cases(t, property, 2000)
	if n == 0 {
		t.Fatal("not found in 2000 cases")
	}
	t.Logf("found in case %d", n)
}

// Compare compares the table in README.md with the code. With KPLAN_UPDATE set, it writes the
// table.
func Compare(t *testing.T, rows []Row, bugs map[string]string) {
	t.Helper()
	const name, heading = "README.md", "| check |"
	var b strings.Builder
	fmt.Fprintf(&b, "%s promises that | run by | finds the planted bug |\n|---|---|---|---|\n", heading)
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", row.Name, row.Promise, strings.Join(row.On, ", "), bugs[row.Name])
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, _, found := strings.Cut(string(text), heading)
	switch {
	case !found:
		t.Fatalf("%s has no table that begins with %q", name, heading)
	case os.Getenv("KPLAN_UPDATE") != "":
		if err := os.WriteFile(name, []byte(head+b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	case string(text) != head+b.String():
		t.Errorf("the table of %s is not that of the code: run the test with KPLAN_UPDATE=1", name)
	}
}
