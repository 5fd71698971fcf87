// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// TestPropertyIndex: an index finds what is in a list, and counts what is there several times,
// as elements come, go and take the places of others; and so does a clone of then.
func TestPropertyIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var texts []string
		var x index
		of := func(i int) string { return texts[i] }
		check := func(x *index, texts []string) {
			of := func(i int) string { return texts[i] }
			for n := range 12 {
				text, want := strconv.Itoa(n), 0
				for _, other := range texts {
					if other == text {
						want++
					}
				}
				i := x.find(text, of)
				if got := x.count(text, of); got != want || (i >= 0) != (want > 0) || i >= 0 && texts[i] != text {
					t.Fatalf("%q: %d at %d, want %d in %q", text, got, i, want, texts)
				}
			}
		}
		var before index
		var then []string
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			switch n := len(texts); {
			case n > 0 && rapid.IntRange(0, 3).Draw(t, "remove") == 0:
				i, last := rapid.IntRange(0, n-1).Draw(t, "which"), n-1
				x.remove(i, of)
				if i != last {
					x.move(last, i, of)
					texts[i] = texts[last]
				}
				texts = texts[:last]
			case rapid.IntRange(0, 30).Draw(t, "clone") == 0:
				before, then = x.clone(), slices.Clone(texts)
			default:
				texts = append(texts, strconv.Itoa(rapid.IntRange(0, 12).Draw(t, "text")))
				x.add(n, of)
			}
			check(&x, texts)
		}
		check(&before, then)
	})
}
