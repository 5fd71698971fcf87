// SPDX-License-Identifier: Apache-2.0

// Package lineup keeps the pods of a ReplicaSet in the order in which a scale-down deletes them.
package lineup

import (
	"cmp"
	"math"
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/paged"
	"github.com/kplan-go/kplan/internal/tracked"
	"github.com/kplan-go/kplan/podorder"
)

// A Line is the active pods of a ReplicaSet as a scale-down goes through them. Those of one
// health on one node are a cell, for they have the same neighbours, and cells are in the order
// of the pod in each that goes first. A cell is made of rows of a few pods, in the order of
// their first ones as well. Pods age at different times, and so each row has an instant at which
// another of its pods may come first.
//
// Pods that came to a node where no other was have one neighbour, whatever its name: until another
// one comes, they stand with their like on one node for all of them, [apart]. So do all pods if
// none has neighbours.
//
// It finds candidates, which [podorder.Order.Choose] puts in order. That takes them by UID where
// their ages are alike, but for pods that became ready at one instant: see [Line.simple], and of those
// that are not [Line.settled].
type Line struct {
	pods     *Pods                    // those of the call that is under way
	related  func(*podorder.Pod) bool // nil if no pod is
	seats    paged.List[seat]         // of the pods
	nodes    paged.List[node]         // all that there have been
	names    paged.Index              // of the nodes but apart
	alone    paged.Index              // of the pods apart, by the names of their nodes
	cells    paged.List[cell]
	rows     paged.List[row]
	freeCell int32        // first one that is not in use, from 1
	freeRow  int32        // the same of rows
	order    paged.Sorted // of the cells in use
	inner    paged.Sorted // of the rows in use, by cell
	queue    paged.Queue  // of the rows in use, by the instant to look at them again
	mates    paged.Sorted // of the candidates by the instant at which they became ready, if somebody has asked
	mated    bool         // whether somebody has
	now      time.Time
	at       int64 // now
	lifted   int32 // node whose cells are out of the order, from 1, or all
	pulled   int32 // row that is out of its order, from 1
	changes  int   // since it was made
	blind    bool  // it has no seats: pods of one node have too many costs of deletion, or too many nodes have been
	restarts int   // ready pods with restarts
	unset    int   // and without an instant of creation
	ready    int
	oldest   time.Time // creation of ready pods, those too that have gone
	youngest time.Time
}

// Pods are the pods that seats are of, by number.
type Pods = tracked.Table[podorder.Pod, tracked.Pods]

// all is that the cells of all nodes are lifted, and all rows are pulled.
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
		return int(l.cells.At(int(l.rows.At(p.row()).cell)).node)
	}
	return -1
}

// A node is a node, with how many active pods of all related ReplicaSets are on it.
type node struct {
	name       string
	neighbours int32
	cells      int32 // the first one, from 1
}

// A cell is the candidates of one health on one node.
type cell struct {
	health uint64
	node   int32
	next   int32 // cell of the same node, or that is free, from 1
	size   int32
	open   int32 // a row that may have room, from 1
	first  int32 // pod that goes first, -1 if it is in no order
	turn   turn  // of that
}

// A row is some of the candidates of a cell.
type row struct {
	cell  int32 // or the next row that is free, from 1
	pods  int32 // the first one, from 1
	size  int32
	due   int32 // its place in the queue, from 1; 0 if it is in no order
	first int32 // pod that goes first
	turn  turn  // of that
}

// most is how many pods a row has at most, which are looked at one by one.
const most = 48

// mostCells is how many cells a node may have, all of which are looked at when one of them changes.
const mostCells = 64

// A turn is what decides among pods of a cell, and of cells with as many neighbours, before
// their UIDs.
type turn struct {
	restarts int32
	sidecars int32
	age      int8 // bucket of the ready time
	created  int8 // bucket of the creation
}

func (a *turn) compare(b *turn) int {
	if a.age != b.age {
		return cmp.Compare(a.age, b.age)
	}
	return cmp.Or(cmp.Compare(b.restarts, a.restarts), cmp.Compare(b.sidecars, a.sidecars), cmp.Compare(a.created, b.created))
}

// turnOf returns the turn of a pod, and when its bucket may change it. Of ready pods with
// a ready time restarts and creation count only among those that became ready at one instant.
func (l *Line) turnOf(p *podorder.Pod) (turn, int64) {
	if p.Ready && !p.ReadySince.IsZero() {
		bucket := podorder.AgeBucket(p.ReadySince, l.now)
		return turn{age: bucket}, again(p.ReadySince, bucket, l.at)
	}
	t := l.lifeOf(p)
	if p.CreationTimestamp.IsZero() {
		return t, math.MaxInt64
	}
	return t, again(p.CreationTimestamp, t.created, l.at)
}

