// SPDX-License-Identifier: Apache-2.0

package lineup

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/podorder"
)

// New returns the line of some pods at a time, which is also given in nanoseconds since 1970.
// Related reports whether a pod counts as a neighbour; if it is nil, no pod does.
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

// Stale reports whether the line has changed so much that a new line of n pods may be faster.
func (l *Line) Stale(n int) bool {
	return l == nil || l.changes > n && (!l.simple() || l.sparse(n))
}

// sparse reports whether the line has clearly more nodes and rows, in use or not, than n pods need
// at most. A node has two or more pods, or a single pod that is only a neighbour. It has one row,
// or full rows and one more.
func (l *Line) sparse(n int) bool {
	nodes, rows, some := l.nodes.Len(), l.rows.Len(), n/16+64
	return nodes+rows > n+some || rows > nodes+some
}

// age moves the line forward to a time.
func (l *Line) age(now time.Time, at int64) {
	l.now, l.at = now, at
	for l.queue.Len() > 0 && l.queue.First().At <= at {
		in := int(l.queue.First().Item)
		l.lift(int(l.rows.At(in).node))
		l.pull(in)
		l.putBack()
	}
}

// Front returns a few pods that include the first n pods that a scale-down deletes, and the numbers
// of neighbours on their nodes. The numbers are nil if it returns a single pod. Time must not go
// backwards between calls. It returns false if only a sort of all pods finds them.
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

// found returns candidates that include the first n, or nil if only a sort of all pods finds them.
func (l *Line) found(n int) []candidate {
	if l.simple() {
		return l.foremost(n)
	}
	return l.settled(n)
}

// foremost returns the first n candidates in the order of the line, or all if there are fewer. It
// reads one row after the other until the first pod of a row comes after n others.
func (l *Line) foremost(n int) []candidate {
	list := shortlist{line: l, n: n}
	for k := range l.order.All {
		at := l.nodes.At(int(k))
		head := candidate{at.first, at.neighbours}
		if n == 1 {
			return []candidate{head}
		}
		if list.past(&head) {
			break
		}
		for in := range l.inner.From(func(in int32) bool { return l.rows.At(int(in)).node < k }) {
			r := l.rows.At(int(in))
			if r.node != k || list.past(&candidate{r.first, at.neighbours}) {
				break
			}
			for i := r.pods; i > 0; i = l.seats.At(int(i - 1)).next {
				t, _ := l.turnOf(i-1, r.costs)
				list.add(&candidate{t, at.neighbours})
			}
		}
	}
	list.cut()
	return list.first
}

// A shortlist collects the first n of the candidates that it is given.
type shortlist struct {
	line  *Line
	n     int
	first []candidate // and up to n others
	full  bool        // first begins with the first n in order; all candidates left out come after them
}

// past reports whether a candidate comes after n others.
func (s *shortlist) past(c *candidate) bool {
	return s.full && s.line.compare(&s.first[s.n-1], c) < 0
}

func (s *shortlist) add(c *candidate) {
	if s.past(c) {
		return
	}
	if s.first = append(s.first, *c); len(s.first) >= 2*s.n {
		s.cut()
	}
}

// cut sorts the candidates and keeps n of them.
func (s *shortlist) cut() {
	slices.SortFunc(s.first, func(a, b candidate) int { return s.line.compare(&a, &b) })
	if s.full = len(s.first) >= s.n; s.full {
		s.first = s.first[:s.n]
	}
}
