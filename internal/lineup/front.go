// SPDX-License-Identifier: Apache-2.0

package lineup

import (
	"time"

	"github.com/kplan-go/kplan/podorder"
)

// New returns a line of pods as of a time, which is a number of nanoseconds since 1970 as well.
// Related tells which of them are neighbours; nil is none.
func New(pods *Pods, related func(*podorder.Pod) bool, candidate func(i int) bool, now time.Time, at int64) *Line {
	l := &Line{pods: pods, related: related, now: now, at: at, lifted: all, pulled: all}
	l.nodes.Append(node{})
	if related != nil {
		l.nodes.Ref(apart).neighbours = 1
	}
	for i := range pods.Len() {
		l.seats.Append(seat{})
		if l.sit(i, candidate(i)); l.blind {
			return &Line{blind: true}
		}
	}
	l.lifted, l.pulled, l.changes = 0, 0, 0
	for i := range l.rows.Len() {
		l.arrange(i)
	}
	for k := range l.nodes.Len() {
		l.lower(k)
	}
	return l
}

// Stale reports whether so much has changed that a new line of n pods may be a better one.
func (l *Line) Stale(n int) bool {
	return l == nil || l.changes > n && (l.blind || !l.simple())
}

// age brings the line up to a time, which is not earlier than before.
func (l *Line) age(now time.Time, at int64) {
	l.now, l.at = now, at
	for l.queue.Len() > 0 && l.queue.First().At <= at {
		in := int(l.queue.First().Item)
		l.lift(int(l.cells.At(int(l.rows.At(in).cell)).node))
		l.pull(in)
		l.settle()
	}
}

// Front returns a few pods among which are the first n that a scale-down deletes at a
// time that is not earlier than before, and the neighbours on their nodes. The first one alone needs
// none. It is false if only all pods together tell.
func (l *Line) Front(pods *Pods, n int, now time.Time, at int64) ([]*podorder.Pod, podorder.Neighbours, bool) {
	if l.blind {
		return nil, nil, false
	}
	l.pods = pods
	if l.age(now, at); !l.simple() {
		return l.settled(n)
	}
	if n > 1 {
		near := podorder.Neighbours{}
		var list []*podorder.Pod
		l.foremost(near, n, func(i int32) { list = append(list, pods.At(int(i))) })
		return list, near, 2*len(list) <= pods.Len()
	}
	for i := range l.order.All {
		return []*podorder.Pod{pods.At(int(l.cells.At(int(i)).first))}, nil, true
	}
	return nil, nil, false
}

// foremost yields pods among which are the first n, which are not all: of n cells at most, the
// n first rows of each. Behind cells of one health and as many neighbours there is nobody to look
// for if they have n pods. Near is told how many neighbours they have.
func (l *Line) foremost(near podorder.Neighbours, n int, yield func(i int32)) {
	seen, cells := 0, 0
	var last cell
	for i := range l.order.All {
		c := l.cells.At(int(i))
		neighbours := l.nodes.At(int(c.node)).neighbours
		same := c.health == last.health && neighbours == l.nodes.At(int(last.node)).neighbours
		if cells == n || cells > 0 && !same && seen >= n {
			break
		}
		told := false
		l.firstRows(i, n, func(k int32) {
			if yield(k); !told || c.node == apart {
				near[l.nodeName(int(k))], told = neighbours, true
			}
		})
		last, seen, cells = c, seen+int(c.size), cells+1
	}
}

// firstRows yields the pods of the first n rows of a cell.
func (l *Line) firstRows(i int32, n int, yield func(i int32)) {
	for in := range l.inner.From(func(in int32) bool { return l.rows.At(int(in)).cell < i }) {
		r := l.rows.At(int(in))
		if n--; n < 0 || r.cell != i {
			break
		}
		for k := r.pods; k > 0; k = l.seats.At(int(k - 1)).next {
			yield(k - 1)
		}
	}
}
