// SPDX-License-Identifier: Apache-2.0

package selector

import "slices"

// An Index finds the selectors that select given labels without trying all of them. It is
// immutable.
type Index struct {
	selectors []Selector
	anchored  map[string]map[string][]int32 // by key and value: selectors that require one of some values of key
	others    []int32                       // selectors that are always tried
}

// NewIndex indexes selectors, and keeps the slice. Each selector is filed under the values of
// one required label, the one that the fewest other selectors require; selectors that require
// no value are always tried.
func NewIndex(selectors []Selector) *Index {
	x := &Index{selectors: selectors, anchored: map[string]map[string][]int32{}}
	demand := map[string]map[string]int{}
	for i := range selectors {
		for _, r := range selectors[i].requirements {
			eachDemanded(&r, func(value string) {
				if demand[r.key] == nil {
					demand[r.key] = map[string]int{}
				}
				demand[r.key][value]++
			})
		}
	}
	for i := range selectors {
		x.file(int32(i), demand)
	}
	return x
}

func eachDemanded(r *Requirement, visit func(value string)) {
	switch r.test {
	case testEqual:
		visit(r.value)
	case testIn:
		for _, v := range slices.Compact(slices.Sorted(slices.Values(r.values))) {
			visit(v)
		}
	}
}

// file files one selector under its rarest requirement.
func (x *Index) file(i int32, demand map[string]map[string]int) {
	s := x.selectors[i]
	if s.IsNothing() {
		return
	}
	best, fewest := -1, 0
	for j := range s.requirements {
		r, n := &s.requirements[j], 0
		eachDemanded(r, func(value string) { n += demand[r.key][value] })
		if n > 0 && (best < 0 || n < fewest) {
			best, fewest = j, n
		}
	}
	if best < 0 {
		x.others = append(x.others, i)
		return
	}
	r := &s.requirements[best]
	eachDemanded(r, func(value string) {
		if x.anchored[r.key] == nil {
			x.anchored[r.key] = map[string][]int32{}
		}
		x.anchored[r.key][value] = append(x.anchored[r.key][value], i)
	})
}

// Matching appends to found the numbers of the selectors that select the labels, in order,
// and returns the result.
func (x *Index) Matching(labels map[string]string, found []int) []int {
	start := len(found)
	for _, i := range x.others {
		if x.selectors[i].Matches(labels) {
			found = append(found, int(i))
		}
	}
	for key, byValue := range x.anchored {
		value, present := labels[key]
		if !present {
			continue
		}
		for _, i := range byValue[value] {
			if x.selectors[i].Matches(labels) {
				found = append(found, int(i))
			}
		}
	}
	slices.Sort(found[start:])
	return found
}
