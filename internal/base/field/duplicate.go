// SPDX-License-Identifier: Apache-2.0

// Package field finds elements of a list that have the same text in a field, such as a name or a UID.
package field

import "math/bits"

// Duplicate returns the numbers of two elements with the same text, and whether there are such
// elements. Of several pairs it returns one with the smallest text, so that the result does not
// depend on the order of the elements. Empty texts are skipped.
//
// Texts that ascend are only compared with their predecessors. Other texts go into a hash table
// with open addressing in one slice; of many texts, only texts with colliding short hashes do. A Go
// map would allocate in proportion to n, and sorting a million names costs more than a plan.
func Duplicate(n int, text func(i int) string) (first, second int, found bool) {
	if n <= few {
		return duplicateOfFew(n, text)
	}
	if ascend(n, text) {
		return 0, 0, false
	}
	if n < manyTexts {
		return duplicateAmong(n, text)
	}
	hashes := make([]uint32, n)
	for i := range hashes {
		hashes[i] = mark(text(i))
	}
	return duplicateOfMany(hashes, text)
}

// duplicateAmong is [Duplicate] with a hash table. The low bits of an entry hold the number of an
// element, from 1; the other bits hold the same bits of its hash, so that few different texts are
// compared.
func duplicateAmong(n int, text func(i int) string) (first, second int, found bool) {
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

// duplicateOfMany is [Duplicate] for texts with the given marks. It reads only texts that may be
// equal.
func duplicateOfMany(marks []uint32, text func(i int) string) (first, second int, found bool) {
	suspects := suspected(marks)
	i, j, found := duplicateAmong(len(suspects), func(i int) string { return text(int(suspects[i])) })
	if !found {
		return 0, 0, false
	}
	return int(suspects[i]), int(suspects[j]), true
}

// mark returns a hash of the end of a text, where names and UIDs differ, or 0 for an empty text.
func mark(text string) uint32 {
	if text == "" {
		return 0
	}
	return uint32(tailHash(text)) | 1
}

// suspected returns, in order, the numbers of all elements with a mark that occurs twice, and of a
// few more: of each element that shares a bit with another one. It uses sixteen bits or more for
// each element, which fit into the CPU cache when a table does not.
func suspected(marks []uint32) []int32 {
	words := 1 << bits.Len(uint(len(marks)/4))
	memory, shift := make([]uint64, 2*words), 33-bits.Len(uint(words*64))
	seen, twice, shared := memory[:words], memory[words:], 0
	for _, m := range marks {
		if m == 0 {
			continue
		}
		at, bit := m>>shift>>6, uint64(1)<<(m>>shift&63)
		if seen[at]&bit != 0 {
			twice[at] |= bit
			shared++
		}
		seen[at] |= bit
	}
	suspects := make([]int32, 0, 2*shared)
	for i, m := range marks {
		if m != 0 && twice[m>>shift>>6]>>(m>>shift&63)&1 != 0 {
			suspects = append(suspects, int32(i))
		}
	}
	return suspects
}

// few is the number of texts up to which comparing all pairs costs less than a table.
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
