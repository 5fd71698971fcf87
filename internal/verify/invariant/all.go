// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// table holds all invariants. It is built once and never written to.
var table = slices.Concat(universal(), deployment(), replicaSet(), order(), daemonSet(), progressive(), selectors())

// All returns the invariants, group by group.
func All() []Invariant { return slices.Clone(table) }

// Inputs returns the names of the inputs of an invariant's checks.
func (i Invariant) Inputs() []string {
	names := make([]string, len(i.checks))
	for k, c := range i.checks {
		names[k] = inputs[c.input()]
	}
	return names
}

// Run returns the violations of all checks for the type C.
func Run[C any](c *C) []Violation {
	var found []Violation
	for i := range table {
		for _, line := range table[i].run(c) {
			found = append(found, Violation{table[i].Name, line})
		}
	}
	return found
}

// Check returns the violations of one invariant. There are none if it does not exist or has no
// check for the type C.
func Check[C any](name string, c *C) []string {
	for i := range table {
		if table[i].Name == name {
			return table[i].run(c)
		}
	}
	return nil
}

// Markdown returns the invariants as a table, with a column of the caller's.
func Markdown(heading string, column func(Invariant) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| name | invariant | checked on | corrected only | %s |\n|---|---|---|---|---|\n", heading)
	for _, i := range table {
		where := slices.Concat(i.Inputs(), i.Elsewhere)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", i.Name, i.Title, strings.Join(where, ", "), strings.Join(i.Defects, ", "), column(i))
	}
	return b.String()
}

// inputs names the input types of the checks.
var inputs = map[reflect.Type]string{
	reflect.TypeFor[DeploymentPass]():    "DeploymentPass",
	reflect.TypeFor[DeploymentPlanner](): "DeploymentPlanner",
	reflect.TypeFor[DeploymentTrace]():   "DeploymentTrace",
	reflect.TypeFor[DeploymentChange]():  "DeploymentChange",
	reflect.TypeFor[Collision]():         "Collision",
	reflect.TypeFor[ReplicaSetPass]():    "ReplicaSetPass",
	reflect.TypeFor[ReplicaSetPlanner](): "ReplicaSetPlanner",
	reflect.TypeFor[ReplicaSetTrace]():   "ReplicaSetTrace",
	reflect.TypeFor[ReplicaSetChange]():  "ReplicaSetChange",
	reflect.TypeFor[SlowStart]():         "SlowStart",
	reflect.TypeFor[Expecting]():         "Expecting",
	reflect.TypeFor[Finished]():          "Finished",
	reflect.TypeFor[Choosing]():          "Choosing",
	reflect.TypeFor[Pausing]():           "Pausing",
	reflect.TypeFor[Costing]():           "Costing",
	reflect.TypeFor[DaemonSetPass]():     "DaemonSetPass",
	reflect.TypeFor[DaemonSetPlanner]():  "DaemonSetPlanner",
	reflect.TypeFor[DaemonSetTrace]():    "DaemonSetTrace",
	reflect.TypeFor[DaemonSetChange]():   "DaemonSetChange",
	reflect.TypeFor[RolloutPass]():       "RolloutPass",
	reflect.TypeFor[RolloutPlanner]():    "RolloutPlanner",
	reflect.TypeFor[BatchPass]():         "BatchPass",
	reflect.TypeFor[BatchPlanner]():      "BatchPlanner",
	reflect.TypeFor[ArgoPass]():          "ArgoPass",
	reflect.TypeFor[ArgoPlanner]():       "ArgoPlanner",
	reflect.TypeFor[ArgoChange]():        "ArgoChange",
	reflect.TypeFor[Release]():           "Release",
	reflect.TypeFor[Partitioning]():      "Partitioning",
	reflect.TypeFor[Selecting]():         "Selecting",
	reflect.TypeFor[Claiming]():          "Claiming",
	reflect.TypeFor[Hashing]():           "Hashing",
	reflect.TypeFor[Versioning]():        "Versioning",
}
