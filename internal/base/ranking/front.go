// SPDX-License-Identifier: Apache-2.0

package ranking

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/podorder"
)

// New returns the list of some pods at the time now, which nanos repeats in nanoseconds since 1970.
// Related reports whether a pod counts as a neighbour; if it is nil, no pod does.
func New(pods *Pods, related func(*podorder.Pod) bool, candidate func(i int) bool, now time.Time, nanos int64) *List {
	l := &List{pods: pods, related: related, now: now, nanos: nanos, detachedNode: allDetached, detachedRow: allDetached}
	l.nodes.Append(node{first: rank{pod: -1}})
	if related != nil {
		l.nodes.Ref(singles).neighbours = 1
	}
	for i := range pods.Len() {
		l.slots.Append(slot{})
		l.insert(i, candidate(i))
	}
	l.detachedNode, l.detachedRow, l.changes = 0, 0, 0
	for i := range l.rows.Len() {
		l.addRow(i)
	}
	for k := range l.nodes.Len() {
		l.attachNode(k)
	}
	return l
}

// Stale reports whether the list has changed so much that a new list of n pods may be faster.
func (l *List) Stale(n int) bool {
	return l == nil || l.changes > n && (!l.simple() || l.sparse(n))
}

// sparse reports whether the list has clearly more nodes and rows, in use or not, than n pods need
// at most. A node has two or more pods, or a single pod that is only a neighbour. It has one row,
// or full rows and one more.
func (l *List) sparse(n int) bool {
	nodes, rows, some := l.nodes.Len(), l.rows.Len(), n/16+64
	return nodes+rows > n+some || rows > nodes+some
}

// advance updates the list to a later time.
func (l *List) advance(now time.Time, nanos int64) {
	l.now, l.nanos = now, nanos
	for l.queue.Len() > 0 && l.queue.First().At <= nanos {
		in := int(l.queue.First().Item)
		l.detachNode(int(l.rows.At(in).node))
		l.detachRow(in)
		l.attach()
	}
}

// Front returns a few pods that include the first n pods that a scale-down deletes, and the numbers
// of neighbours on their nodes. The numbers are nil if it returns a single pod. Time must not go
// backwards between calls. It returns false if only a sort of all pods finds them.
func (l *List) Front(pods *Pods, n int, now time.Time, nanos int64) ([]*podorder.Pod, podorder.Neighbours, bool) {
	l.pods = pods
	l.advance(now, nanos)
	list := l.firstCandidates(n)
	if len(list) < n {
		return nil, nil, false
	}
	refs := make([]*podorder.Pod, len(list))
	var neighbours podorder.Neighbours
	if len(list) > 1 {
		neighbours = podorder.Neighbours{}
	}
	for k := range list {
		if refs[k] = pods.At(int(list[k].pod)); neighbours != nil {
			neighbours[refs[k].NodeName] = list[k].neighbours
		}
	}
	return refs, neighbours, true
}

// firstCandidates returns candidates that include the first n, or nil if only a sort of all pods
// finds them.
func (l *List) firstCandidates(n int) []candidate {
	if l.simple() {
		return l.firstByRank(n)
	}
	return l.firstWithTies(n)
}

// firstByRank returns the first n candidates in the order of the list, or all if there are fewer.
// It reads one row after the other until the first pod of a row comes after n others.
func (l *List) firstByRank(n int) []candidate {
	first := collector{list: l, n: n}
	for k := range l.nodeOrder.All {
		at := l.nodes.At(int(k))
		head := candidate{at.first, at.neighbours}
		if n == 1 {
			return []candidate{head}
		}
		if first.excludes(&head) {
			break
		}
		for in := range l.rowOrder.From(func(in int32) bool { return l.rows.At(int(in)).node < k }) {
			r := l.rows.At(int(in))
			if r.node != k || first.excludes(&candidate{r.first, at.neighbours}) {
				break
			}
			for i := r.pods; i > 0; i = l.slots.At(int(i - 1)).next {
				t, _ := l.rankOf(i-1, r.costs)
				first.add(&candidate{t, at.neighbours})
			}
		}
	}
	first.cut()
	return first.candidates
}

// A collector keeps the first n of the candidates that are added to it.
type collector struct {
	list       *List
	n          int
	candidates []candidate // the first n and up to n others
	full       bool        // candidates begins with the first n in order; all that were left out come after them
}

// excludes reports whether a candidate comes after n others.
func (s *collector) excludes(c *candidate) bool {
	return s.full && s.list.compare(&s.candidates[s.n-1], c) < 0
}

func (s *collector) add(c *candidate) {
	if s.excludes(c) {
		return
	}
	if s.candidates = append(s.candidates, *c); len(s.candidates) >= 2*s.n {
		s.cut()
	}
}

// cut sorts the candidates and keeps n of them.
func (s *collector) cut() {
	slices.SortFunc(s.candidates, func(a, b candidate) int { return s.list.compare(&a, &b) })
	if s.full = len(s.candidates) >= s.n; s.full {
		s.candidates = s.candidates[:s.n]
	}
}
