// SPDX-License-Identifier: Apache-2.0

package field

import "math/bits"

// Hash returns a hash of a text for tables that live as long as a call: it reads eight
// bytes at a time, and may change with any release.
func Hash(s string) uint32 {
	const k = 0x9e3779b97f4a7c15 // odd, and without a pattern
	h := uint64(len(s)) * k
	for ; len(s) >= 8; s = s[8:] {
		h = mix(h ^ (uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56))
	}
	rest := uint64(0)
	for i := range len(s) {
		rest = rest<<8 | uint64(s[i])
	}
	h = mix(h ^ rest)
	return uint32(h ^ h>>32)
}

// mix spreads every bit over all others.
func mix(x uint64) uint64 {
	hi, lo := bits.Mul64(x^0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3)
	return hi ^ lo
}
