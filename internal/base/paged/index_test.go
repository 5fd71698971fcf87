// SPDX-License-Identifier: Apache-2.0

package paged

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestIndexShrinks: an index of which most has gone keeps few cells, and finds what is left, as does
// a clone from then what was there; and what remains of it may have large numbers.
func TestIndexShrinks(t *testing.T) {
	const n, left = 100_000, 1_000
	of := strconv.Itoa
	finds := func(x *Index, from, to int) {
		for i := range n {
			if there := i >= from && i < to; there != (x.Find(of(i), of) == i) {
				t.Fatalf("%d: there is %v", i, there)
			}
		}
	}
	for _, from := range []int{0, n - left} {
		var x Index
		for i := range n {
			x.Add(i, of)
		}
		before := x.Clone()
		for i := range n {
			if i = i * 7919 % n; i < from || i >= from+left {
				x.Remove(i, of)
			}
		}
		finds(&before, 0, n)
		finds(&x, from, from+left)
		require.LessOrEqual(t, x.cells.Len(), 8*left)
		for i := range from + left {
			if i >= from {
				x.Remove(i, of)
			}
		}
		require.LessOrEqual(t, x.cells.Len(), size)
		for i := range n {
			x.Add(i, of)
		}
		finds(&x, 0, n)
	}
}

// TestPropertyIndex: an index finds what is in a list, and counts what is there several times,
// as elements come, go and take the places of others, few or many at once, among some that it does
// not hold, so that numbers are larger than it; and so does a clone of then.
func TestPropertyIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var texts []string
		var x Index
		of := func(i int) string { return texts[i] }
		check := func(x *Index, texts []string) {
			of := func(i int) string { return texts[i] }
			want := map[string]int{}
			for _, text := range texts {
				want[text]++
			}
			for n := range 700 {
				text := strconv.Itoa(n)
				i := x.Find(text, of)
				if (i >= 0) != (want[text] > 0) || i >= 0 && texts[i] != text {
					t.Fatalf("%q: at %d, want %d in %q", text, i, want[text], texts)
				}
			}
		}
		remove := func(i int) {
			last := len(texts) - 1
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
		}
		var before Index
		var then []string
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			n := len(texts)
			switch many := rapid.IntRange(0, 15).Draw(t, "many") == 0; {
			case n > 0 && rapid.IntRange(0, 3).Draw(t, "remove") == 0:
				i := rapid.IntRange(0, n-1).Draw(t, "which")
				if remove(i); many {
					for range n * 7 / 8 {
						remove(i * 7919 % len(texts))
					}
				}
			case rapid.IntRange(0, 30).Draw(t, "clone") == 0:
				before, then = x.Clone(), slices.Clone(texts)
			case rapid.IntRange(0, 20).Draw(t, "others") == 0:
				texts = append(texts, make([]string, rapid.IntRange(1, 70).Draw(t, "n"))...)
			default:
				from, to := rapid.IntRange(0, 12).Draw(t, "text"), 0
				if many {
					to = 600
				}
				for v := from; v <= max(from, to); v++ {
					texts = append(texts, strconv.Itoa(v))
					x.Add(len(texts)-1, of)
				}
			}
			check(&x, texts)
		}
		check(&before, then)
	})
}
