// SPDX-License-Identifier: Apache-2.0

package paged

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// TestPropertyIndex: an index finds what is in a list, and counts what is there several times,
// as elements come, go and take the places of others, among some that it does not hold, so that
// numbers are larger than it; and so does a clone of then.
func TestPropertyIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var texts []string
		var x Index
		of := func(i int) string { return texts[i] }
		check := func(x *Index, texts []string) {
			of := func(i int) string { return texts[i] }
			for n := range 12 {
				text, want := strconv.Itoa(n), 0
				for _, other := range texts {
					if other == text {
						want++
					}
				}
				i := x.Find(text, of)
				if got := x.Count(text, of); got != want || (i >= 0) != (want > 0) || i >= 0 && texts[i] != text {
					t.Fatalf("%q: %d at %d, want %d in %q", text, got, i, want, texts)
				}
			}
		}
		var before Index
		var then []string
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			switch n := len(texts); {
			case n > 0 && rapid.IntRange(0, 3).Draw(t, "remove") == 0:
				i, last := rapid.IntRange(0, n-1).Draw(t, "which"), n-1
				if texts[i] != "" {
					x.Remove(i, of)
				}
				if i != last {
					if texts[last] != "" {
						x.Move(last, i, of)
					}
					texts[i] = texts[last]
				}
				texts = texts[:last]
			case rapid.IntRange(0, 30).Draw(t, "clone") == 0:
				before, then = x.Clone(), slices.Clone(texts)
			case rapid.IntRange(0, 20).Draw(t, "others") == 0:
				texts = append(texts, make([]string, rapid.IntRange(1, 70).Draw(t, "n"))...)
			default:
				texts = append(texts, strconv.Itoa(rapid.IntRange(0, 12).Draw(t, "text")))
				x.Add(n, of)
			}
			check(&x, texts)
		}
		check(&before, then)
	})
}
