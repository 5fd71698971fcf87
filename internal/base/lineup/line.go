// SPDX-License-Identifier: Apache-2.0

// Package lineup keeps the pods of a ReplicaSet in the order in which a scale-down deletes them.
package lineup

import (
	"cmp"
	"math"
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/podorder"
)

// A Line is the active pods of a ReplicaSet as a scale-down goes through them: the nodes in the order of
// the pod on each that goes first, for those on one node have the same neighbours. The pods of a node
// are in rows of a few, in the order of their first ones as well. Pods age at different times, and so
// each row has an instant at which another of its pods may come first.
//
// Pods that came to a node where no other was have one neighbour, whatever its name: until another
// one comes, they stand together on one node for all of them, [apart]. So do all pods if none has
// neighbours.
//
// It finds candidates, which [podorder.Order.Choose] puts in order. That takes them by UID where
// their ages are alike, but for pods that became ready at one instant: see [Line.simple], and of those
// that are not [Line.settled].
type Line struct {
	pods     *Pods                    // those of the call that is under way
	related  func(*podorder.Pod) bool // nil if no pod is
	seats    paged.List[seat]         // of the pods
	nodes    paged.List[node]
	names    paged.Index // of the nodes but apart
	alone    paged.Index // of the pods apart, by the names of their nodes
	rows     paged.List[row]
	freeNode int32        // first one that is not in use, from 1
	freeRow  int32        // the same of rows
	order    paged.Sorted // of the nodes with candidates
	inner    paged.Sorted // of the rows in use, by node
	queue    paged.Queue  // of the rows in use, by the instant to look at them again
	mates    paged.Sorted // of the candidates by the instant at which they became ready, if somebody has asked
	mated    bool         // whether somebody has
	now      time.Time
	at       int64 // now
	lifted   int32 // node that is out of the order, from 1, or all
	pulled   int32 // row that is out of its order, from 1, or all
	changes  int   // since it was made
	restarts int   // ready pods with restarts
	unset    int   // and without an instant of creation
	ready    int
	oldest   time.Time // creation of ready pods, those too that have gone
	youngest time.Time
}

// Pods are the pods that seats are of, by number.
type Pods = tracked.Table[podorder.Pod, tracked.Pods]

// all is that all nodes are lifted, and all rows are pulled.
const all = -1

// apart is the node that stands for all nodes with one pod, or for all.
const apart = 0

// A seat is where a pod is: it takes eight bytes for each pod there is.
type seat struct {
	place place
	next  int32 // pod of the same row, from 1
}

// A place is what has a pod: 0 for nothing; a node, from -1 down, that has it only as a
// neighbour; or twice a row, from 1, that has it as a candidate, and 1 more if it is a neighbour
// on the node of that too.
type place int32

func (p place) row() int { return max(int(p), 0)/2 - 1 } // -1 if it is none

// node returns the node that has a pod as a neighbour, -1 if none has.
func (l *Line) node(p place) int {
	switch {
	case p < 0:
		return int(-p) - 1
	case p%2 == 1:
		return int(l.rows.At(p.row()).node)
	}
	return -1
}

// A node is a node, with how many active pods of all related ReplicaSets are on it.
type node struct {
	name       string
	neighbours int32
	size       int32 // candidates
	open       int32 // a row that may have room, from 1, or the next node that is free
	first      turn  // of the pod that goes first, none if it is in no order
}

// A row is some of the candidates of a node.
type row struct {
	node  int32 // or the next row that is free, from 1
	pods  int32 // the first one, from 1
	due   int32 // its place in the queue, from 1; 0 if it is in no order
	first turn  // of the pod that goes first
	size  uint8
	costs bool // whether any of its pods has had a cost
}

// most is how many pods a row has at most, which are looked at one by one. From 8 to 48 plans and events
// take the same time, and a row takes memory.
const most = 48

// A turn is what decides between a pod and others on its node, but for their UIDs.
type turn struct {
	pod      int32 // -1 for none
	cost     int32
	restarts int32
	sidecars int32
	health   uint8
	age      int8 // bucket of the ready time
	created  int8 // bucket of the creation
}

