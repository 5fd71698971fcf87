// SPDX-License-Identifier: Apache-2.0

package ranking

import (
	"math"

	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/podorder"
)

// Add appends a pod and gives it a place.
func (l *List) Add(pods *Pods, i int, candidate bool) {
	l.slots.Append(slot{})
	l.Enter(pods, i, candidate)
}

// Stays reports whether a new version of a pod that is no candidate, and was no candidate, keeps
// its place.
func (l *List) Stays(pods *Pods, i int, p *podorder.Pod) bool {
	return (l.slots.At(i).place < 0) == l.isNeighbour(p) && pods.At(i).NodeName == p.NodeName
}

func (l *List) isNeighbour(p *podorder.Pod) bool {
	return l.related != nil && p.Active() && l.related(p)
}

// Leave takes a pod out of its place. Enter then gives it another one.
func (l *List) Leave(pods *Pods, i int) {
	l.pods = pods
	l.unassign(i)
}

// Enter gives a pod a place. A scale-down may delete it only if it is a candidate.
func (l *List) Enter(pods *Pods, i int, candidate bool) {
	l.pods = pods
	l.insert(i, candidate)
	l.attach()
}

// Remove removes a pod. The last pod takes its number.
func (l *List) Remove(pods *Pods, i int) {
	l.Leave(pods, i)
	l.attach()
	l.moveSlot(i)
	l.changes++
}

// insert gives a pod a place if it is a candidate or a neighbour.
func (l *List) insert(i int, candidate bool) {
	p := l.pods.At(i)
	neighbour := l.isNeighbour(p)
	if !neighbour && !candidate {
		return
	}
	l.assign(i, l.nodeOf(i, neighbour && candidate), neighbour, candidate)
}

// assign gives a pod a place on node k.
func (l *List) assign(i, k int, neighbour, candidate bool) {
	l.detachNode(k)
	s := slot{}
	if neighbour && k != singles {
		l.nodes.Ref(k).neighbours++
		s.place = place(-k - 1)
	}
	if candidate {
		l.nodes.Ref(k).size++
		in := l.rowOf(k)
		l.detachRow(in)
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
	l.slots.Set(i, s)
}

// unassign takes a pod out of its place.
func (l *List) unassign(i int) {
	s := l.slots.At(i)
	switch k := l.node(s.place); {
	case k == singles:
		l.singlePods.Remove(i, l.nodeName)
	case k > singles:
		l.detachNode(k)
		l.nodes.Ref(k).neighbours--
	}
	if in := s.place.row(); in >= 0 {
		k := int(l.rows.At(in).node)
		l.detachNode(k)
		l.detachRow(in)
		l.relink(in, int32(i+1), s.next)
		l.rows.Ref(in).size--
		n := l.nodes.Ref(k)
		if n.size--; n.openRow == 0 || l.rows.At(int(n.openRow-1)).size >= maxRow {
			n.openRow = int32(in + 1)
		}
		l.countReady(i, -1)
	}
	l.slots.Set(i, slot{})
}

// relink replaces a pod in the list of a row by another one.
func (l *List) relink(in int, from, to int32) {
	r := l.rows.At(in)
	if r.pods == from {
		r.pods = to
		l.rows.Set(in, r)
		return
	}
	for i := r.pods; ; {
		s := l.slots.At(int(i - 1))
		if s.next == from {
			s.next = to
			l.slots.Set(int(i-1), s)
			return
		}
		i = s.next
	}
}

// moveSlot gives pod i, which has no place, the place of the last pod.
func (l *List) moveSlot(i int) {
	last := l.slots.Len() - 1
	s := l.slots.At(last)
	if l.slots.Drop(); i == last {
		return
	}
	l.slots.Set(i, s)
	in := s.place.row()
	if in < 0 {
		return
	}
	if l.node(s.place) == singles {
		l.singlePods.Move(last, i, l.nodeName)
	}
	l.renumberReady(last, i)
	l.relink(in, int32(last+1), int32(i+1))
	r := l.rows.Ref(in)
	if r.first.pod == int32(last) {
		r.first.pod = int32(i)
	}
	if n := l.nodes.Ref(int(r.node)); n.first.pod == int32(last) {
		n.first.pod = int32(i)
	}
}

// detachNode takes a node out of nodeOrder, and puts back the node that was detached before.
func (l *List) detachNode(k int) {
	if l.detachedNode == int32(k+1) || l.detachedNode == allDetached {
		return
	}
	l.attach()
	l.detachedNode = int32(k + 1)
	if l.nodes.At(k).first.pod >= 0 {
		l.nodeOrder.Remove(int32(k), l.compareNodes)
		l.nodes.Ref(k).first.pod = -1
	}
}

// detachRow takes a row out of rowOrder and queue, and puts back the row that was detached before.
func (l *List) detachRow(in int) {
	if l.detachedRow == int32(in+1) || l.detachedRow == allDetached {
		return
	}
	l.attachRow()
	l.detachedRow = int32(in + 1)
	if r := l.rows.At(in); r.due > 0 {
		l.rowOrder.Remove(int32(in), l.compareRows)
		l.queue.Cut(r.due, l.putDue)
	}
}

// attachRow puts the detached row back, or frees it if it is empty.
func (l *List) attachRow() {
	in := int(l.detachedRow - 1)
	if l.detachedRow = 0; in < 0 {
		return
	}
	l.addRow(in)
}

// addRow adds a row to rowOrder and queue, or frees it if it is empty.
func (l *List) addRow(in int) {
	r := l.rows.At(in)
	if r.size == 0 {
		if n := l.nodes.Ref(int(r.node)); n.openRow == int32(in+1) {
			n.openRow = 0
		}
		l.rows.Set(in, row{node: l.freeRow})
		l.freeRow = int32(in + 1)
		return
	}
	due := l.updateFirst(&r)
	l.rows.Set(in, r)
	l.rowOrder.Add(int32(in), l.compareRows)
	l.queue.Push(paged.Due{At: due, Item: int32(in)}, l.putDue)
}

// attach puts back the detached row and the detached node.
func (l *List) attach() {
	l.attachRow()
	if k := int(l.detachedNode - 1); k >= 0 {
		l.detachedNode = 0
		l.attachNode(k)
	}
}

// attachNode adds a node with candidates to nodeOrder. It frees a node without any pod.
func (l *List) attachNode(k int) {
	switch n := l.nodes.Ref(k); {
	case n.size > 0:
		in, _ := l.rowOrder.Seek(func(in int32) bool { return l.rows.At(int(in)).node < int32(k) })
		n.first = l.rows.At(int(in)).first
		l.nodeOrder.Add(int32(k), l.compareNodes)
	case n.neighbours == 0 && k != singles:
		l.names.Remove(k, l.name)
		*n = node{openRow: l.freeNode, first: rank{pod: -1}}
		l.freeNode = int32(k + 1)
	}
}

// updateFirst sets the pod of a row that goes first, and returns the time at which that may change.
func (l *List) updateFirst(r *row) int64 {
	due := int64(math.MaxInt64)
	r.first.pod = -1
	for i := r.pods; i > 0; i = l.slots.At(int(i - 1)).next {
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
