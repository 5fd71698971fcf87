// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"slices"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// A Pod is one that wants a node, or has one.
type Pod struct {
	*podorder.Pod // must not be changed
	Template      cluster.Template
}

// Nodes are the nodes of a cluster, with the room that pods on them leave. The zero value has
// no nodes, and no resources.
type Nodes struct {
	list   []*nodeState
	named  map[string]*nodeState // all of list, and names of unknown nodes that have pods
	room   tree
	pods   map[string]*held   // by UID
	claims map[string][]*held // pods that use a claim, by its name
	counts counts
	last   *terms // of the pod that asked last, until something changes
}

// A nodeState is a node with its pods.
type nodeState struct {
	name  string
	node  *cluster.Node // nil if it is not known: its pods count nowhere
	index int           // in the list of nodes
	pods  []*held
	ports []cluster.HostPort // that pods use; a port stands here once for each of them
}

// New returns nodes without pods. Rooms and needs are of so many resources.
func New(list []cluster.Node, resources int) *Nodes {
	n := &Nodes{room: newTree(max(resources, 0), len(list))}
	for i := range list {
		n.Set(list[i])
	}
	return n
}

// Len returns how many nodes there are.
func (n *Nodes) Len() int { return len(n.list) }

// At returns a node by its index, from 0, or nil. It must not be changed. A later
// Set does not change it either.
func (n *Nodes) At(i int) *cluster.Node {
	if i < 0 || i >= len(n.list) {
		return nil
	}
	return n.list[i].node
}

// Index returns the index of the node with a name. Remove lowers the index of later nodes.
func (n *Nodes) Index(name string) (int, bool) {
	if s := n.named[name]; s != nil && s.node != nil {
		return s.index, true
	}
	return 0, false
}

// Free returns how much of a resource pods leave on a node: less than 0 if they take more than
// there is, [math.MaxInt64] if the node does not limit it, and 0 without such a node or resource.
func (n *Nodes) Free(i, resource int) int64 {
	if i < 0 || i >= len(n.list) || resource < 0 || resource >= n.room.resources() {
		return 0
	}
	return n.room.leaf(i)[1+resource]
}

// Set adds a node after all others, or replaces the one with its name. Its pods stay.
func (n *Nodes) Set(node cluster.Node) {
	n.last = nil
	s := n.nodeState(node.Name)
	if s.node == nil {
		s.index = len(n.list)
		n.list = append(n.list, s)
		n.room.grow(len(n.list))
	} else {
		n.leave(s)
	}
	s.node = &node
	n.room.set(s.index, s.node)
	n.counts.node(s.node, 1)
	for _, h := range s.pods {
		n.count(h, 1)
	}
}

// Remove forgets a node and its pods.
func (n *Nodes) Remove(name string) {
	n.last = nil
	s := n.named[name]
	if s == nil {
		return
	}
	if s.node != nil {
		n.leave(s)
		n.list = slices.Delete(n.list, s.index, s.index+1)
		n.room.remove(s.index, len(n.list))
		for i, later := range n.list[s.index:] {
			later.index = s.index + i
		}
	}
	for _, h := range s.pods {
		delete(n.pods, h.UID)
	}
	delete(n.named, name)
}

// leave takes a known node and its pods out of all counts.
func (n *Nodes) leave(s *nodeState) {
	for _, h := range s.pods {
		n.count(h, -1)
	}
	n.counts.node(s.node, -1)
}

// nodeState returns the nodeState of a name, which may be new.
func (n *Nodes) nodeState(name string) *nodeState {
	s := n.named[name]
	if s == nil {
		if n.named == nil {
			n.named = map[string]*nodeState{}
		}
		s = &nodeState{name: name}
		n.named[name] = s
	}
	return s
}