func (a *turn) compare(b *turn) int {
	switch {
	case a.health != b.health:
		return cmp.Compare(a.health, b.health)
	case a.cost != b.cost:
		return cmp.Compare(a.cost, b.cost)
	case a.age != b.age:
		return cmp.Compare(a.age, b.age)
	}
	return cmp.Or(cmp.Compare(b.restarts, a.restarts), cmp.Compare(b.sidecars, a.sidecars), cmp.Compare(a.created, b.created))
}

// turnOf returns the turn of a pod, and when its bucket may change it. Of ready pods with
// a ready time restarts and creation count only among those that became ready at one instant. To look
// for a cost takes time, and few pods have one.
func (l *Line) turnOf(i int32, costs bool) (t turn, due int64) {
	p := l.pods.At(int(i))
	switch {
	case p.Ready && !p.ReadySince.IsZero():
		t = turn{pod: i, health: podorder.Health(p), age: podorder.AgeBucket(p.ReadySince, l.now)}
		due = again(p.ReadySince, t.age, l.at)
	case p.CreationTimestamp.IsZero():
		t, due = l.lifeOf(i), math.MaxInt64
	default:
		t = l.lifeOf(i)
		due = again(p.CreationTimestamp, t.created, l.at)
	}
	if costs {
		t.cost, _ = podorder.DeletionCost(p.Annotations)
	}
	return t, due
}

// lifeOf returns what decides among pods of which none is ready, or that became ready at one instant, but
// for their costs.
func (l *Line) lifeOf(i int32) turn {
	p := l.pods.At(int(i))
	t := turn{i, 0, p.Restarts, p.SidecarRestarts, podorder.Health(p), math.MinInt8, math.MinInt8}
	if !p.CreationTimestamp.IsZero() {
		t.created = podorder.AgeBucket(p.CreationTimestamp, l.now)
	}
	return t
}

// simple reports whether ready pods of one instant are in the order of their UIDs as well: none
// has restarted, and all have been created in one bucket of ages.
func (l *Line) simple() bool {
	return l.ready == 0 || l.restarts == 0 && (l.unset == l.ready || l.unset == 0 &&
		podorder.AgeBucket(l.oldest, l.now) == podorder.AgeBucket(l.youngest, l.now))
}

// again returns when the bucket that a time is in ends, or a little earlier. If that end may not fit a
// number, it is any time later than now.
func again(t time.Time, bucket int8, now int64) int64 {
	at, near := tracked.Clock(t)
	switch {
	case bucket == endless, bucket < 0 && !near:
		return math.MaxInt64
	case bucket < 0:
		return at // its age begins
	case !near || bucket >= endless-4:
		return now + 1
	}
	end := int64(2) << bucket
	return at + end - end>>48 // buckets begin a little early
}

// endless is the bucket of all ages that do not fit a number.
const endless = 63

// tally counts a candidate, or one less, if it is ready.
func (l *Line) tally(i, n int) {
	p := l.pods.At(i)
	if !p.Ready || p.ReadySince.IsZero() {
		return
	}
	switch {
	case !l.mated:
	case n > 0:
		l.mates.Add(int32(i), l.compareMates)
	default:
		l.mates.Remove(int32(i), l.compareMates)
	}
	l.ready += n
	if p.Restarts != 0 || p.SidecarRestarts != 0 {
		l.restarts += n
	}
	switch at := p.CreationTimestamp; {
	case at.IsZero():
		l.unset += n
	case n > 0 && (l.oldest.IsZero() || at.Before(l.oldest)):
		if l.oldest = at; l.youngest.IsZero() {
			l.youngest = at
		}
	case n > 0 && at.After(l.youngest):
		l.youngest = at
	}
}

func (l *Line) name(k int) string { return l.nodes.At(k).name }

func (l *Line) nodeName(i int) string { return l.pods.At(i).NodeName }

