// SPDX-License-Identifier: Apache-2.0

package lineup

import (
	"math"

	"github.com/kplan-go/kplan/internal/paged"
	"github.com/kplan-go/kplan/podorder"
)

// Add gives a new pod behind the others its seat.
func (l *Line) Add(pods *Pods, i int, candidate bool) {
	if !l.blind {
		l.seats.Append(seat{})
	}
	l.Enter(pods, i, candidate)
}

// Stays reports whether another version of a pod that is no candidate, and was none, keeps its seat.
func (l *Line) Stays(pods *Pods, i int, p *podorder.Pod) bool {
	return l.blind || (l.seats.At(i).place < 0) == l.isNeighbour(p) && pods.At(i).NodeName == p.NodeName
}

func (l *Line) isNeighbour(p *podorder.Pod) bool {
	return l.related != nil && p.Active() && l.related(p)
}

// Leave takes a pod out of its seat, which is to be another one.
func (l *Line) Leave(pods *Pods, i int) {
	if l.pods = pods; !l.blind {
		l.rise(i)
	}
}

// Enter gives a pod without one a seat. It may be deleted if it is a candidate.
func (l *Line) Enter(pods *Pods, i int, candidate bool) {
	if l.blind {
		l.changes++
		return
	}
	l.pods = pods
	l.sit(i, candidate)
	l.settle()
	switch n := l.seats.Len(); {
	case l.blind:
		*l = Line{blind: true}
	case l.changes > n && l.nodes.Len() > 2*n: // most of which no pod is on any more
		*l = Line{blind: true, changes: math.MaxInt32 / 2}
	}
}

// Remove takes a pod out, whose number the last one takes.
func (l *Line) Remove(pods *Pods, i int) {
	if l.blind {
		l.changes++
		return
	}
	l.Leave(pods, i)
	l.settle()
	l.moveSeat(i)
}

func (l *Line) sit(i int, candidate bool) {
	p := l.pods.At(i)
	neighbour := l.isNeighbour(p)
	if !neighbour && !candidate {
		return
	}
	l.seat(i, l.nodeOf(i, neighbour && candidate), neighbour, candidate)
}

// seat gives a pod a seat on a node.
func (l *Line) seat(i, k int, neighbour, candidate bool) {
	p := l.pods.At(i)
	l.lift(k)
	s := seat{}
	if neighbour && k != apart {
		n := l.nodes.At(k)
		n.neighbours++
		l.nodes.Set(k, n)
		s.place = place(-k - 1)
	}
	if candidate {
		at := l.cellOf(k, podorder.Health(p))
		c := l.cells.At(at)
		c.size++
		l.cells.Set(at, c)
		in := l.rowOf(at)
		l.pull(in)
		each := l.rows.At(in)
		if s.place, s.next = place(2*(in+1)), each.pods; neighbour {
			s.place++
		}
		each.pods, each.size = int32(i+1), each.size+1
		l.rows.Set(in, each)
		l.tally(i, 1)
	}
	l.changes++
	l.seats.Set(i, s)
}

// rise takes a pod out of its seat.
func (l *Line) rise(i int) {
	s := l.seats.At(i)
	switch k := l.node(s.place); {
	case k == apart:
		l.alone.Remove(i, l.nodeName)
	case k > apart:
		l.lift(k)
		n := l.nodes.At(k)
		n.neighbours--
		l.nodes.Set(k, n)
	}
	if in := s.place.row(); in >= 0 {
		at := int(l.rows.At(in).cell)
		c := l.cells.At(at)
		l.lift(int(c.node))
		c = l.cells.At(at)
		l.pull(in)
		l.reseat(in, int32(i+1), s.next)
		each := l.rows.At(in)
		each.size--
		l.rows.Set(in, each)
		if c.size--; c.open == 0 || l.rows.At(int(c.open-1)).size >= most {
			c.open = int32(in + 1)
		}
		l.cells.Set(at, c)
		l.tally(i, -1)
	}
	l.seats.Set(i, seat{})
}

// reseat puts a pod in place of another one in a row.
func (l *Line) reseat(in int, from, to int32) {
	r := l.rows.At(in)
	if r.pods == from {
		r.pods = to
		l.rows.Set(in, r)
		return
	}
	for i := r.pods; ; {
		s := l.seats.At(int(i - 1))
		if s.next == from {
			s.next = to
			l.seats.Set(int(i-1), s)
			return
		}
		i = s.next
	}
}

