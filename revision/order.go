// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/revision/quirk"
)

// ByRevision returns the indices of the entries by revision and then age, lowest and oldest
// first. A missing revision is 0. An entry whose revision does not parse is sorted by age
// alone; if quirk.UnreadableRevisionSortsByAge is repaired, the revision is 0.
//
// It mirrors ReplicaSetsByRevision of the deployment util package of Kubernetes, which
// compares an entry whose revision does not parse with every other by age. Its comparison
// can be cyclic: revision 3, then a younger "bad", then a still younger revision 1. Without
// a cycle the order here is upstream's, and with one it is deterministic:
// kubernetes/kubernetes#109934.
func ByRevision(entries []Entry, opts Options) []int {
	return order(numberedByAge(entries, opts), 1)
}

// ByLatestRevision is [ByRevision] with the highest revision first. Entries with equal
// revisions, or with a revision that does not parse, are still sorted oldest first.
//
// It mirrors ReplicaSetsBySmallerRevision of the deployment util package of OpenKruise
// Rollouts.
func ByLatestRevision(entries []Entry, opts Options) []int {
	return order(numberedByAge(entries, opts), -1)
}

// A numbered is an entry with its revision.
type numbered struct {
	index    int
	age      int // the rank by age, 0 for the oldest
	number   int64
	unusable bool // the revision does not parse
}

// numberedByAge returns the entries with their revisions, oldest first.
func numberedByAge(entries []Entry, opts Options) []numbered {
	list := make([]numbered, len(entries))
	for age, i := range ByAge(entries) {
		n, err := opts.Keys.number(entries[i].Annotations)
		list[age] = numbered{index: i, age: age, number: n, unusable: err != nil && !opts.Repair.Has(quirk.UnreadableRevisionSortsByAge)}
	}
	return list
}

// order returns the indices of a list, which is sorted oldest first, by revision; with a
// direction of -1 the highest revision comes first.
func order(list []numbered, direction int) []int {
	usable := slices.DeleteFunc(slices.Clone(list), func(c numbered) bool { return c.unusable })
	slices.SortFunc(usable, func(a, b numbered) int {
		return cmp.Or(direction*cmp.Compare(a.number, b.number), cmp.Compare(a.age, b.age))
	})
	if len(list) == 0 {
		return nil
	}
	merged := make([]int, 0, len(list))
	next := func() { merged, usable = append(merged, usable[0].index), usable[1:] }
	for _, c := range list {
		if !c.unusable {
			continue
		}
		for len(usable) > 0 && usable[0].age < c.age {
			next()
		}
		merged = append(merged, c.index)
	}
	for len(usable) > 0 {
		next()
	}
	return merged
}
