// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/revision/quirk"
)

// ByRevision returns the indices of the entries by revision, lowest first, and of equal revisions
// oldest first. A missing revision is 0. By default an entry whose revision does not parse comes
// directly before the first entry, in this order, that is younger. If
// quirk.UnreadableRevisionSortsByAge is repaired, its revision is 0.
//
// It mirrors ReplicaSetsByRevision of the deployment util package of Kubernetes, which compares an
// entry whose revision does not parse with all others by age. That comparison can be cyclic, such
// as for revision 3, a younger "bad" and a still younger revision 1. Without a cycle the order is
// upstream's. With a cycle upstream's order depends on the input order, and the order here does
// not: kubernetes/kubernetes#109934.
func ByRevision(entries []Entry, opts Options) []int {
	return order(numberedByAge(entries, opts), 1)
}

// ByLatestRevision is [ByRevision] with the highest revision first. Entries with equal revisions
// are still sorted oldest first, and the place of entries whose revision does not parse is still
// determined by age.
//
// It mirrors ReplicaSetsBySmallerRevision of the deployment util package of OpenKruise
// Rollouts.
func ByLatestRevision(entries []Entry, opts Options) []int {
	return order(numberedByAge(entries, opts), -1)
}

// A numbered is an entry with its revision.
type numbered struct {
	index    int
	age      int // the position in ByAge, 0 for the oldest
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

// order sorts a list, which is sorted by age, by revision, and returns the indices of the entries.
// The lowest revision comes first if direction is 1, the highest if it is -1.
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
