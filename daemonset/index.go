// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"math/bits"

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
