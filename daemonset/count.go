// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"slices"
	"strings"
)

// A state is an input and its history, with the placement and the pods of each node. All decisions
// use it. Nothing writes to it after [count].
type state struct {
	*input
	*history

	keys    []nodeKey    // the nodes in the order of the input, then missing nodes with pods
	grouped []int32      // the numbers of the owned pods, by key
	ranked  bool         // some node has a rank
	desired int32        // number of nodes that should run a pod
	omitted omittedNodes // nodes that are not among the keys
}

// A nodeKey is a node, or a missing node, with the pods that belong to it.
type nodeKey struct {
	name         string
	node         int32 // index in the input; -1 for a missing node
	first, count int32 // its pods are grouped[first:first+count]
	run, cont    bool  // should run, should continue running
}

// count returns the state of an input: it decides the placement of each node, and groups the pods
// by node.
func count(in *input, h *history, omitted omittedNodes) *state {
	st := &state{input: in, history: h, omitted: omitted, desired: omitted.desired()}
	st.place()
	st.group()
	return st
}

// place makes the keys, and decides the placement of each node.
func (st *state) place() {
	st.keys = make([]nodeKey, len(st.nodes), len(st.nodes)+len(st.missing))
	var place Placement
	var term int
	for i := range st.nodes {
		n := &st.nodes[i]
		place, term = st.placer.place(n, term)
		st.keys[i] = nodeKey{name: n.Name, node: int32(i), run: place.ShouldRun, cont: place.ShouldContinueRunning}
		st.ranked = st.ranked || n.Rank != 0
		if place.ShouldRun {
			st.desired++
		}
	}
	for _, name := range st.missing {
		st.keys = append(st.keys, nodeKey{name: name, node: -1})
	}
}

// group sorts the owned pods by key, and the pods of a key by name.
func (st *state) group() {
	total := int32(0)
	for _, key := range st.keyOf {
		if key >= 0 {
			st.keys[key].count++
		}
	}
	for i := range st.keys {
		st.keys[i].first = total
		total += st.keys[i].count
		st.keys[i].count = 0
	}
	st.grouped = make([]int32, total)
	for n, i := range st.owned {
		if key := st.keyOf[n]; key >= 0 {
			k := &st.keys[key]
			st.grouped[k.first+k.count] = i
			k.count++
		}
	}
	for i := range st.keys {
		if st.keys[i].count > 1 {
			slices.SortFunc(st.podsOf(&st.keys[i]), st.comparePods)
		}
	}
}

// A nodePods is the pods of a node that are not being deleted, by version.
type nodePods struct {
	new, old podFacts
	ok       bool // there is at most one of each
	all      int  // number of all pods of the node, including pods that are being deleted
}

// classify returns the new and the old pod of a key, pods that are being deleted aside. With two
// new or two old pods it returns neither, and ok is not set.
func (st *state) classify(k *nodeKey) nodePods {
	c := nodePods{ok: true, all: int(k.count)}
	for _, n := range st.podsOf(k) {
		p := podFacts{n + 1, st.facts[n]}
		switch {
		case p.has(isTerminating):
		case p.has(isCurrent):
			c.ok = c.ok && !c.new.exists()
			c.new = p
		default:
			c.ok = c.ok && !c.old.exists()
			c.old = p
		}
	}
	if !c.ok {
		c.new, c.old = podFacts{}, podFacts{}
	}
	return c
}

// podsOf returns the numbers of the pods of a key.
func (st *state) podsOf(k *nodeKey) []int32 { return st.grouped[k.first : k.first+k.count] }

// compareKeys orders keys by name.
func (st *state) compareKeys(a, b int32) int {
	return strings.Compare(st.keys[a].name, st.keys[b].name)
}

// order returns the comparison of keys that gives the order of the update.
func (st *state) order() func(a, b int32) int {
	if st.ranked {
		return st.compareRanks
	}
	return st.compareKeys
}

// compareRanks orders keys by the caller's rank, and then by name. Missing nodes have
// rank 0.
func (st *state) compareRanks(a, b int32) int {
	return cmp.Or(cmp.Compare(st.rank(a), st.rank(b)), st.compareKeys(a, b))
}

func (st *state) rank(key int32) int32 {
	if node := st.keys[key].node; node >= 0 {
		return st.nodes[node].Rank
	}
	return 0
}