// nodeOf returns the number of the node of a pod, which it gets if it has none: apart, if that may
// be. Whoever stands apart under its name leaves that.
func (l *Line) nodeOf(i int, mayBeApart bool) int {
	if l.related == nil {
		return apart
	}
	name := l.nodeName(i)
	if k := l.names.Find(name, l.name); k >= 0 {
		return k
	}
	first := l.alone.Find(name, l.nodeName)
	if first < 0 && mayBeApart {
		l.alone.Add(i, l.nodeName)
		return apart
	}
	k, n := int(l.freeNode-1), node{name: name, first: turn{pod: -1}}
	if k >= 0 {
		l.freeNode = l.nodes.At(k).open
		l.nodes.Set(k, n)
	} else {
		k = l.nodes.Len()
		l.nodes.Append(n)
	}
	l.names.Add(k, l.name)
	if first >= 0 {
		l.rise(first)
		l.seat(first, k, true, true)
	}
	return k
}

func (l *Line) putDue(i int, place int32) {
	r := l.rows.At(i)
	r.due = place
	l.rows.Set(i, r)
}

// rowOf returns a row of a node that has room, which is made if there is none.
func (l *Line) rowOf(k int) int {
	n := l.nodes.Ref(k)
	if n.open > 0 && l.rows.At(int(n.open-1)).size < most {
		return int(n.open - 1)
	}
	if n.open = l.freeRow; n.open > 0 {
		l.freeRow = l.rows.At(int(n.open - 1)).node
		l.rows.Set(int(n.open-1), row{node: int32(k)})
	} else {
		l.rows.Append(row{node: int32(k)})
		n.open = int32(l.rows.Len())
	}
	return int(n.open - 1)
}

// Clone returns a line of its own, nil of nil.
func (l *Line) Clone() *Line {
	if l == nil {
		return nil
	}
	c := *l
	c.seats, c.nodes, c.names, c.rows = l.seats.Clone(), l.nodes.Clone(), l.names.Clone(), l.rows.Clone()
	c.alone, c.order, c.inner, c.queue = l.alone.Clone(), l.order.Clone(), l.inner.Clone(), l.queue.Clone()
	c.mates = l.mates.Clone()
	return &c
}

// A candidate is a pod where it stands in the line.
type candidate struct {
	turn
	neighbours int32
}

func (l *Line) candidate(i int32) candidate {
	r := l.rows.At(l.seats.At(int(i)).place.row())
	t, _ := l.turnOf(i, r.costs)
	return candidate{t, l.nodes.At(int(r.node)).neighbours}
}

// alike reports whether the order knows no difference before the ages of two candidates.
func (a *candidate) alike(b *candidate) bool {
	return a.health == b.health && a.cost == b.cost && a.neighbours == b.neighbours
}

// compare puts candidates in the order of the line: by UID where only mates are not.
func (l *Line) compare(a, b *candidate) int {
	if a.neighbours != b.neighbours && a.health == b.health && a.cost == b.cost {
		return cmp.Compare(b.neighbours, a.neighbours)
	}
	return l.compareTurns(&a.turn, &b.turn)
}

// compareNodes puts nodes in the order of the pods that go first on each.
func (l *Line) compareNodes(i, j int32) int {
	a, b := l.nodes.At(int(i)), l.nodes.At(int(j))
	return l.compare(&candidate{a.first, a.neighbours}, &candidate{b.first, b.neighbours})
}

// compareRows puts rows in the order of their nodes, and then of the pods that go first.
func (l *Line) compareRows(i, j int32) int {
	a, b := l.rows.At(int(i)), l.rows.At(int(j))
	if a.node != b.node {
		return cmp.Compare(a.node, b.node)
	}
	return l.compareTurns(&a.first, &b.first)
}

// compareTurns compares pods with as many neighbours, by their UIDs at last.
func (l *Line) compareTurns(a, b *turn) int {
	if c := a.compare(b); c != 0 {
		return c
	}
	return l.compareIDs(a.pod, b.pod)
}

func (l *Line) compareIDs(i, j int32) int {
	a, b := l.pods.At(int(i)), l.pods.At(int(j))
	if c := strings.Compare(a.UID, b.UID); c != 0 {
		return c
	}
	return strings.Compare(a.Name, b.Name)
}