// lifeOf returns what decides among pods of which none is ready, or that became ready at one instant.
func (l *Line) lifeOf(p *podorder.Pod) turn {
	t := turn{age: math.MinInt8, restarts: p.Restarts, sidecars: p.SidecarRestarts, created: math.MinInt8}
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
	k := l.nodes.Len()
	l.nodes.Append(node{name: name})
	l.names.Add(k, l.name)
	if first >= 0 {
		l.rise(first)
		l.seat(first, k, true, true)
	}
	return k
}

// cellOf returns the cell of a health on a node, which is made if there is none.
func (l *Line) cellOf(k int, health uint64) int {
	n, cells := l.nodes.At(k), 0
	for i := n.cells; i > 0; i = l.cells.At(int(i - 1)).next {
		if l.cells.At(int(i-1)).health == health {
			return int(i - 1)
		}
		cells++
	}
	l.blind = l.blind || cells >= mostCells
	c := cell{health: health, node: int32(k), next: n.cells, first: -1}
	if l.freeCell > 0 {
		n.cells = l.freeCell
		l.freeCell = l.cells.At(int(n.cells - 1)).next
		l.cells.Set(int(n.cells-1), c)
	} else {
		l.cells.Append(c)
		n.cells = int32(l.cells.Len())
	}
	l.nodes.Set(k, n)
	return int(n.cells - 1)
}

func (l *Line) putDue(i int, place int32) {
	r := l.rows.At(i)
	r.due = place
	l.rows.Set(i, r)
}

// rowOf returns a row of a cell that has room, which is made if there is none.
func (l *Line) rowOf(at int) int {
	c := l.cells.At(at)
	if c.open > 0 && l.rows.At(int(c.open-1)).size < most {
		return int(c.open - 1)
	}
	if c.open = l.freeRow; c.open > 0 {
		l.freeRow = l.rows.At(int(c.open - 1)).cell
		l.rows.Set(int(c.open-1), row{cell: int32(at)})
	} else {
		l.rows.Append(row{cell: int32(at)})
		c.open = int32(l.rows.Len())
	}
	l.cells.Set(at, c)
	return int(c.open - 1)
}

// Clone returns a line of its own, nil of nil.
func (l *Line) Clone() *Line {
	if l == nil {
		return nil
	}
	c := *l
	c.seats, c.nodes, c.names, c.cells, c.rows = l.seats.Clone(), l.nodes.Clone(), l.names.Clone(), l.cells.Clone(), l.rows.Clone()
	c.alone, c.order, c.inner, c.queue = l.alone.Clone(), l.order.Clone(), l.inner.Clone(), l.queue.Clone()
	c.mates = l.mates.Clone()
	return &c
}

// compareCells puts cells in the order of the pods that go first in each.
func (l *Line) compareCells(i, j int32) int {
	a, b := l.cells.At(int(i)), l.cells.At(int(j))
	if c := l.compareClass(&a, &b); c != 0 {
		return c
	}
	return l.compareTurns(&a.turn, &b.turn, a.first, b.first)
}

// compareClass compares what decides between pods of two cells before their turns.
func (l *Line) compareClass(a, b *cell) int {
	if a.health != b.health {
		return cmp.Compare(a.health, b.health)
	}
	if a.node == b.node {
		return 0
	}
	return cmp.Compare(l.nodes.At(int(b.node)).neighbours, l.nodes.At(int(a.node)).neighbours)
}

// compareTurns compares two pods of one class by their turns, and then by their UIDs.
func (l *Line) compareTurns(a, b *turn, i, j int32) int {
	if c := a.compare(b); c != 0 {
		return c
	}
	return l.compareIDs(i, j)
}

// compareRows puts rows in the order of their cells, and then of the pods that go first.
func (l *Line) compareRows(i, j int32) int {
	a, b := l.rows.At(int(i)), l.rows.At(int(j))
	if a.cell != b.cell {
		return cmp.Compare(a.cell, b.cell)
	}
	return l.compareTurns(&a.turn, &b.turn, a.first, b.first)
}

func (l *Line) compareIDs(i, j int32) int {
	a, b := l.pods.At(int(i)), l.pods.At(int(j))
	if c := strings.Compare(a.UID, b.UID); c != 0 {
		return c
	}
	return strings.Compare(a.Name, b.Name)
}
