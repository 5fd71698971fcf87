// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"math/bits"
	"slices"

	"github.com/kplan-go/kplan/internal/base/field"
)

// A nameIndex finds numbers by name. It is a hash table with open addressing over one slice,
// because a map would allocate in proportion to its size.
//
// A slot holds a number, from 1, in the low bits and the rest of the hash of its name in the
// high bits, so that a lookup seldom reads a wrong name: names are elsewhere in memory.
type nameIndex struct {
	slots    []uint32 // 0 is empty
	mask     uint32   // of the numbers of slots
	number   uint32   // the bits of the number in a slot
	repeated bool     // a name came twice
}

// newNameIndex returns an index for n names, with at least room slots for each.
func newNameIndex(n, room int) nameIndex {
	slots := make([]uint32, 1<<bits.Len(uint(n*room*2)))
	return nameIndex{slots: slots, mask: uint32(len(slots) - 1), number: 1<<bits.Len(uint(n)) - 1}
}

// find returns the number of the name, or -1 and the slot where it belongs.
func (x *nameIndex) find(name string, nameOf func(i int32) string) (number int32, slot uint32) {
	return x.findHash(field.Hash(name), name, nameOf)
}

// findHash is find for a name with a known hash.
func (x *nameIndex) findHash(h uint32, name string, nameOf func(i int32) string) (number int32, slot uint32) {
	slot = h & x.mask
	for is := x.slots[slot]; is != 0; is = x.slots[slot] {
		if (is^h)&^x.number == 0 {
			if i := int32(is&x.number) - 1; nameOf(i) == name {
				return i, slot
			}
		}
		slot = (slot + 1) & x.mask
	}
	return -1, slot
}

// add adds a number, less than the number of names, under a name, unless the name has a
// number.
func (x *nameIndex) add(name string, number int32, nameOf func(i int32) string) {
	h := field.Hash(name)
	other, slot := x.findHash(h, name, nameOf)
	if other >= 0 {
		x.repeated = true
		return
	}
	x.slots[slot] = h&^x.number | uint32(number+1)
}

// A nodeKey is a node with the pods that belong to it, or only its name.
type nodeKey struct {
	name         string
	node         int32 // -1: there is no such node
	first, count int32 // its pods in grouped
	run, cont    bool  // should run, should continue running
}

// located tells where the nodes and pods of an excerpt belong, as the Tracker has found out.
type located struct {
	keys []nodeKey // of the nodes
	of   []int32   // the nodes of the pods, -1 for a missing node
}

// add adds a node.
func (l *located) add(name string, run, cont bool) {
	l.keys = append(l.keys, nodeKey{name: name, node: int32(len(l.keys)), run: run, cont: cont})
}

// first returns the first k elements of a list in order. It moves elements of the list. It
// avoids sorting a long list for a plan that may do little.
func first[T any](list []T, k int, compare func(a, b T) int) []T {
	if k > len(list)/2 {
		slices.SortFunc(list, compare)
		return list[:min(k, len(list))]
	}
	heap := list[:k] // the last of them is at the top
	for i := range slices.Backward(heap) {
		siftDown(heap, i, compare)
	}
	for i := k; i < len(list) && k > 0; i++ {
		if compare(list[i], heap[0]) < 0 {
			list[i], heap[0] = heap[0], list[i]
			siftDown(heap, 0, compare)
		}
	}
	slices.SortFunc(heap, compare)
	return heap
}

// siftDown moves element i of a heap down until no child is greater.
func siftDown[T any](heap []T, i int, compare func(a, b T) int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && compare(heap[child], heap[child+1]) < 0 {
			child++
		}
		if compare(heap[i], heap[child]) >= 0 {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}
