// SPDX-License-Identifier: Apache-2.0

package field

import "math/bits"

// Hash returns a hash of a text for tables that live no longer than one call: it may change with
// any release. It reads sixteen bytes at a time; the last two words may overlap.
func Hash(s string) uint32 {
	h := uint64(len(s)) * 0x9e3779b97f4a7c15 // odd, and without a pattern
	for ; len(s) > 16; s = s[16:] {
		h = mix(word(s)^h, word(s[8:]))
	}
	var a, b uint64
	switch n := len(s); {
	case n >= 8:
		a, b = word(s), word(s[n-8:])
	case n >= 4:
		a, b = half(s), half(s[n-4:])
	case n > 0:
		a = uint64(s[0])<<16 | uint64(s[n/2])<<8 | uint64(s[n-1])
	}
	h = mix(a^h, b)
	return uint32(h ^ h>>32)
}

// word returns the first eight bytes of a text as a number, and half the first four.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func half(s string) uint64 {
	_ = s[3]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}

// mix spreads every bit of two numbers over all of the result.
func mix(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x^0xe7037ed1a0b428db, y^0x8ebc6af09c88c6e3)
	return hi ^ lo
}
