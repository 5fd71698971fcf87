// SPDX-License-Identifier: Apache-2.0

// Package ranking keeps the pods of a ReplicaSet in the order in which a scale-down deletes them.
package ranking

import (
	"cmp"
	"math"
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/podorder"
)

// A List holds the active pods of a ReplicaSet in the order of a scale-down:
//
//	nodes   by the pod of each that goes first; all pods of a node have the same neighbours
//	rows    of up to 48 pods of a node, by the pod of each that goes first
//	pods    of a row, unsorted
//
// The order changes with the age of pods, so each row has a time at which another of its pods may
// become the first.
//
// A pod that comes to an empty node has one neighbour, itself, whatever the name of the node. All
// such pods are kept on one node, [singles], until a second pod comes to their node. Without
// related pods all pods are kept there.
//
// The List finds candidates, and [podorder.Order.Choose] sorts them. The List breaks ties between
// pods of the same age by UID. That differs from Choose only for pods that became ready at the same
// time: see [List.simple] and, if that is false, [List.firstWithTies].
type List struct {
	pods         *Pods                    // of the current call
	related      func(*podorder.Pod) bool // nil if no pod has neighbours
	slots        paged.List[slot]         // of the pods
	nodes        paged.List[node]
	names        paged.Index // of all nodes except singles
	singlePods   paged.Index // the pods on singles, by the names of their nodes
	rows         paged.List[row]
	freeNode     int32        // the first unused node, from 1
	freeRow      int32        // the first unused row, from 1
	nodeOrder    paged.Sorted // of the nodes with candidates
	rowOrder     paged.Sorted // of the rows in use, by node
	queue        paged.Queue  // of the rows in use, by the time of their next change
	byReady      paged.Sorted // of the ready candidates by ready time, once buildByReady was called
	byReadyBuilt bool         // whether buildByReady was called
	now          time.Time
	nanos        int64 // now, in nanoseconds since 1970
	detachedNode int32 // the node that is not in nodeOrder, from 1; 0 for none; or allDetached
	detachedRow  int32 // the row that is not in rowOrder and queue, from 1; 0 for none; or allDetached
	changes      int   // since the list was made
	restarts     int   // ready pods with restarts
	unset        int   // ready pods without a creation time
	ready        int
	oldest       time.Time // creation time of ready pods, including removed ones
	youngest     time.Time
}

// Pods are the pods of a list, by number.
type Pods = tracked.Table[podorder.Pod, tracked.Pods]

// allDetached means that no node is in nodeOrder yet, or that no row is in rowOrder.
const allDetached = -1

// singles is the node that stands for all nodes with one pod, or for all nodes.
const singles = 0

// A slot is the place of a pod. It takes eight bytes for each pod.
type slot struct {
	place place
	next  int32 // the next pod of the row, from 1
}

// A place encodes the node and the row of a pod:
//
//	0            neither
//	-(node+1)    a neighbour on a node, but no candidate
//	2*(row+1)    a candidate in a row; plus 1 if it is also a neighbour on the node of that row
type place int32

func (p place) row() int { return max(int(p), 0)/2 - 1 } // -1 for a pod in no row

// node returns the node on which a pod is a neighbour, or -1.
func (l *List) node(p place) int {
	switch {
	case p < 0:
		return int(-p) - 1
	case p%2 == 1:
		return int(l.rows.At(p.row()).node)
	}
	return -1
}

// A node counts the active pods of all related ReplicaSets on a node.
type node struct {
	name       string
	neighbours int32
	size       int32 // candidates
	openRow    int32 // a row that may have room, from 1, or the next unused node
	first      rank  // the pod that goes first; -1 if the node is out of the order
}

// A row is a part of the candidates of a node.
type row struct {
	node  int32 // or the next unused row, from 1
	pods  int32 // the first pod, from 1
	due   int32 // its place in the queue, from 1; 0 if the row is out of its order
	first rank  // the pod that goes first
	size  uint8
	costs bool // whether a pod with a deletion cost was ever in the row
}

