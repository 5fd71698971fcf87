// SPDX-License-Identifier: Apache-2.0

package lineup

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/podorder"
)

// New returns a line of pods as of a time, which is a number of nanoseconds since 1970 as well.
// Related tells which of them are neighbours; nil is none.
func New(pods *Pods, related func(*podorder.Pod) bool, candidate func(i int) bool, now time.Time, at int64) *Line {
	l := &Line{pods: pods, related: related, now: now, at: at, lifted: all, pulled: all}
	l.nodes.Append(node{first: turn{pod: -1}})
	if related != nil {
		l.nodes.Ref(apart).neighbours = 1
	}
	for i := range pods.Len() {
		l.seats.Append(seat{})
		l.sit(i, candidate(i))
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
	return l == nil || l.changes > n && (!l.simple() || l.sparse(n))
}

// sparse reports whether there are clearly more nodes or rows, those too that are not in use, than n pods
// need at most: they are two on a node, or each is alone on one and only a neighbour; and a node has one
// row, or full ones and one more.
func (l *Line) sparse(n int) bool {
	nodes, rows, some := l.nodes.Len(), l.rows.Len(), n/16+64
	return nodes+rows > n+some || rows > nodes+some
}

// age brings the line up to a time, which is not earlier than before.
func (l *Line) age(now time.Time, at int64) {
	l.now, l.at = now, at
	for l.queue.Len() > 0 && l.queue.First().At <= at {
		in := int(l.queue.First().Item)
		l.lift(int(l.rows.At(in).node))
		l.pull(in)
		l.putBack()
	}
}

// Front returns a few pods among which are the first n that a scale-down deletes at a
// time that is not earlier than before, and the neighbours on their nodes. The first one alone needs
// none. It is false if only all pods together tell.
func (l *Line) Front(pods *Pods, n int, now time.Time, at int64) ([]*podorder.Pod, podorder.Neighbours, bool) {
	l.pods = pods
	l.age(now, at)
	list := l.found(n)
	if len(list) < n {
		return nil, nil, false
	}
	refs := make([]*podorder.Pod, len(list))
	var near podorder.Neighbours
	if len(list) > 1 {
		near = podorder.Neighbours{}
	}
	for k := range list {
		if refs[k] = pods.At(int(list[k].pod)); near != nil {
			near[refs[k].NodeName] = list[k].neighbours
		}
	}
	return refs, near, true
}

// found returns candidates among which are the first n, none if only all pods together tell.
func (l *Line) found(n int) []candidate {
	if l.simple() {
		return l.foremost(n)
	}
	return l.settled(n)
}

// foremost returns the first n candidates in the order of the line, or all if there are fewer. It looks at
// one row after the other until one begins behind n others.
func (l *Line) foremost(n int) []candidate {
	first := front{line: l, n: n}
	for k := range l.order.All {
		at := l.nodes.At(int(k))
		head := candidate{at.first, at.neighbours}
		if n == 1 {
			return []candidate{head}
		}
		if first.past(&head) {
			break
		}
		for in := range l.inner.From(func(in int32) bool { return l.rows.At(int(in)).node < k }) {
			r := l.rows.At(int(in))
			if r.node != k || first.past(&candidate{r.first, at.neighbours}) {
				break
			}
			for i := r.pods; i > 0; i = l.seats.At(int(i - 1)).next {
				t, _ := l.turnOf(i-1, r.costs)
				first.add(&candidate{t, at.neighbours})
			}
		}
	}
	first.cut()
	return first.list
}

// A front is the first n of the candidates that it is shown.
type front struct {
	line *Line
	n    int
	list []candidate
	full bool // the list begins with n in order, behind which all are who are not in it
}

// past reports whether a candidate is behind n others.
func (f *front) past(c *candidate) bool {
	return f.full && f.line.compare(&f.list[f.n-1], c) < 0
}

func (f *front) add(c *candidate) {
	if f.past(c) {
		return
	}
	if f.list = append(f.list, *c); len(f.list) >= 2*f.n {
		f.cut()
	}
}

// cut puts the list in order, and leaves n in it.
func (f *front) cut() {
	slices.SortFunc(f.list, func(a, b candidate) int { return f.line.compare(&a, &b) })
	if f.full = len(f.list) >= f.n; f.full {
		f.list = f.list[:f.n]
	}
}
