// SPDX-License-Identifier: Apache-2.0

package lineup

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/internal/tracked"
	"github.com/kplan-go/kplan/podorder"
)

// Ready pods of one health, with as many neighbours and of ages alike go by their UIDs, but for mates,
// which became ready at one instant: of these go those first that have restarted most, and so on, and
// each not before those that are in front of it. So a pod may wait for a mate with a later UID.

// mostMates is how many mates are looked at for one choice, which is quicker than to look at all pods.
const mostMates = 4096

// settled is [Line.Front] of a line that is not simple: of the first pods by UID those that wait for no
// mate behind them. These go first: whoever does not waits for a UID behind all of theirs, or has one.
func (l *Line) settled(n int) ([]*podorder.Pod, podorder.Neighbours, bool) {
	l.findMates()
	for m := n; ; m *= 2 {
		near := podorder.Neighbours{}
		var first []int32
		l.foremost(near, m, func(i int32) { first = append(first, i) })
		if len(first) < n || 2*len(first) > l.pods.Len() {
			return nil, nil, false
		}
		slices.SortFunc(first, l.compareSeated)
		first, few := l.unheld(first[:min(m, len(first))])
		if !few {
			return nil, nil, false
		}
		if len(first) >= n {
			list := make([]*podorder.Pod, len(first))
			for k, i := range first {
				list[k] = l.pods.At(int(i))
			}
			return list, near, true
		}
	}
}

// unheld returns those of the first pods that wait for no mate behind the last of them. It is false if
// there are too many mates to tell, or times that are not told apart.
func (l *Line) unheld(first []int32) (free []int32, few bool) {
	last, seen := first[len(first)-1], 0
	behind := map[int64]int32{} // by instant: the mate behind the last that goes first, -1 for none
	for _, i := range first {
		at, ready, near := l.readyAt(i)
		if !ready || !l.alike(i, last) {
			free = append(free, i)
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
		if mate < 0 || l.compareInPart(i, mate) < 0 {
			free = append(free, i)
		}
	}
	return free, true
}

// firstBehind returns which of the pods of an instant that are behind the last one, by UID, goes first,
// -1 if there is none, and how many have been seen.
func (l *Line) firstBehind(last int32, at int64, seen int) (first int32, _ int) {
	first = -1
	for i := range l.mates.From(func(i int32) bool { instant, _, _ := l.readyAt(i); return instant < at }) {
		instant, _, near := l.readyAt(i)
		if seen++; instant != at || seen > mostMates {
			break
		}
		if near && l.alike(i, last) && l.compareSeated(i, last) > 0 && (first < 0 || l.compareInPart(i, first) < 0) {
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

// cellAt returns the cell of a candidate.
func (l *Line) cellAt(i int32) cell {
	return l.cells.At(int(l.rows.At(l.seats.At(int(i)).place.row()).cell))
}

// alike reports whether two candidates are of one class.
func (l *Line) alike(i, j int32) bool {
	a, b := l.cellAt(i), l.cellAt(j)
	return l.compareClass(&a, &b) == 0
}

// compareSeated puts candidates in the order of the line: by UID where only mates are not.
func (l *Line) compareSeated(i, j int32) int {
	in, other := l.cellAt(i), l.cellAt(j)
	if c := l.compareClass(&in, &other); c != 0 {
		return c
	}
	a, _ := l.turnOf(l.pods.At(int(i)))
	b, _ := l.turnOf(l.pods.At(int(j)))
	return l.compareTurns(&a, &b, i, j)
}

// compareInPart puts mates in their order.
func (l *Line) compareInPart(i, j int32) int {
	a, b := l.lifeOf(l.pods.At(int(i))), l.lifeOf(l.pods.At(int(j)))
	return l.compareTurns(&a, &b, i, j)
}

// findMates puts the ready candidates in the order of their instants. From then on the line keeps it up.
func (l *Line) findMates() {
	if l.mated {
		return
	}
	l.mated = true
	for i := range l.seats.Len() {
		if _, ready, _ := l.readyAt(int32(i)); ready && l.seats.At(i).place.row() >= 0 {
			l.mates.Add(int32(i), l.compareMates)
		}
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
