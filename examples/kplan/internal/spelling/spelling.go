// SPDX-License-Identifier: Apache-2.0

// Package spelling compares words, to suggest a correction.
package spelling

import "strings"

// Distance returns the Levenshtein distance of two words in bytes, without regard to case: how
// many bytes must be inserted, deleted or replaced to turn a into b.
func Distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
