// SPDX-License-Identifier: Apache-2.0

package tracked

import (
	"cmp"
	"strings"
)

// CompareVersions compares two resource versions, decimal numbers of any length without leading
// zeros. It returns false if either is something else.
func CompareVersions(a, b string) (int, bool) {
	if !isVersion(a) || !isVersion(b) {
		return 0, false
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)), true
}

func isVersion(text string) bool {
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
