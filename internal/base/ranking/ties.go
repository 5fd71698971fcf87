// SPDX-License-Identifier: Apache-2.0

package ranking

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/internal/base/tracked"
)

// Two ready pods are tied if they became ready at the same time. The list orders ready pods of equal
// health, cost, neighbours and age bucket by UID. A scale-down orders tied pods by restarts, creation
// time and so on, and by UID only then. A pod is deleted after all tied pods before it, so it may
// wait for a tied pod with a later UID.

// maxTies is the maximum number of tied pods that one choice reads. For more, sorting all pods is
// faster.
const maxTies = 4096

// firstWithTies is [List.firstByRank] for a list that is not simple. From the first pods by UID it
// returns the pods that do not wait for a tied pod after the last of them. No other pod goes before
// one of these: it has a later UID than the last, or waits for a pod that has.
func (l *List) firstWithTies(n int) []candidate {
	l.buildByReady()
	for m := n; 16*m <= l.pods.Len(); m *= 2 { // for more, sorting all pods is faster
		first := l.firstByRank(m)
		if len(first) < n {
			break
		}
		free, few := l.unblocked(first)
		if !few {
			break
		}
		if len(free) >= n {
			return free
		}
	}
	return nil
}

// unblocked returns the candidates that do not wait for a tied pod after the last one. It returns
// false if there are too many tied pods, or ready times that do not fit a number.
func (l *List) unblocked(first []candidate) (free []candidate, few bool) {
	last, seen := &first[len(first)-1], 0
	blockers := map[int64]int32{} // by ready time: the first tied pod after the last candidate, or -1
	for k := range first {
		c := &first[k]
		at, ready, near := l.readyAt(c.pod)
		if !ready || !c.alike(last) {
			free = append(free, *c)
			continue
		}
		if !near {
			return nil, false
		}
		blocker, known := blockers[at]
		if !known {
			blocker, seen = l.firstTieAfter(last, at, seen)
			blockers[at] = blocker
		}
		if seen > maxTies {
			return nil, false
		}
		if blocker < 0 || l.compareTied(c.pod, blocker) < 0 {
			free = append(free, *c)
		}
	}
	return free, true
}

// firstTieAfter returns the first of the pods with a ready time that come after last by UID, or -1,
// and the number of tied pods that were read so far.
func (l *List) firstTieAfter(last *candidate, at int64, seen int) (first int32, _ int) {
	first = -1
	for i := range l.byReady.From(func(i int32) bool { instant, _, _ := l.readyAt(i); return instant < at }) {
		instant, _, near := l.readyAt(i)
		if seen++; instant != at || seen > maxTies {
			break
		}
		c := l.candidate(i)
		if near && c.alike(last) && l.compare(&c, last) > 0 && (first < 0 || l.compareTied(i, first) < 0) {
			first = i
		}
	}
	return first, seen
}

// readyAt returns the ready time of a pod, whether it has one, and whether it fits a number.
func (l *List) readyAt(i int32) (at int64, ready, near bool) {
	p := l.pods.At(int(i))
	if !p.Ready || p.ReadySince.IsZero() {
		return 0, false, true
	}
	at, near = tracked.Clock(p.ReadySince)
	return at, true, near
}

// compareTied compares tied pods in the order of a scale-down.
func (l *List) compareTied(i, j int32) int {
	a, b := l.tieRank(i), l.tieRank(j)
	return l.compareRanks(&a, &b)
}

// buildByReady sorts the ready candidates by ready time. After that the list keeps them sorted.
func (l *List) buildByReady() {
	if l.byReadyBuilt {
		return
	}
	l.byReadyBuilt = true
	var list []int32
	for i := range l.slots.Len() {
		if _, ready, _ := l.readyAt(int32(i)); ready && l.slots.At(i).place.row() >= 0 {
			list = append(list, int32(i))
		}
	}
	slices.SortFunc(list, l.compareReady)
	for _, i := range list {
		l.byReady.Add(i, l.compareReady) // in order, which fills the pages
	}
}

// compareReady compares pods by ready time.
func (l *List) compareReady(i, j int32) int {
	a, _, _ := l.readyAt(i)
	b, _, _ := l.readyAt(j)
	return cmp.Or(cmp.Compare(a, b), cmp.Compare(i, j))
}

// renumberReady gives a candidate the number of a pod that is no candidate. The candidate is still
// known by the old number.
func (l *List) renumberReady(from, to int) {
	if _, ready, _ := l.readyAt(int32(from)); !ready || !l.byReadyBuilt {
		return
	}
	l.byReady.Remove(int32(from), l.compareReady)
	at := func(i int32) int64 {
		if i == int32(to) {
			i = int32(from)
		}
		instant, _, _ := l.readyAt(i)
		return instant
	}
	l.byReady.Add(int32(to), func(i, j int32) int { return cmp.Or(cmp.Compare(at(i), at(j)), cmp.Compare(i, j)) })
}
