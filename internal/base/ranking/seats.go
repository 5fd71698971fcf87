// SPDX-License-Identifier: Apache-2.0

package ranking

import (
	"math"

	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/podorder"
)

// Add appends a pod and gives it a place.
func (l *List) Add(pods *Pods, i int, candidate bool) {
	l.seats.Append(seat{})
	l.Enter(pods, i, candidate)
}

// Stays reports whether a new version of a pod that is no candidate, and was no candidate, keeps
// its place.
func (l *List) Stays(pods *Pods, i int, p *podorder.Pod) bool {
	return (l.seats.At(i).place < 0) == l.isNeighbour(p) && pods.At(i).NodeName == p.NodeName
}

func (l *List) isNeighbour(p *podorder.Pod) bool {
	return l.related != nil && p.Active() && l.related(p)
}

// Leave takes a pod out of its place. Enter then gives it another one.
func (l *List) Leave(pods *Pods, i int) {
	l.pods = pods
	l.rise(i)
}

// Enter gives a pod a place. A scale-down may delete it only if it is a candidate.
func (l *List) Enter(pods *Pods, i int, candidate bool) {
	l.pods = pods
	l.sit(i, candidate)
	l.putBack()
}

// Remove removes a pod. The last pod takes its number.
func (l *List) Remove(pods *Pods, i int) {
	l.Leave(pods, i)
	l.putBack()
	l.moveSeat(i)
	l.changes++
}

// sit gives a pod a place if it is a candidate or a neighbour.
func (l *List) sit(i int, candidate bool) {
	p := l.pods.At(i)
	neighbour := l.isNeighbour(p)
	if !neighbour && !candidate {
		return
	}
	l.seat(i, l.nodeOf(i, neighbour && candidate), neighbour, candidate)
}

// seat gives a pod a place on node k.
func (l *List) seat(i, k int, neighbour, candidate bool) {
	l.lift(k)
	s := seat{}
	if neighbour && k != apart {
		l.nodes.Ref(k).neighbours++
		s.place = place(-k - 1)
	}
	if candidate {
		l.nodes.Ref(k).size++
		in := l.rowOf(k)
		l.pull(in)
		each := l.rows.Ref(in)
		if s.place, s.next = place(2*(in+1)), each.pods; neighbour {
			s.place++
		}
		each.pods, each.size = int32(i+1), each.size+1
		cost, _ := podorder.DeletionCost(l.pods.At(i).Annotations)
		each.costs = each.costs || cost != 0
		l.countReady(i, 1)
	}
	l.changes++
	l.seats.Set(i, s)
}

// rise takes a pod out of its place.
func (l *List) rise(i int) {
	s := l.seats.At(i)
	switch k := l.node(s.place); {
	case k == apart:
		l.alone.Remove(i, l.nodeName)
	case k > apart:
		l.lift(k)
		l.nodes.Ref(k).neighbours--
	}
	if in := s.place.row(); in >= 0 {
		k := int(l.rows.At(in).node)
		l.lift(k)
		l.pull(in)
		l.reseat(in, int32(i+1), s.next)
		l.rows.Ref(in).size--
		n := l.nodes.Ref(k)
		if n.size--; n.open == 0 || l.rows.At(int(n.open-1)).size >= maxRow {
			n.open = int32(in + 1)
		}
		l.countReady(i, -1)
	}
	l.seats.Set(i, seat{})
}

// reseat replaces a pod in the list of a row by another one.
func (l *List) reseat(in int, from, to int32) {
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

// moveSeat gives pod i, which has no place, the place of the last pod.
func (l *List) moveSeat(i int) {
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
	l.renumberReady(last, i)
	l.reseat(in, int32(last+1), int32(i+1))
	r := l.rows.Ref(in)
	if r.first.pod == int32(last) {
		r.first.pod = int32(i)
	}
	if n := l.nodes.Ref(int(r.node)); n.first.pod == int32(last) {
		n.first.pod = int32(i)
	}
}

// lift takes a node out of order, and puts back the node that was detached before.
func (l *List) lift(k int) {
	if l.lifted == int32(k+1) || l.lifted == all {
		return
	}
	l.putBack()
	l.lifted = int32(k + 1)
	if l.nodes.At(k).first.pod >= 0 {
		l.order.Remove(int32(k), l.compareNodes)
		l.nodes.Ref(k).first.pod = -1
	}
}

// pull takes a row out of inner and queue, and puts back the row that was detached before.
func (l *List) pull(in int) {
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

// push puts the detached row back, or frees it if it is empty.
func (l *List) push() {
	in := int(l.pulled - 1)
	if l.pulled = 0; in < 0 {
		return
	}
	l.arrange(in)
}

// arrange adds a row to inner and queue, or frees it if it is empty.
func (l *List) arrange(in int) {
	r := l.rows.At(in)
	if r.size == 0 {
		if n := l.nodes.Ref(int(r.node)); n.open == int32(in+1) {
			n.open = 0
		}
		l.rows.Set(in, row{node: l.freeRow})
		l.freeRow = int32(in + 1)
		return
	}
	due := l.look(&r)
	l.rows.Set(in, r)
	l.inner.Add(int32(in), l.compareRows)
	l.queue.Push(paged.Due{At: due, Item: int32(in)}, l.putDue)
}

// putBack puts back the detached row and the detached node.
func (l *List) putBack() {
	l.push()
	if k := int(l.lifted - 1); k >= 0 {
		l.lifted = 0
		l.lower(k)
	}
}

// lower adds a node with candidates to order. It frees a node without any pod.
func (l *List) lower(k int) {
	switch n := l.nodes.Ref(k); {
	case n.size > 0:
		in, _ := l.inner.Seek(func(in int32) bool { return l.rows.At(int(in)).node < int32(k) })
		n.first = l.rows.At(int(in)).first
		l.order.Add(int32(k), l.compareNodes)
	case n.neighbours == 0 && k != apart:
		l.names.Remove(k, l.name)
		*n = node{open: l.freeNode, first: rank{pod: -1}}
		l.freeNode = int32(k + 1)
	}
}

// look sets the pod of a row that goes first, and returns the time at which that may change.
func (l *List) look(r *row) int64 {
	due := int64(math.MaxInt64)
	r.first.pod = -1
	for i := r.pods; i > 0; i = l.seats.At(int(i - 1)).next {
		t, at := l.rankOf(i-1, r.costs)
		order := -1
		if r.first.pod >= 0 {
			order = t.compare(&r.first)
		}
		if order > 0 {
			continue
		}
		if order < 0 {
			due = math.MaxInt64
		}
		due = min(due, at)
		if order < 0 || l.compareIDs(i-1, r.first.pod) < 0 {
			r.first = t
		}
	}
	return max(due, l.nanos+1)
}
