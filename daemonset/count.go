// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"slices"
	"strings"
)

// A state is the nodes of a DaemonSet with their pods and the facts about each: all decisions
// use it. Nothing writes to it after [count].
type state struct {
	*input
	*history

	keys    []nodeKey // the nodes, and names of others that pods belong to
	facts   []facts   // of the owned pods
	grouped []int32   // pods by key
	ranked  bool      // the caller has ordered the nodes
	desired int32     // nodes that should run a pod
	others  alike     // nodes that are not among the keys
}

// count finds the pods of each node, in the order of their names, and decides where daemons
// belong. A name of a missing node becomes a key after the keys of the nodes.
//
// It is short enough for inlining, which keeps the state on the caller's stack.
func count(in *input, h *history, others alike) *state {
	st := &state{input: in, history: h, others: others}
	st.assign()
	return st
}

// place decides where daemons belong, unless a Tracker has decided that.
func (st *state) place() {
	st.keys, st.desired = st.located.keys, st.others.desired()
	if len(st.keys) < len(st.nodes) {
		l := located{keys: make([]nodeKey, 0, len(st.nodes)+min(4, len(st.pods)))}
		var place Placement
		var term int
		for i := range st.nodes {
			st.ranked = st.ranked || st.nodes[i].Rank != 0
			place, term = st.placer.place(&st.nodes[i], term)
			l.add(st.nodes[i].Name, place.ShouldRun, place.ShouldContinueRunning)
		}
		st.keys = l.keys
	}
	for i := range st.keys {
		if st.keys[i].run {
			st.desired++
		}
	}
}

// assign finds the pods of each node.
func (st *state) assign() {
	st.place()
	st.facts = make([]facts, len(st.pods))
	var few [16]int32
	keyOf, missing := few[:], map[string]int32{}
	if len(st.owned) > len(few) {
		keyOf = make([]int32, len(st.owned))
	}
	for n, i := range st.owned {
		st.facts[i] = st.factsOf(&st.pods[i])
		target := st.pods[i].place(st.facts[i], st.opts.kruise())
		if target == "" {
			keyOf[n] = -1
			continue
		}
		key := st.nodeOf(i, target)
		if known := false; key < 0 {
			if key, known = missing[target]; !known {
				key = int32(len(st.keys))
				st.keys, missing[target] = append(st.keys, nodeKey{name: target, node: -1}), key
			}
		}
		keyOf[n] = key
		st.keys[key].count++
	}
	st.group(keyOf)
}

// nodeOf returns the node that a pod belongs to, by its name, or -1 if the node is missing.
func (in *input) nodeOf(pod int32, name string) int32 {
	if len(in.located.of) > 0 {
		return in.located.of[pod]
	}
	node, _ := in.index.find(name, func(i int32) string { return in.nodes[i].Name })
	return node
}

// factsOf returns the facts of a pod.
func (st *state) factsOf(p *Pod) facts {
	return factsOf(p, st.version.hashOf(p), &st.version, &st.availability, st.opts.kruise())
}

// group sorts the owned pods by key, and the pods of a key by name.
func (st *state) group(keyOf []int32) {
	total := int32(0)
	for i := range st.keys {
		st.keys[i].first = total
		total += st.keys[i].count
		st.keys[i].count = 0
	}
	st.grouped = make([]int32, total)
	for n, i := range st.owned {
		if keyOf[n] >= 0 {
			k := &st.keys[keyOf[n]]
			st.grouped[k.first+k.count] = i
			k.count++
		}
	}
	for i := range st.keys {
		if st.keys[i].count > 1 {
			slices.SortFunc(st.podsOf(&st.keys[i]), func(a, b int32) int { return cmp.Compare(st.pods[a].Name, st.pods[b].Name) })
		}
	}
}

// A nodePods is the pods of a node that are not being deleted, by version.
type nodePods struct {
	new, old podFacts
	ok       bool // at most one of each
	all      int  // pods that belong to the node, whatever their state
}

// classify divides the pods of a key that are not being deleted into a new and an old pod.
// With two new or two old pods the node is not in order.
func (st *state) classify(k *nodeKey) nodePods {
	c := nodePods{ok: true, all: int(k.count)}
	for _, n := range st.podsOf(k) {
		p := podFacts{&st.pods[n], st.facts[n]}
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

// order returns the comparison that puts keys in the order of the update.
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
