// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"math"
	"slices"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/selector"
)

// A Pod is one that wants a node.
type Pod struct {
	*podorder.Pod // must not be changed
	Template      Template
}

// Nodes are the nodes of a [World], with what is left on each. A scheduler gets them, reads, and
// keeps nothing.
type Nodes struct {
	list  []Node
	place map[string]int
	width int     // resources, and one that says whether a node takes pods
	free  []int64 // width of them for each node
	most  []int64 // a binary tree over the nodes: the most that is free below, for each resource
	size  int     // its leaves
}

// Len is how many nodes there are.
func (n *Nodes) Len() int { return len(n.list) }

// At returns a node by its place, from 0; nil if there is none. It must not be changed.
func (n *Nodes) At(i int) *Node {
	if i < 0 || i >= len(n.list) {
		return nil
	}
	return &n.list[i]
}

// Free returns how much of a resource, by its place in Snapshot.Resources, is left on a node.
func (n *Nodes) Free(i, resource int) int64 {
	if i < 0 || i >= len(n.list) || resource < 0 || resource >= n.width-1 {
		return 0
	}
	return n.free[i*n.width+1+resource]
}

// Fits reports whether a node answers, takes new pods, has room for this one, and is one that
// its template asks for and tolerates.
func (n *Nodes) Fits(i int, p Pod) bool {
	return i >= 0 && i < len(n.list) && !p.Template.Unplaceable && n.open(n.free[i*n.width:], p.Template.Needs) && accepts(&n.list[i], &p.Template)
}

// First returns the first node from a place on that a pod fits, -1 if there is none. It takes
// as long for many nodes as for few, unless the template excludes most of those with room.
func (n *Nodes) First(from int, p Pod) int {
	for i := max(from, 0); i < len(n.list) && !p.Template.Unplaceable; i++ {
		if i = n.next(1, 0, n.size, i, p.Template.Needs); i < 0 || accepts(&n.list[i], &p.Template) {
			return i
		}
	}
	return -1
}

// BinPack is a scheduler that fills one node after the other: the first that a pod fits.
func BinPack(p Pod, nodes *Nodes) string {
	if n := nodes.At(nodes.First(0, p)); n != nil {
		return n.Name
	}
	return ""
}

// unlimited is the room for what a node does not limit.
const unlimited = math.MaxInt64 / 2

func newNodes(list []Node, resources int) *Nodes {
	n := &Nodes{list: slices.Clone(list), place: map[string]int{}, width: resources + 1, size: 1}
	for n.size < len(list) {
		n.size *= 2
	}
	n.free, n.most = make([]int64, len(list)*n.width), make([]int64, 2*n.size*n.width)
	for i := range n.list {
		n.place[n.list[i].Name] = i
		for r := range n.width {
			n.free[i*n.width+r] = unlimited
			if room := n.list[i].Room; r > 0 && r <= len(room) {
				n.free[i*n.width+r] = room[r-1]
			}
		}
		n.opened(i)
	}
	return n
}

// opened notes whether a node takes pods.
func (n *Nodes) opened(i int) {
	n.free[i*n.width] = 1
	if n.list[i].Cordoned || n.list[i].NotReady {
		n.free[i*n.width] = 0
	}
	n.climb(i)
}

// climb repairs the tree above a node.
func (n *Nodes) climb(i int) {
	w := n.width
	at := n.size + i
	copy(n.most[at*w:(at+1)*w], n.free[i*w:])
	for at /= 2; at > 0; at /= 2 {
		left, right := n.most[2*at*w:(2*at+1)*w], n.most[(2*at+1)*w:(2*at+2)*w]
		for r := range w {
			n.most[at*w+r] = max(left[r], right[r])
		}
	}
}

// open reports whether what is free is enough.
func (n *Nodes) open(free, needs []int64) bool {
	if free[0] <= 0 {
		return false
	}
	for r, need := range needs {
		if r+1 < n.width && need > free[r+1] {
			return false
		}
	}
	return true
}

// next returns the first node at or behind a place that has room, below a node of the tree
// which spans the places from low on.
func (n *Nodes) next(at, low, span, from int, needs []int64) int {
	if low+span <= from || !n.open(n.most[at*n.width:], needs) {
		return -1
	}
	if span == 1 {
		return low
	}
	if i := n.next(2*at, low, span/2, from, needs); i >= 0 {
		return i
	}
	return n.next(2*at+1, low+span/2, span/2, from, needs)
}

// take takes what a pod needs, or gives it back with the sign -1.
func (n *Nodes) take(i int, needs []int64, sign int64) {
	for r, need := range needs {
		if r+1 < n.width && need > 0 {
			n.free[i*n.width+1+r] -= sign * need
		}
	}
	n.climb(i)
}

// accepts reports whether a node is one that a template asks for and tolerates.
func accepts(n *Node, t *Template) bool {
	for _, taint := range n.Taints {
		hard := taint.Effect == daemonset.NoSchedule || taint.Effect == daemonset.NoExecute
		if hard && !slices.ContainsFunc(t.Tolerations, func(o daemonset.Toleration) bool { return o.Tolerates(taint) }) {
			return false
		}
	}
	if len(t.NodeSelector) == 0 && t.Affinity == nil {
		return true
	}
	ok, err := selector.NewNodeAffinity(t.NodeSelector, t.Affinity).Match(n.Name, n.Labels)
	return ok && err == nil
}
