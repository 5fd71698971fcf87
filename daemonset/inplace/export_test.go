// SPDX-License-Identifier: Apache-2.0

package inplace

// SameAmount reports whether two quantities can be read and are equal amounts.
func SameAmount(a, b string) bool {
	x, ok := parseQuantity(a)
	y, ok2 := parseQuantity(b)
	return ok && ok2 && x == y
}
