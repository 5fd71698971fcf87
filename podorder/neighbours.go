// SPDX-License-Identifier: Apache-2.0

package podorder

import "math/bits"

// Neighbours is the number of active related pods on each node, by node name. Related pods are
// the pods of the ReplicaSets with the same controller, see [Order].Related. Pods with more
// neighbours are deleted first: this spreads the remaining pods over the nodes. Pods that are
// not scheduled count on the node named "".
type Neighbours map[string]int32

// Add counts the pod on its node if it is active. As with any map, n must not be nil.
func (n Neighbours) Add(p *Pod) {
	if p != nil && p.Active() {
		n[p.NodeName]++
	}
}

// A neighbourCounts holds [Neighbours] in slices, because the allocations of a Go map grow with
// the number of nodes. Its slots are a hash table with open addressing from node names to the
// numbers of nodes, from 1. It starts with room for one node per sixteen pods and grows. Node
// names are copied, because reading them from the pods, which are far apart in memory, is slow.
type neighbourCounts struct {
	slots   []int32
	names   []byte      // node names longer than bothEnds, one after another
	nodes   []nodeCount // by number; the first is unused
	numbers []int32     // the number of the node of each added pod; 0 if nothing reads it
}

// A nodeCount is the number of pods counted on a node. head and tail are the ends of the node
// name, see hash. They hold the whole name if it is not longer than bothEnds; longer names are
// in neighbourCounts.names.
type nodeCount struct {
	head, tail  uint64
	start, size int // of the name
	pods        int32
	hash        uint32
}

// A fewCounts has the memory of a neighbourCounts for up to 32 pods, in one allocation.
type fewCounts struct {
	neighbourCounts
	slots   [16]int32
	nodes   [5]nodeCount
	numbers [32]int32
}

// newNeighbourCounts returns neighbourCounts with room for n pods.
func newNeighbourCounts(n int) *neighbourCounts {
	if few := (fewCounts{}); n <= len(few.numbers) {
		c := &few
		c.neighbourCounts = neighbourCounts{slots: c.slots[:], nodes: c.nodes[:1], numbers: c.numbers[:0]}
		return &c.neighbourCounts
	}
	nodes := 1 + max(n/16, min(n, 8)) // a guess
	return &neighbourCounts{slots: make([]int32, 1<<bits.Len(uint(2*nodes))), nodes: make([]nodeCount, 1, nodes), numbers: make([]int32, 0, n)}
}

// add adds the next pod. If numbered is set, it stores the number of the pod's node; if counted is
// set, the pod is a neighbour.
func (c *neighbourCounts) add(p *Pod, numbered, counted bool) {
	number := int32(0)
	if numbered || counted {
		if number = c.find(p.NodeName); number == 0 {
			number = c.addNode(p.NodeName)
		}
	}
	if c.numbers = append(c.numbers, number); counted {
		c.nodes[number].pods++
	}
}

// find returns the number of a node, or 0.
func (c *neighbourCounts) find(name string) int32 {
	head, tail, h := hash(name)
	for mask := uint32(len(c.slots) - 1); ; h++ {
		number := c.slots[h&mask]
		n := &c.nodes[number]
		if n.head == head && n.tail == tail && n.size == len(name) && (len(name) <= bothEnds || string(c.names[n.start:n.start+n.size]) == name) || number == 0 {
			return number
		}
	}
}

// addNode adds a node and returns its number. At most half of the slots are taken.
func (c *neighbourCounts) addNode(name string) int32 {
	n := nodeCount{size: len(name)}
	n.head, n.tail, n.hash = hash(name)
	if len(name) > bothEnds {
		if c.names == nil {
			c.names = make([]byte, 0, cap(c.nodes)*len(name))
		}
		n.start = len(c.names)
		c.names = append(c.names, name...)
	}
	c.nodes = append(c.nodes, n)
	if 2*len(c.nodes) > len(c.slots) {
		c.slots = make([]int32, 2*len(c.slots))
		for number := 1; number < len(c.nodes)-1; number++ {
			c.assignSlot(int32(number))
		}
	}
	return c.assignSlot(int32(len(c.nodes) - 1))
}

// assignSlot stores a node in its first free slot, and returns its number.
func (c *neighbourCounts) assignSlot(number int32) int32 {
	mask := uint32(len(c.slots) - 1)
	h := c.nodes[number].hash
	for c.slots[h&mask] != 0 {
		h++
	}
	c.slots[h&mask] = number
	return number
}

// bothEnds is the length of the longest name that head and tail, eight bytes each, hold completely.
const bothEnds = 16

// hash returns the first eight bytes (head) and the last eight bytes (tail) of a text as numbers,
// and a hash of all bytes. For a text shorter than eight bytes tail is 0.
func hash(s string) (head, tail uint64, mixed uint32) {
	n := len(s)
	if n >= 8 {
		head, tail = word(s), word(s[n-8:])
	} else {
		head = uidPrefix(s)
	}
	h := head ^ uint64(n)
	for ; n > bothEnds; n = len(s) {
		s = s[8:]
		h = mix(h) ^ word(s)
	}
	high, low := bits.Mul64(h^0xe7037ed1a0b428db, tail^0x8ebc6af09c88c6e3)
	h = high ^ low
	return head, tail, uint32(h ^ h>>32)
}

// mix hashes a number: numbers that differ in one bit get results that differ in many.
func mix(n uint64) uint64 {
	high, low := bits.Mul64(n, 0x9e3779b97f4a7c15)
	return high ^ low
}

// name returns the name of a node.
func (c *neighbourCounts) name(n *nodeCount) string {
	if n.size > bothEnds {
		return string(c.names[n.start : n.start+n.size])
	}
	var ends [bothEnds]byte
	putBytes(ends[:8], n.head)
	if n.size > 8 {
		putBytes(ends[n.size-8:n.size], n.tail)
	}
	return string(ends[:n.size])
}

// putBytes writes the first len(b) bytes of a number, the highest byte first.
func putBytes(b []byte, word uint64) {
	for i := range b {
		b[i] = byte(word >> (56 - 8*i))
	}
}

// count returns the number of neighbours on a node.
func (c *neighbourCounts) count(node string) int32 { return c.nodes[c.find(node)].pods }

// uidPrefix returns the first eight bytes of a text as a number. The numbers of two texts compare
// as these bytes do.
func uidPrefix(uid string) (n uint64) {
	if len(uid) >= 8 {
		return word(uid)
	}
	for i := range len(uid) {
		n |= uint64(uid[i]) << (56 - 8*i)
	}
	return n
}

// word is uidPrefix for a text of at least eight bytes.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0])<<56 | uint64(s[1])<<48 | uint64(s[2])<<40 | uint64(s[3])<<32 |
		uint64(s[4])<<24 | uint64(s[5])<<16 | uint64(s[6])<<8 | uint64(s[7])
}
