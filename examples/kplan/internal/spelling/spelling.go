// SPDX-License-Identifier: Apache-2.0

// Package spelling tells which words are nearly the same, to guess what was meant.
package spelling

import "strings"

// Distance returns how many bytes must be put in, left out or replaced to make b of a, whatever
// the case of letters. It is the one of Levenshtein.
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
