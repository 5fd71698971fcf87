// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"math"

	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// A tree finds nodes with room. Its leaves are the nodes, and each inner node has the most of
// each column below it. The first column is whether a node takes pods, and the others are the
// free amounts of the resources.
type tree struct {
	columns int     // 0 in the zero tree, which has no nodes
	leaves  int     // a power of two
	most    []int64 // the root is 1, the children of i are 2i and 2i+1
}

// The first column. A pod that tolerates cordoned or silent nodes also goes to closed ones.
const (
	absent int64 = iota // there is no such node
	closed
	open
)

func newTree(resources, nodes int) tree {
	t := tree{columns: 1 + resources, leaves: 1}
	for t.leaves < nodes {
		t.leaves *= 2
	}
	t.most = make([]int64, 2*t.leaves*t.columns)
	return t
}

func (t *tree) resources() int { return max(t.columns-1, 0) }

// row returns the columns at a place of the tree.
func (t *tree) row(at int) []int64 { return t.most[at*t.columns : (at+1)*t.columns] }

// leaf returns the columns of a node.
func (t *tree) leaf(i int) []int64 { return t.row(t.leaves + i) }

// grow makes leaves for so many nodes.
func (t *tree) grow(nodes int) {
	if t.columns > 0 && nodes <= t.leaves {
		return
	}
	old := *t
	*t = newTree(old.resources(), nodes)
	if old.columns > 0 {
		copy(t.most[t.leaves*t.columns:], old.most[old.leaves*old.columns:])
		t.build()
	}
}

// remove removes a leaf. So many nodes stay.
func (t *tree) remove(i, nodes int) {
	leaves := t.most[t.leaves*t.columns:]
	copy(leaves[i*t.columns:nodes*t.columns], leaves[(i+1)*t.columns:])
	clear(t.leaf(nodes))
	t.build()
}

// build computes all inner nodes.
func (t *tree) build() {
	for at := t.leaves - 1; at > 0; at-- {
		t.join(at)
	}
}

// join computes an inner node from its children. It reports whether that has changed it.
func (t *tree) join(at int) (changed bool) {
	row, left, right := t.row(at), t.row(2*at), t.row(2*at+1)
	for c := range row {
		if most := max(left[c], right[c]); most != row[c] {
			row[c], changed = most, true
		}
	}
	return changed
}

// climb repairs the tree above a leaf.
func (t *tree) climb(i int) {
	for at := (t.leaves + i) / 2; at > 0 && t.join(at); at /= 2 {
	}
}

// set writes the leaf of a node without pods.
func (t *tree) set(i int, node *cluster.Node) {
	leaf := t.leaf(i)
	leaf[0] = open
	if node.Cordoned || node.NotReady {
		leaf[0] = closed
	}
	for r := range leaf[1:] {
		leaf[1+r] = roomOf(node, r)
	}
	t.climb(i)
}

// take takes the needs of a pod, or gives them back with the sign -1. A resource that a node does
// not limit stays as it is.
func (t *tree) take(i int, node *cluster.Node, needs []int64, sign int64) {
	leaf, changed := t.leaf(i)[1:], false
	for r := range min(len(needs), len(leaf), len(node.Room)) {
		if needs[r] > 0 {
			leaf[r] -= sign * needs[r]
			changed = true
		}
	}
	if changed {
		t.climb(i)
	}
}

// enough reports whether the columns are enough for a pod. One that needs nothing of a resource
// does not care how much others have taken.
func enough(row, needs []int64, takes int64) bool {
	if row[0] < takes {
		return false
	}
	for r := range min(len(needs), len(row)-1) {
		if short(row[1:], needs, r) {
			return false
		}
	}
	return true
}

// short reports whether a pod needs more of a resource than is free.
//
// It mirrors fitsRequest of the scheduler plugin NodeResourcesFit.
func short(free, needs []int64, r int) bool { return needs[r] > 0 && needs[r] > free[r] }

// next returns the first node from an index on with room, or -1, below a place of
// the tree that spans the nodes from low on.
func (t *tree) next(at, low, span, from int, needs []int64, takes int64) int {
	if span == 0 || low+span <= from || !enough(t.row(at), needs, takes) {
		return -1
	}
	if span == 1 {
		return low
	}
	if i := t.next(2*at, low, span/2, from, needs, takes); i >= 0 {
		return i
	}
	return t.next(2*at+1, low+span/2, span/2, from, needs, takes)
}

// roomOf returns how much a node has of a resource before pods take any.
func roomOf(node *cluster.Node, resource int) int64 {
	if resource < len(node.Room) {
		return node.Room[resource]
	}
	return math.MaxInt64
}
