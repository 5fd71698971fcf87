// SPDX-License-Identifier: Apache-2.0

package podorder

import "math/bits"

// Neighbours is the number of related pods on each node, by node name. Pods with
// more neighbours are deleted first, so that what stays is spread out. Pods that
// are not scheduled yet share the node named "".
type Neighbours map[string]int32

// Add counts the pod on its node if it is active. Like any map, n must not be nil.
func (n Neighbours) Add(p *Pod) {
	if p != nil && p.Active() {
		n[p.NodeName]++
	}
}

// A neighbourCounts is Neighbours in slices: a Go map would allocate with the number of nodes.
// Its slots are a hash table with open addressing from node names to the numbers of
// nodes, from 1. There is room for a node per pod, of which the slots take only what
// the nodes need, so that few nodes stay in the caches of the processor.
type neighbourCounts struct {
	pods    []Pod
	related func(p *Pod) bool
	slots   []int32
	room    []int32 // what slots may grow into
	firsts  []int32 // of the nodes, from number 1: one of its pods
	counts  []int32 // of the nodes
	nodes   []int32 // the number of the node of each pod, 0 if it was not counted
}

// newNeighbourCounts returns one that has counted nothing.
func newNeighbourCounts(pods []Pod, related func(p *Pod) bool) *neighbourCounts {
	n := len(pods)
	room := make([]int32, 1<<bits.Len(uint(2*n+1)))
	return &neighbourCounts{
		pods: pods, related: related, slots: room[:(len(room)+7)/8], room: room,
		firsts: make([]int32, 1, n+1), counts: make([]int32, n+1), nodes: make([]int32, n),
	}
}

func (c *neighbourCounts) countAll() {
	for i := range c.pods {
		c.count(i)
	}
}

// count counts a pod if it is active and related.
func (c *neighbourCounts) count(i int) {
	p := &c.pods[i]
	if !p.Active() || !c.related(p) {
		return
	}
	node := c.slot(p.NodeName)
	if *node == 0 {
		node = c.add(i, node)
	}
	c.nodes[i] = *node
	c.counts[*node]++
}

func (c *neighbourCounts) slot(node string) *int32 {
	mask := uint64(len(c.slots) - 1)
	for h := hash(node); ; h++ {
		if s := &c.slots[h&mask]; *s == 0 || c.pods[c.firsts[*s]].NodeName == node {
			return s
		}
	}
}

// add numbers the node of a pod, whose slot is free. At most half of the slots are
// taken.
func (c *neighbourCounts) add(pod int, slot *int32) *int32 {
	*slot = int32(len(c.firsts))
	c.firsts = append(c.firsts, int32(pod))
	if 2*len(c.firsts) <= len(c.slots) {
		return slot
	}
	clear(c.slots)
	c.slots = c.room[:2*len(c.slots)]
	for i, first := range c.firsts[1:] {
		slot = c.slot(c.pods[first].NodeName)
		*slot = int32(i + 1)
	}
	return slot
}

// hash mixes a text, eight bytes at a time, of which the last may be some of those
// before.
func hash(s string) uint64 {
	h := uint64(len(s))
	for len(s) > 8 {
		h = mix(h ^ early(s))
		s = s[min(8, len(s)-8):]
	}
	return mix(h ^ early(s))
}

// mix spreads what tells numbers apart over all bits, wherever it is.
func mix(n uint64) uint64 {
	high, low := bits.Mul64(n, 0x9e3779b97f4a7c15)
	return high ^ low
}

func (c *neighbourCounts) of(node string) int32 { return c.counts[*c.slot(node)] }

// early returns the first eight bytes as a number with the order of the texts.
func early(uid string) (n uint64) {
	if len(uid) >= 8 {
		_ = uid[7]
		return uint64(uid[0])<<56 | uint64(uid[1])<<48 | uint64(uid[2])<<40 | uint64(uid[3])<<32 |
			uint64(uid[4])<<24 | uint64(uid[5])<<16 | uint64(uid[6])<<8 | uint64(uid[7])
	}
	for i := range len(uid) {
		n |= uint64(uid[i]) << (56 - 8*i)
	}
	return n
}
