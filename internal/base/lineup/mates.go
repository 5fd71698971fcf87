// SPDX-License-Identifier: Apache-2.0

package lineup

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/internal/base/tracked"
)

// Ready pods of one health, with as many neighbours and of ages alike go by their UIDs, but for mates,
// which became ready at one instant: of these go those first that have restarted most, and so on, and
// each not before those that are in front of it. So a pod may wait for a mate with a later UID.

// mostMates is how many mates are looked at for one choice, which is quicker than to look at all pods.
const mostMates = 4096

// settled is [Line.foremost] of a line that is not simple: of the first pods by UID those that wait for no
// mate behind the last of them. None of all others goes before one of these: each has a UID
// behind the last, or waits for somebody who has, which none of these does.
func (l *Line) settled(n int) []candidate {
	l.findMates()
	for m := n; 16*m <= l.pods.Len(); m *= 2 { // behind which all pods together are quicker
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

// unheld returns those of the first candidates that wait for no mate behind the last of them. It is false
// if there are too many mates to tell, or times that are not told apart.
func (l *Line) unheld(first []candidate) (free []candidate, few bool) {
	last, seen := &first[len(first)-1], 0
	behind := map[int64]int32{} // by instant: the mate behind the last that goes first, -1 for none
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

// firstBehind returns which of the pods of an instant that are behind the last one, by UID, goes first,
// -1 if there is none, and how many have been seen.
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

// readyAt returns when a pod became ready, if it is and has such a time, and whether that fits a number.
func (l *Line) readyAt(i int32) (at int64, ready, near bool) {
	p := l.pods.At(int(i))
	if !p.Ready || p.ReadySince.IsZero() {
		return 0, false, true
	}
	at, near = tracked.Clock(p.ReadySince)
	return at, true, near
}

// compareInPart puts mates in their order.
func (l *Line) compareInPart(i, j int32) int {
	a, b := l.lifeOf(i), l.lifeOf(j)
	return l.compareTurns(&a, &b)
}

// findMates puts the ready candidates in the order of their instants. From then on the line keeps it up.
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
		l.mates.Add(i, l.compareMates) // which come in order, and so take less room
	}
}

// compareMates puts pods in the order of the instants at which they became ready.
func (l *Line) compareMates(i, j int32) int {
	a, _, _ := l.readyAt(i)
	b, _, _ := l.readyAt(j)
	return cmp.Or(cmp.Compare(a, b), cmp.Compare(i, j))
}

// moveMate gives a candidate the number of a pod that is no candidate. It still stands under the old one.
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
