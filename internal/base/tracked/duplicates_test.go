// SPDX-License-Identifier: Apache-2.0

package tracked

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestDuplicatesOfOneText: objects with one text are not read one by one as others enter and leave.
func TestDuplicatesOfOneText(t *testing.T) {
	const n = 1_000
	looks := 0
	text := func(int) string {
		looks++
		return "one"
	}
	all := func(int) bool { return true }
	var duplicates Duplicates
	for i := range n {
		duplicates.Enter(i, i+1, all, text)
	}
	for i := range n - 1 {
		duplicates.Move(n-1-i, n-1-i, text)
		duplicates.Leave(n-1-i, text)
	}
	require.Zero(t, duplicates.Shared)
	require.Less(t, looks, 20*n)
}

// TestPropertyDuplicates: Shared counts the shared texts while objects enter, leave and take the places
// of others; and a clone keeps its count.
func TestPropertyDuplicates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var duplicates, before Duplicates
		var list, then []string // "" is not among them
		text := func(i int) string { return list[i] }
		among := func(i int) bool { return list[i] != "" }
		check := func(duplicates *Duplicates, list []string) {
			times, shared := map[string]int{}, 0
			for _, text := range list {
				if times[text]++; text != "" && times[text] == 2 {
					shared++
				}
			}
			if duplicates.Shared != shared {
				t.Fatalf("%d are shared of %q", duplicates.Shared, list)
			}
		}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			switch n := len(list); {
			case n > 0 && rapid.IntRange(0, 2).Draw(t, "leave") == 0:
				i, last := rapid.IntRange(0, n-1).Draw(t, "which"), n-1
				if among(i) {
					duplicates.Leave(i, text)
				}
				if i != last && among(last) {
					duplicates.Move(last, i, text)
				}
				list[i] = list[last]
				list = list[:last]
			case rapid.IntRange(0, 20).Draw(t, "clone") == 0:
				before, then = duplicates.Clone(), append([]string(nil), list...)
			default:
				list = append(list, []string{"", strconv.Itoa(n), strconv.Itoa(rapid.IntRange(0, 4).Draw(t, "text"))}[rapid.IntRange(0, 2).Draw(t, "kind")])
				if among(n) {
					duplicates.Enter(n, n+1, among, text)
				}
			}
			check(&duplicates, list)
		}
		check(&before, then)
	})
}
