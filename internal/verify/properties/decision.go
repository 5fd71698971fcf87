// SPDX-License-Identifier: Apache-2.0

package properties

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/invariant"
)

// A Decision is the function of a package without plans, such as the choice of victims.
type Decision struct {
	Package string // import path
	// Functions maps each input of package invariant to the function that runs its checks.
	Functions map[string]string
}

// Rows returns the checks of the decision.
func (d Decision) Rows() (rows []Row) {
	for _, i := range invariant.All() {
		var on []string
		for _, input := range i.Inputs() {
			if name := d.Functions[input]; name != "" {
				on = append(on, name)
			}
		}
		if len(on) > 0 {
			rows = append(rows, Row{i.Name, i.Title, on})
		}
	}
	return rows
}

// Names returns the names of the checks.
func (d Decision) Names() []string { return namesOf(d.Rows()) }

// A Choice selects checks by name. The zero Choice selects all.
type Choice struct{ Only, Except []string }

// leaves returns the selected names. An unknown name ends the test, since it would select nothing.
func (c Choice) leaves(t rapid.TB, pkg string, all []string) (names []string) {
	t.Helper()
	for _, name := range slices.Concat(c.Only, c.Except) {
		if !slices.Contains(all, name) {
			t.Fatalf("%s: there is no check %q; there are: %s", pkg, name, strings.Join(all, ", "))
		}
	}
	for _, name := range all {
		if (len(c.Only) == 0 || slices.Contains(c.Only, name)) && !slices.Contains(c.Except, name) {
			names = append(names, name)
		}
	}
	return names
}

// Decided checks a decision. from is the input of the decision, for the report.
func Decided[C any](t rapid.TB, d Decision, c *C, from any, choice Choice) {
	t.Helper()
	var lines []string
	for _, name := range choice.leaves(t, d.Package, d.Names()) {
		for _, line := range invariant.Check(name, c) {
			lines = append(lines, "    "+name+": "+line)
		}
	}
	if len(lines) == 0 {
		return
	}
	t.Fatal(fmt.Sprintf("%s:\n%s\nfrom:\n    %s", d.Package, strings.Join(lines, "\n"), encode(from)))
}

// A DecisionPlant is a bug in a decision, and the property that finds it.
type DecisionPlant struct {
	Name, Bug string
	Property  func(Choice) func(*rapid.T)
}

// FindPlants requires that the check of each bug's name alone finds it, and that each check of the
// decisions has a bug.
func FindPlants(t *testing.T, plants []DecisionPlant, decisions ...Decision) {
	all := Decision{Functions: map[string]string{}}
	for _, d := range decisions {
		maps.Copy(all.Functions, d.Functions)
	}
	Compare(t, all.Rows(), all.Found(t, plants))
}

// Found is [FindPlants] for a shared table, see [Room.Found].
func (d Decision) Found(t *testing.T, plants []DecisionPlant) map[string]string {
	bugs := map[string]string{}
	for _, p := range plants {
		bugs[p.Name] = strings.TrimPrefix(bugs[p.Name]+"; "+p.Bug, "; ")
		t.Run(p.Name+": "+p.Bug, func(t *testing.T) {
			found(t, p.Property(Choice{Only: []string{p.Name}}))
		})
	}
	demand(t, d.Rows(), bugs)
	return bugs
}
