// SPDX-License-Identifier: Apache-2.0

package algebra

import "github.com/kplan-go/kplan/selector"

// And returns the selector of the labels that both a and b select.
func And(a, b selector.Selector) selector.Selector {
	if a.IsNothing() || b.IsNothing() {
		return selector.Nothing()
	}
	return a.Add(b.Requirements()...)
}

// Overlap reports whether a and b both select some labels, and returns the simplest such
// labels. It is exact:
//
//	!tier             and tier notin (db)        overlap in no labels at all
//	env=prod          and env=prod,region=us     overlap in env=prod,region=us
//	app=a,tier in (x) and tier notin (x)         do not
//
// It takes linear time in the requirements and values, except for sorting the values.
func Overlap(a, b selector.Selector) (labels map[string]string, ok bool) {
	return Satisfiable(And(a, b))
}

// Disjoint reports whether a and b have no common labels.
func Disjoint(a, b selector.Selector) bool {
	_, ok := Overlap(a, b)
	return !ok
}
