// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"math/bits"

	"github.com/kplan-go/kplan/internal/field"
)

// A nameIndex finds numbers by name. It is a hash table with open addressing over
// one slice, because a map would allocate in proportion to what it holds.
type nameIndex struct {
	slots    []int32 // number + 1; 0 is empty
	mask     uint32
	repeated bool // a name came twice
}

func newNameIndex(n int) nameIndex {
	slots := make([]int32, 1<<bits.Len(uint(n*2)))
	return nameIndex{slots: slots, mask: uint32(len(slots) - 1)}
}

// find returns the number of the name, or -1 and the slot where it belongs.
func (x *nameIndex) find(name string, nameOf func(i int32) string) (number int32, slot uint32) {
	slot = field.Hash(name) & x.mask
	for ; x.slots[slot] != 0; slot = (slot + 1) & x.mask {
		if i := x.slots[slot] - 1; nameOf(i) == name {
			return i, slot
		}
	}
	return -1, slot
}

// add files a number under a name, unless the name has one.
func (x *nameIndex) add(name string, number int32, nameOf func(i int32) string) {
	other, slot := x.find(name, nameOf)
	if other >= 0 {
		x.repeated = true
		return
	}
	x.slots[slot] = number + 1
}
