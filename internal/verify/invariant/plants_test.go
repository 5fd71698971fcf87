// SPDX-License-Identifier: Apache-2.0

package invariant_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/purity"
)

// A plant is a possible bug, and a case that shows it.
type plant struct {
	name, bug string
	// run returns the findings of the check in the case without the bug, and with it.
	run func(t *testing.T) (without, with []string)
}

// inPlan plants a bug into the plan that a planner makes of a snapshot.
func inPlan[S, O, P any](name, bug string, planner func(S, time.Time, O) (P, error), s S, o O, change func(*P)) plant {
	return plant{name, bug, func(t *testing.T) (without, with []string) {
		p, err := planner(purity.Clone(s), t0, o)
		require.NoError(t, err)
		good := invariant.Pass[S, O, P]{Snapshot: s, Now: t0, Options: o, Plan: p}
		without = invariant.Check(name, &good)
		p = purity.Clone(p)
		change(&p)
		bad := invariant.Pass[S, O, P]{Snapshot: s, Now: t0, Options: o, Plan: p}
		return without, invariant.Check(name, &bad)
	}}
}

// inPlanner plants a bug into the planner itself.
func inPlanner[S, O, P any](name, bug string, planner func(S, time.Time, O) (P, error), s S, o O, wrap func(func(S, time.Time, O) (P, error)) func(S, time.Time, O) (P, error)) plant {
	return plant{name, bug, func(*testing.T) (without, with []string) {
		good := invariant.Planner[S, O, P]{Snapshot: s, Now: t0, Options: o, Plan: planner}
		bad := invariant.Planner[S, O, P]{Snapshot: s, Now: t0, Options: o, Plan: wrap(planner)}
		return invariant.Check(name, &good), invariant.Check(name, &bad)
	}}
}

// inCase plants a bug into any other input.
func inCase[C any](name, bug string, good C, change func(*C)) plant {
	return plant{name, bug, func(*testing.T) (without, with []string) {
		without = invariant.Check(name, &good)
		bad := good
		change(&bad)
		return without, invariant.Check(name, &bad)
	}}
}

func allPlants() []plant {
	return slices.Concat(universalPlants(), deploymentPlants(), replicaSetPlants(), orderPlants(), daemonSetPlants(), rolloutPlants(), selectorPlants())
}

// TestPlants: each check is silent about a case, and finds the bug that is planted
// into it; and no invariant is without a plant.
func TestPlants(t *testing.T) {
	planted := map[string]bool{}
	for _, p := range allPlants() {
		planted[p.name] = true
		t.Run(p.name+" "+p.bug, func(t *testing.T) {
			without, with := p.run(t)
			require.Empty(t, without, "without the bug")
			require.NotEmpty(t, with, "with the bug")
		})
	}
	for _, i := range invariant.All() {
		require.True(t, planted[i.Name], "%s has no plant", i.Name)
		delete(planted, i.Name)
	}
	require.Empty(t, planted, "plants of no invariant")
}

// TestTable: there are 100 invariants, with all fields that the table needs.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, i := range invariant.All() {
		require.False(t, seen[i.Name], i.Name)
		seen[i.Name] = true
		require.NotEmpty(t, i.Title, i.Name)
		require.NotEmpty(t, i.Source, i.Name)
		require.NotEmpty(t, i.Inputs(), i.Name)
		require.NotContains(t, i.Inputs(), "", "%s: an input has no name", i.Name)
		require.Equal(t, i.Corrected, len(i.Defects) > 0, i.Name)
	}
	require.Len(t, seen, 100)
}

const readme = "README.md"

// TestReadme: the table in README.md matches the code. KPLAN_UPDATE=1 writes it.
func TestReadme(t *testing.T) {
	bugs := map[string][]string{}
	for _, p := range allPlants() {
		bugs[p.name] = append(bugs[p.name], p.bug)
	}
	want := invariant.Markdown("planted bugs", func(i invariant.Invariant) string { return strings.Join(bugs[i.Name], "; ") })
	text, err := os.ReadFile(readme)
	require.NoError(t, err)
	head, _, found := strings.Cut(string(text), "| name |")
	require.True(t, found)
	if os.Getenv("KPLAN_UPDATE") != "" {
		require.NoError(t, os.WriteFile(readme, []byte(head+want), 0o644))
		return
	}
	require.Equal(t, head+want, string(text), "run the test with KPLAN_UPDATE=1")
}

// A counterexample is a case that a defect of upstream breaks.
type counterexample struct {
	name, defect string
	// run returns the findings of the strict check by default, and with the repair.
	run func(t *testing.T) (byDefault, corrected []string)
}

// shows is a counterexample of one pass.
func shows[S, O, P any](name, defect string, planner func(S, time.Time, O) (P, error), s S, byDefault, corrected O) counterexample {
	return counterexample{name, defect, func(t *testing.T) (a, b []string) {
		for _, o := range []O{byDefault, corrected} {
			p, err := planner(purity.Clone(s), t0, o)
			require.NoError(t, err)
			pass := invariant.Pass[S, O, P]{Snapshot: s, Now: t0, Options: o, Plan: p, Strict: true}
			a, b = b, invariant.Check(name, &pass)
		}
		return a, b
	}}
}

// showsAgain is a counterexample of a planner that is called again.
func showsAgain[S, O, P any](name, defect string, planner func(S, time.Time, O) (P, error), s S, byDefault, corrected O) counterexample {
	return counterexample{name, defect, func(*testing.T) (a, b []string) {
		for _, o := range []O{byDefault, corrected} {
			c := invariant.Planner[S, O, P]{Snapshot: s, Now: t0, Options: o, Plan: planner, Strict: true}
			a, b = b, invariant.Check(name, &c)
		}
		return a, b
	}}
}

// TestCounterexamples: each invariant that holds under Corrected only has a case that
// breaks it by default, as the named defect does, and that the repair mends.
func TestCounterexamples(t *testing.T) {
	shown := map[string]bool{}
	for _, c := range counterexamples() {
		shown[c.name+" "+c.defect] = true
		t.Run(c.name+" "+c.defect, func(t *testing.T) {
			byDefault, corrected := c.run(t)
			require.NotEmpty(t, byDefault, "by default")
			require.Empty(t, corrected, "corrected")
		})
	}
	for _, i := range invariant.All() {
		covered := !i.Corrected
		for _, defect := range i.Defects {
			covered = covered || shown[fmt.Sprint(i.Name, " ", defect)]
		}
		require.True(t, covered, "%s has no counterexample", i.Name)
	}
}
