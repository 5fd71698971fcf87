// SPDX-License-Identifier: Apache-2.0

// Package version compares resource versions.
package version

import (
	"cmp"
	"strings"
)

// Compare compares two resource versions, decimal numbers of any length without leading zeros. It
// returns false if either is something else.
func Compare(a, b string) (int, bool) {
	if !valid(a) || !valid(b) {
		return 0, false
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)), true
}

func valid(text string) bool {
	if text == "" || text[0] == '0' {
		return false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}
