package field

import "math/bits"

// Duplicate returns the numbers of two elements with the same text, and whether
// there are any. Of several pairs it returns one whose text is the smallest, so
// that the answer does not depend on the order of the elements. Empty texts are
// not compared.
//
// It is a hash table with open addressing over one slice: a Go map would
// allocate in proportion to n, and sorting a million names costs more than a
// plan does.
func Duplicate(n int, text func(i int) string) (first, second int, found bool) {
	if n < 2 {
		return 0, 0, false
	}
	table := make([]int32, 1<<bits.Len(uint(n*2)))
	mask := uint32(len(table) - 1)
	for i := range n {
		t := text(i)
		if t == "" {
			continue
		}
		slot := fnv1a(t) & mask
		for ; table[slot] != 0; slot = (slot + 1) & mask {
			j := int(table[slot] - 1)
			if text(j) != t {
				continue
			}
			if !found || t < text(first) {
				first, second, found = j, i, true
			}
			break
		}
		if table[slot] == 0 {
			table[slot] = int32(i + 1)
		}
	}
	return first, second, found
}

// fnv1a is the 32-bit FNV-1a hash, inlined because hash/fnv allocates.
func fnv1a(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}
