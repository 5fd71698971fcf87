// SPDX-License-Identifier: Apache-2.0

package lineup

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/internal/base/tracked"
)

// Two ready pods are mates if they became ready at the same time. Ready pods of equal health, cost,
// neighbours and age are ordered by UID, except that mates are ordered by restarts, creation time
// and so on first. A pod goes only after all mates before it, and so may wait for a mate with a
// later UID.

// mostMates is the maximum number of mates that one choice reads. For more, sorting all pods is
// faster.
const mostMates = 4096

// settled is [Line.foremost] for a line that is not simple. From the first pods by UID it returns
// the pods that do not wait for a mate after the last of them. No other pod goes before one of
// these: it has a later UID than the last, or waits for a pod that has.
func (l *Line) settled(n int) []candidate {
	l.findMates()
	for m := n; 16*m <= l.pods.Len(); m *= 2 { // for more, sorting all pods is faster
		first := l.foremost(m)
		if len(first) < n {
			break
		}
		free, few := l.unheld(first)
		if !few {
			break
		}
		if len(free) >= n {
			return free
		}
	}
	return nil
}

// unheld returns the candidates that do not wait for a mate after the last one. It returns false if
// there are too many mates, or ready times that do not fit a number.
func (l *Line) unheld(first []candidate) (free []candidate, few bool) {
	last, seen := &first[len(first)-1], 0
	behind := map[int64]int32{} // by ready time: the first mate after the last candidate, or -1
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
		mate, known := behind[at]
		if !known {
			mate, seen = l.firstBehind(last, at, seen)
			behind[at] = mate
		}
		if seen > mostMates {
			return nil, false
		}
		if mate < 0 || l.compareInPart(c.pod, mate) < 0 {
			free = append(free, *c)
		}
	}
	return free, true
}

// firstBehind returns the first mate with a ready time that comes after last by UID, or -1, and the
// number of mates that were read so far.
func (l *Line) firstBehind(last *candidate, at int64, seen int) (first int32, _ int) {
	first = -1
	for i := range l.mates.From(func(i int32) bool { instant, _, _ := l.readyAt(i); return instant < at }) {
		instant, _, near := l.readyAt(i)
		if seen++; instant != at || seen > mostMates {
			break
		}
		c := l.candidate(i)
		if near && c.alike(last) && l.compare(&c, last) > 0 && (first < 0 || l.compareInPart(i, first) < 0) {
			first = i
		}
	}
	return first, seen
}

// readyAt returns the ready time of a pod, whether it has one, and whether it fits a number.
func (l *Line) readyAt(i int32) (at int64, ready, near bool) {
	p := l.pods.At(int(i))
	if !p.Ready || p.ReadySince.IsZero() {
		return 0, false, true
	}
	at, near = tracked.Clock(p.ReadySince)
	return at, true, near
}

// compareInPart compares mates in the order of a scale-down.
func (l *Line) compareInPart(i, j int32) int {
	a, b := l.lifeOf(i), l.lifeOf(j)
	return l.compareTurns(&a, &b)
}

// findMates sorts the ready candidates by ready time. After that the line keeps them sorted.
func (l *Line) findMates() {
	if l.mated {
		return
	}
	l.mated = true
	var list []int32
	for i := range l.seats.Len() {
		if _, ready, _ := l.readyAt(int32(i)); ready && l.seats.At(i).place.row() >= 0 {
			list = append(list, int32(i))
		}
	}
	slices.SortFunc(list, l.compareMates)
	for _, i := range list {
		l.mates.Add(i, l.compareMates) // in order, which fills the pages
	}
}

// compareMates compares pods by ready time.
func (l *Line) compareMates(i, j int32) int {
	a, _, _ := l.readyAt(i)
	b, _, _ := l.readyAt(j)
	return cmp.Or(cmp.Compare(a, b), cmp.Compare(i, j))
}

// moveMate gives a candidate the number of a pod that is no candidate. The candidate is still known
// by the old number.
func (l *Line) moveMate(from, to int) {
	if _, ready, _ := l.readyAt(int32(from)); !ready || !l.mated {
		return
	}
	l.mates.Remove(int32(from), l.compareMates)
	at := func(i int32) int64 {
		if i == int32(to) {
			i = int32(from)
		}
		instant, _, _ := l.readyAt(i)
		return instant
	}
	l.mates.Add(int32(to), func(i, j int32) int { return cmp.Or(cmp.Compare(at(i), at(j)), cmp.Compare(i, j)) })
}
