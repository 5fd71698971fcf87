// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"slices"

	"github.com/kplan-go/kplan/revision"
)

// inOrder returns the indices of the entries in the order in which kubectl searches a history: the
// old entries, oldest first, and then the entry with the template.
func inOrder(entries []revision.Entry, t revision.Template) []int {
	newest, old := revision.Split(entries, t)
	if newest >= 0 {
		return append(old, newest)
	}
	return old
}

// findEntry returns the index of the first listed entry with the revision number, or -1.
func findEntry(entries []revision.Entry, list []int, number int64) int {
	at := slices.IndexFunc(list, func(i int) bool {
		n, err := revision.Number(entries[i].Annotations)
		return err == nil && n == number
	})
	if at < 0 {
		return -1
	}
	return list[at]
}

// revisionOrder returns the indices of the revisions in the order of [revision.CompareRevisions].
func revisionOrder(revisions []revision.ControllerRevision) []int {
	order := make([]int, len(revisions))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return revision.CompareRevisions(revisions[i], revisions[j]) })
	return order
}
