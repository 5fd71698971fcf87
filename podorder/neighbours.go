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
// nodes, from 1. There is room for a node per eight pods, and more of them make it grow. The
// names are copied into one text, so that few nodes stay in the caches of the processor: those
// of the pods lie far apart.
type neighbourCounts struct {
	slots   []int32
	names   []byte // of the nodes, one behind the other
	nodes   []nodeCount
	numbers []int32 // of the node of each pod that was seen, 0 if it does not matter
}

// A nodeCount is how many pods were counted on a node, whose name is a part of all names.
type nodeCount struct {
	hash       uint64
	start, end int
	pods       int32
}

// newNeighbourCounts returns one with room for n pods.
func newNeighbourCounts(n int) *neighbourCounts {
	nodes := 1 + max(n/8, min(n, 8)) // a guess
	return &neighbourCounts{
		slots: make([]int32, 1<<bits.Len(uint(2*nodes))),
		names: make([]byte, 0, 16*nodes), nodes: make([]nodeCount, 1, nodes), numbers: make([]int32, 0, n),
	}
}

// add sees the next pod: whether the number of its node matters, and whether it counts there.
func (c *neighbourCounts) add(p *Pod, matters, counted bool) {
	number := int32(0)
	if matters || counted {
		number = c.number(p.NodeName)
	}
	if c.numbers = append(c.numbers, number); counted {
		c.nodes[number].pods++
	}
}

// number returns the number of a node.
func (c *neighbourCounts) number(name string) int32 {
	h := hash(name)
	if number := *c.slot(name, h); number != 0 {
		return number
	}
	return c.enter(name, h)
}

// slot returns the slot that holds the number of a node, or is free for it.
func (c *neighbourCounts) slot(name string, hash uint64) *int32 {
	mask := uint64(len(c.slots) - 1)
	for h := hash; ; h++ {
		s := &c.slots[h&mask]
		if *s == 0 {
			return s
		}
		if n := &c.nodes[*s]; n.hash == hash && string(c.names[n.start:n.end]) == name {
			return s
		}
	}
}

// enter numbers a node that has no slot. At most half of the slots are taken.
func (c *neighbourCounts) enter(name string, hash uint64) int32 {
	start := len(c.names)
	c.names = append(c.names, name...)
	c.nodes = append(c.nodes, nodeCount{hash: hash, start: start, end: len(c.names)})
	if 2*len(c.nodes) > len(c.slots) {
		c.slots = make([]int32, 2*len(c.slots))
		for number := 1; number < len(c.nodes)-1; number++ {
			c.take(int32(number))
		}
	}
	return c.take(int32(len(c.nodes) - 1))
}

// take gives a node the first slot that is free for it.
func (c *neighbourCounts) take(number int32) int32 {
	mask := uint64(len(c.slots) - 1)
	h := c.nodes[number].hash
	for c.slots[h&mask] != 0 {
		h++
	}
	c.slots[h&mask] = number
	return number
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

func (c *neighbourCounts) of(node string) int32 { return c.nodes[*c.slot(node, hash(node))].pods }

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
