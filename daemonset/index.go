// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"math/bits"

	"github.com/kplan-go/kplan/internal/field"
)

// A nameIndex finds numbers by name. It is a hash table with open addressing over one slice,
// because a map would allocate in proportion to what it holds. A slot is a number, from 1,
// below the bits of the hash that are left, so that the names of others are seldom read:
// they are where nothing else has been of late.
type nameIndex struct {
	slots    []uint32 // 0 is empty
	mask     uint32
	number   uint32 // the bits of a slot that are the number
	repeated bool   // a name came twice
}

// newNameIndex returns an index of up to n names. The larger the room, the sooner a name that
// is there is found.
func newNameIndex(n, room int) nameIndex {
	slots := make([]uint32, 1<<bits.Len(uint(n*room)))
	return nameIndex{slots: slots, mask: uint32(len(slots) - 1), number: 1<<bits.Len(uint(n)) - 1}
}

// find returns the number of the name, or -1, the slot where it is or belongs, and its hash.
func (x *nameIndex) find(name string, nameOf func(i int32) string) (number int32, slot, hash uint32) {
	hash = field.Hash(name)
	for slot = hash & x.mask; x.slots[slot] != 0; slot = (slot + 1) & x.mask {
		if s := x.slots[slot]; (s^hash)&^x.number == 0 {
			if i := int32(s&x.number) - 1; nameOf(i) == name {
				return i, slot, hash
			}
		}
	}
	return -1, slot, hash
}

// add files a number under a name, unless the name has one.
func (x *nameIndex) add(name string, number int32, nameOf func(i int32) string) {
	other, slot, hash := x.find(name, nameOf)
	if other >= 0 {
		x.repeated = true
		return
	}
	x.slots[slot] = hash&^x.number | uint32(number+1)
}