// moveSeat gives the seat of the last pod to the one of number i, which has none.
func (l *Line) moveSeat(i int) {
	last := l.seats.Len() - 1
	s := l.seats.At(last)
	if l.seats.Drop(); i == last {
		return
	}
	l.seats.Set(i, s)
	in := s.place.row()
	if in < 0 {
		return
	}
	if l.node(s.place) == apart {
		l.alone.Move(last, i, l.nodeName)
	}
	l.moveMate(last, i)
	l.reseat(in, int32(last+1), int32(i+1))
	r := l.rows.At(in)
	if r.first == int32(last) {
		r.first = int32(i)
		l.rows.Set(in, r)
	}
	if c := l.cells.At(int(r.cell)); c.first == int32(last) {
		c.first = int32(i)
		l.cells.Set(int(r.cell), c)
	}
}

// lift takes the cells of a node out of the order, and lowers those that were lifted before.
func (l *Line) lift(k int) {
	if l.lifted == int32(k+1) || l.lifted == all {
		return
	}
	l.settle()
	l.lifted = int32(k + 1)
	for i := l.nodes.At(k).cells; i > 0; {
		c := l.cells.At(int(i - 1))
		if c.first >= 0 {
			l.order.Remove(i-1, l.compareCells)
			c.first = -1
			l.cells.Set(int(i-1), c)
		}
		i = c.next
	}
}

// pull takes a row out of its order, and puts the one back that was pulled before.
func (l *Line) pull(in int) {
	if l.pulled == int32(in+1) || l.pulled == all {
		return
	}
	l.push()
	l.pulled = int32(in + 1)
	if r := l.rows.At(in); r.due > 0 {
		l.inner.Remove(int32(in), l.compareRows)
		l.queue.Cut(r.due, l.putDue)
	}
}

// push puts the row that is pulled in its order. An empty one is free.
func (l *Line) push() {
	in := int(l.pulled - 1)
	if l.pulled = 0; in < 0 {
		return
	}
	l.arrange(in)
}

// arrange puts a row in its order. An empty one is free.
func (l *Line) arrange(in int) {
	r := l.rows.At(in)
	if r.size == 0 {
		if c := l.cells.At(int(r.cell)); c.open == int32(in+1) {
			c.open = 0
			l.cells.Set(int(r.cell), c)
		}
		l.rows.Set(in, row{cell: l.freeRow})
		l.freeRow = int32(in + 1)
		return
	}
	due := l.look(&r)
	l.rows.Set(in, r)
	l.inner.Add(int32(in), l.compareRows)
	l.queue.Push(paged.Due{At: due, Item: int32(in)}, l.putDue)
}

// settle puts back what is pulled and lifted.
func (l *Line) settle() {
	l.push()
	if k := int(l.lifted - 1); k >= 0 {
		l.lifted = 0
		l.lower(k)
	}
}

// lower puts the cells of a node in the order. Empty ones are free.
func (l *Line) lower(k int) {
	before := int32(-1)
	for i := l.nodes.At(k).cells; i > 0; {
		c := l.cells.At(int(i - 1))
		next := c.next
		switch {
		case c.size > 0:
			before = i - 1
			first, _ := l.inner.Seek(func(in int32) bool { return l.rows.At(int(in)).cell < i-1 })
			r := l.rows.At(int(first))
			c.first, c.turn = r.first, r.turn
			l.cells.Set(int(i-1), c)
			l.order.Add(i-1, l.compareCells)
		case before < 0:
			n := l.nodes.At(k)
			n.cells = next
			l.nodes.Set(k, n)
		default:
			b := l.cells.At(int(before))
			b.next = next
			l.cells.Set(int(before), b)
		}
		if c.size == 0 {
			l.cells.Set(int(i-1), cell{next: l.freeCell})
			l.freeCell = i
		}
		i = next
	}
}

// look finds the pod of a row that goes first, and returns when that may change.
func (l *Line) look(r *row) int64 {
	due := int64(math.MaxInt64)
	r.first = -1
	for i := r.pods; i > 0; i = l.seats.At(int(i - 1)).next {
		v, at := l.turnOf(l.pods.At(int(i - 1)))
		order := -1
		if r.first >= 0 {
			order = v.compare(&r.turn)
		}
		switch {
		case order > 0:
			continue
		case order < 0:
			r.turn, due = v, math.MaxInt64
		}
		due = min(due, at)
		if order < 0 || l.compareIDs(i-1, r.first) < 0 {
			r.first = i - 1
		}
	}
	return max(due, l.at+1)
}
