// SPDX-License-Identifier: Apache-2.0

package field

import "math/bits"

// Duplicate returns the numbers of two elements with the same text, and whether
// there are any. Of several pairs it returns one whose text is the smallest, so
// that the answer does not depend on the order of the elements. Empty texts are
// not compared.
//
// Texts that ascend are compared with their predecessors only. For others it is a hash table with open addressing over one slice: a
// Go map would allocate in proportion to n, and sorting a million names costs more than
// a plan does.
func Duplicate(n int, text func(i int) string) (first, second int, found bool) {
	if n <= few {
		return duplicateOfFew(n, text)
	}
	if ascend(n, text) {
		return 0, 0, false
	}
	// An entry is the number of an element, from 1, below the bits of its hash that are
	// left, so that different texts in a row of slots are seldom read again.
	table := make([]uint32, 1<<bits.Len(uint(n*2)))
	mask, number := uint32(len(table)-1), uint32(1)<<bits.Len(uint(n))-1
	for i := range n {
		t := text(i)
		if t == "" {
			continue
		}
		h := Hash(t)
		slot := h & mask
		for ; table[slot] != 0; slot = (slot + 1) & mask {
			if (table[slot]^h)&^number != 0 {
				continue
			}
			j := int(table[slot]&number) - 1
			if text(j) != t {
				continue
			}
			if !found || t < text(first) {
				first, second, found = j, i, true
			}
			break
		}
		if table[slot] == 0 {
			table[slot] = h&^number | uint32(i+1)
		}
	}
	return first, second, found
}

// few is the number of texts up to which comparing each with each costs less than a
// table.
const few = 4

func duplicateOfFew(n int, text func(i int) string) (first, second int, found bool) {
	for i := 1; i < n; i++ {
		for j := range i {
			if t := text(i); t != "" && t == text(j) && (!found || t < text(first)) {
				first, second, found = j, i, true
			}
		}
	}
	return first, second, found
}
