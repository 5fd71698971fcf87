// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/algebra"
)

// A Conflict is a pair of controllers that may both claim the same orphan.
type Conflict struct {
	A, B int // their numbers, A < B
	// Certain means that one of them selects the objects that the other creates. Otherwise
	// the labels of an object must be set by a user or another program before both claim it.
	Certain bool
	Labels  map[string]string // labels that both select
}

// Conflicts returns the pairs of controllers with overlapping selectors in one namespace, in
// order. Objects that already have a controller are safe from such a conflict; orphans are
// not, and neither are tools that use only the selectors.
//
// In each namespace Conflicts uses the label that the most controllers require: pairs that
// require different values of it are skipped, all other pairs are compared.
func Conflicts(controllers []Controller) []Conflict {
	var found []Conflict
	for _, group := range byNamespace(controllers) {
		found = append(found, conflictsIn(controllers, group)...)
	}
	slices.SortFunc(found, func(a, b Conflict) int {
		return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	return found
}

// byNamespace returns the numbers of the controllers of each namespace.
func byNamespace(controllers []Controller) [][]int {
	place := map[string]int{}
	var groups [][]int
	for i := range controllers {
		ns := controllers[i].Owner.Namespace
		p, ok := place[ns]
		if !ok {
			p = len(groups)
			place[ns] = p
			groups = append(groups, nil)
		}
		groups[p] = append(groups[p], i)
	}
	return groups
}

func conflictsIn(controllers []Controller, group []int) []Conflict {
	key := commonKey(controllers, group)
	byValue := map[string][]int{}
	var free []int // controllers that require no value of key
	for _, i := range group {
		values, ok := demanded(controllers[i].Owner.Selector, key)
		if !ok {
			free = append(free, i)
		}
		for _, v := range values {
			byValue[v] = append(byValue[v], i)
		}
	}
	var found []Conflict
	tried := make(map[int]int, len(group)) // the last controller each was compared with
	try := func(a, b int) {
		if last, ok := tried[b]; a < b && (!ok || last != a) {
			tried[b] = a
			if c, ok := conflict(controllers, a, b); ok {
				found = append(found, c)
			}
		}
	}
	for _, a := range group {
		values, ok := demanded(controllers[a].Owner.Selector, key)
		if !ok {
			for _, b := range group {
				try(a, b)
			}
			continue
		}
		for _, v := range values {
			for _, b := range byValue[v] {
				try(a, b)
			}
		}
		for _, b := range free {
			try(a, b)
		}
	}
	return found
}

// commonKey returns the key for which the most selectors require a value, and the smallest of
// several.
func commonKey(controllers []Controller, group []int) string {
	count := map[string]int{}
	for _, i := range group {
		last := ""
		for _, r := range controllers[i].Owner.Selector.Requirements() {
			if listsValues(r) && r.Key() != last {
				last = r.Key()
				count[last]++
			}
		}
	}
	best := ""
	for key, n := range count {
		if n > count[best] || n == count[best] && key < best {
			best = key
		}
	}
	return best
}

// listsValues reports whether a requirement allows only the listed values.
func listsValues(r selector.Requirement) bool {
	return r.Op() == selector.OpIn || r.Op() == selector.OpEquals || r.Op() == selector.OpDoubleEquals
}

// demanded returns the values that the first requirement with a list of values allows for
// key. It returns false if there is no such requirement, except for Nothing, which allows no
// values.
func demanded(s selector.Selector, key string) ([]string, bool) {
	for _, r := range s.Requirements() {
		if r.Key() == key && listsValues(r) {
			return slices.Compact(slices.Sorted(slices.Values(r.Values()))), true
		}
	}
	return nil, s.IsNothing()
}

func conflict(controllers []Controller, a, b int) (Conflict, bool) {
	x, y := &controllers[a], &controllers[b]
	for _, created := range []map[string]string{x.TemplateLabels, y.TemplateLabels} {
		if len(created) > 0 && x.Owner.Selector.Matches(created) && y.Owner.Selector.Matches(created) {
			return Conflict{A: a, B: b, Certain: true, Labels: selector.MergeLabels(nil, created)}, true
		}
	}
	labels, ok := algebra.Overlap(x.Owner.Selector, y.Owner.Selector)
	return Conflict{A: a, B: b, Labels: labels}, ok
}
