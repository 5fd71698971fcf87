package revision

import "slices"

// inOrder returns the order in which kubectl looks through a history: old entries by age,
// then the one with the template.
func inOrder(entries []Entry, t Template) []int {
	newest, old := Split(entries, t)
	if newest >= 0 {
		return append(old, newest)
	}
	return old
}

// findEntry returns the first listed entry with a revision, or -1.
func findEntry(entries []Entry, list []int, number int64) int {
	at := slices.IndexFunc(list, func(i int) bool {
		n, err := Number(entries[i].Annotations)
		return err == nil && n == number
	})
	if at < 0 {
		return -1
	}
	return list[at]
}

// revisionOrder returns the indices of the revisions in the order of [CompareRevisions].
func revisionOrder(revisions []ControllerRevision) []int {
	order := make([]int, len(revisions))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return CompareRevisions(revisions[i], revisions[j]) })
	return order
}