// maxRow is the maximum number of pods of a row, which is read from end to end. Plans and events
// take the same time with 8 to 48, and fewer rows take less memory.
const maxRow = 48

// A rank holds the criteria between pods of one node, except for their UIDs.
type rank struct {
	pod      int32 // -1 for none
	cost     int32
	restarts int32
	sidecars int32
	health   uint8
	age      int8 // age bucket of the ready time
	created  int8 // age bucket of the creation time
}

func (a *rank) compare(b *rank) int {
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

// rankOf returns the rank of a pod, and the time at which its age bucket may change. For pods with
// a ready time, restarts and creation time count only among pods with the same ready time, and are
// left out. Deletion costs are parsed only if costs is true, because few pods have one.
func (l *List) rankOf(i int32, costs bool) (t rank, due int64) {
	p := l.pods.At(int(i))
	switch {
	case p.Ready && !p.ReadySince.IsZero():
		t = rank{pod: i, health: podorder.Health(p), age: podorder.AgeBucket(p.ReadySince, l.now)}
		due = bucketEnd(p.ReadySince, t.age, l.nanos)
	case p.CreationTimestamp.IsZero():
		t, due = l.tieRank(i), math.MaxInt64
	default:
		t = l.tieRank(i)
		due = bucketEnd(p.CreationTimestamp, t.created, l.nanos)
	}
	if costs {
		t.cost, _ = podorder.DeletionCost(p.Annotations)
	}
	return t, due
}

// tieRank returns the criteria, except for the deletion cost, between pods that are not ready or
// that became ready at the same time.
func (l *List) tieRank(i int32) rank {
	p := l.pods.At(int(i))
	t := rank{i, 0, p.Restarts, p.SidecarRestarts, podorder.Health(p), math.MinInt8, math.MinInt8}
	if !p.CreationTimestamp.IsZero() {
		t.created = podorder.AgeBucket(p.CreationTimestamp, l.now)
	}
	return t
}

// simple reports whether ready pods with the same ready time are also in the order of their UIDs:
// no ready pod has restarted, and all were created in the same age bucket.
func (l *List) simple() bool {
	return l.ready == 0 || l.restarts == 0 && (l.unset == l.ready || l.unset == 0 &&
		podorder.AgeBucket(l.oldest, l.now) == podorder.AgeBucket(l.youngest, l.now))
}

// bucketEnd returns the end of an age bucket, or a little earlier. If that end may not fit a number, it
// returns any time after now.
func bucketEnd(t time.Time, bucket int8, now int64) int64 {
	at, near := tracked.Clock(t)
	switch {
	case bucket == endlessBucket, bucket < 0 && !near:
		return math.MaxInt64
	case bucket < 0:
		return at // the age begins
	case !near || bucket >= endlessBucket-4:
		return now + 1
	}
	end := int64(2) << bucket
	return at + end - end>>48 // buckets begin a little early
}

// endlessBucket is the bucket of all ages that do not fit a number.
const endlessBucket = 63

// countReady adds n, which is 1 or -1, for a candidate to the counts of ready pods.
func (l *List) countReady(i, n int) {
	p := l.pods.At(i)
	if !p.Ready || p.ReadySince.IsZero() {
		return
	}
	switch {
	case !l.byReadyBuilt:
	case n > 0:
		l.byReady.Add(int32(i), l.compareReady)
	default:
		l.byReady.Remove(int32(i), l.compareReady)
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

func (l *List) name(k int) string { return l.nodes.At(k).name }

func (l *List) nodeName(i int) string { return l.pods.At(i).NodeName }

// nodeOf returns the number of the node of a pod, and makes the node if it is new. If mayBeSingle,
// the first pod of a name goes to singles. A pod on singles with the same node name moves to the new
// node.
func (l *List) nodeOf(i int, mayBeSingle bool) int {
	if l.related == nil {
		return singles
	}
	name := l.nodeName(i)
	if k := l.names.Find(name, l.name); k >= 0 {
		return k
	}
	first := l.singlePods.Find(name, l.nodeName)
	if first < 0 && mayBeSingle {
		l.singlePods.Add(i, l.nodeName)
		return singles
	}
	k, n := int(l.freeNode-1), node{name: name, first: rank{pod: -1}}
	if k >= 0 {
		l.freeNode = l.nodes.At(k).openRow
		l.nodes.Set(k, n)
	} else {
		k = l.nodes.Len()
		l.nodes.Append(n)
	}
	l.names.Add(k, l.name)
	if first >= 0 {
		l.unassign(first)
		l.assign(first, k, true, true)
	}
	return k
}

func (l *List) putDue(i int, place int32) {
	r := l.rows.At(i)
	r.due = place
	l.rows.Set(i, r)
}

// rowOf returns a row of a node with room for a pod, which may be a new one.
func (l *List) rowOf(k int) int {
	n := l.nodes.Ref(k)
	if n.openRow > 0 && l.rows.At(int(n.openRow-1)).size < maxRow {
		return int(n.openRow - 1)
	}
	if n.openRow = l.freeRow; n.openRow > 0 {
		l.freeRow = l.rows.At(int(n.openRow - 1)).node
		l.rows.Set(int(n.openRow-1), row{node: int32(k)})
	} else {
		l.rows.Append(row{node: int32(k)})
		n.openRow = int32(l.rows.Len())
	}
	return int(n.openRow - 1)
}

// Clone returns an independent copy, or nil for nil.
func (l *List) Clone() *List {
	if l == nil {
		return nil
	}
	c := *l
	c.slots, c.nodes, c.names, c.rows = l.slots.Clone(), l.nodes.Clone(), l.names.Clone(), l.rows.Clone()
	c.singlePods, c.nodeOrder, c.rowOrder, c.queue = l.singlePods.Clone(), l.nodeOrder.Clone(), l.rowOrder.Clone(), l.queue.Clone()
	c.byReady = l.byReady.Clone()
	return &c
}

// A candidate is a pod that a scale-down may delete, with its place in the order.
type candidate struct {
	rank
	neighbours int32
}

func (l *List) candidate(i int32) candidate {
	r := l.rows.At(l.slots.At(int(i)).place.row())
	t, _ := l.rankOf(i, r.costs)
	return candidate{t, l.nodes.At(int(r.node)).neighbours}
}

// alike reports whether two candidates differ at most in their ages and the criteria after them.
func (a *candidate) alike(b *candidate) bool {
	return a.health == b.health && a.cost == b.cost && a.neighbours == b.neighbours
}

// compare compares candidates in the order of the list. Pods with the same ready time are compared
// by UID.
func (l *List) compare(a, b *candidate) int {
	if a.neighbours != b.neighbours && a.health == b.health && a.cost == b.cost {
		return cmp.Compare(b.neighbours, a.neighbours)
	}
	return l.compareRanks(&a.rank, &b.rank)
}

// compareNodes compares nodes by their first pods.
func (l *List) compareNodes(i, j int32) int {
	a, b := l.nodes.At(int(i)), l.nodes.At(int(j))
	return l.compare(&candidate{a.first, a.neighbours}, &candidate{b.first, b.neighbours})
}

// compareRows compares rows by node, then by their first pods.
func (l *List) compareRows(i, j int32) int {
	a, b := l.rows.At(int(i)), l.rows.At(int(j))
	if a.node != b.node {
		return cmp.Compare(a.node, b.node)
	}
	return l.compareRanks(&a.first, &b.first)
}

// compareRanks compares pods with equal numbers of neighbours, in the end by UID.
func (l *List) compareRanks(a, b *rank) int {
	if c := a.compare(b); c != 0 {
		return c
	}
	return l.compareIDs(a.pod, b.pod)
}

func (l *List) compareIDs(i, j int32) int {
	a, b := l.pods.At(int(i)), l.pods.At(int(j))
	if c := strings.Compare(a.UID, b.UID); c != 0 {
		return c
	}
	return strings.Compare(a.Name, b.Name)
}
