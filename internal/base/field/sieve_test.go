// SPDX-License-Identifier: Apache-2.0

package field

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A sieve never takes equal texts for different ones, wherever they are, and different ones
// for equal ones only if they ascend in no way and are many.
func TestSieve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{2, 3, 10, fewTexts, fewTexts + 1, 100, manyTexts - 1, manyTexts, manyTexts + 10}).Draw(t, "number")
		format := rapid.SampledFrom([]string{"%d", "web-%d", "web-%06d", "%d-the-end-of-all", "0123456789-%x"}).Draw(t, "format")
		step := rapid.SampledFrom([]int{1, 7, 1_000_003}).Draw(t, "step")
		texts := make([]string, n)
		for i := range texts {
			texts[i] = fmt.Sprintf(format, i*step%15_485_863)
		}
		different := func() bool {
			var s Sieve
			s.Begin(n)
			for _, text := range texts {
				s.Add(text)
			}
			k, l, found := s.Duplicate(n, func(i int) string { return texts[i] })
			if found && (k == l || texts[k] != texts[l] || texts[k] == "") {
				t.Fatalf("%d %q and %d %q are no pair", k, texts[k], l, texts[l])
			}
			_, _, want := Duplicate(n, func(i int) string { return texts[i] })
			require.Equal(t, want, found)
			return s.Different()
		}
		if format != "%d-the-end-of-all" && (n < manyTexts || step == 1) {
			require.True(t, different())
		}
		i := rapid.IntRange(0, n-1).Draw(t, "place")
		j := (i + rapid.IntRange(1, n-1).Draw(t, "distance")) % n
		texts[i] = texts[j]
		require.False(t, different(), "%d and %d are %s", i, j, texts[i])
		texts[i] = ""
		if n < manyTexts && format != "%d-the-end-of-all" {
			require.True(t, different(), "an empty text is not compared")
		}
	})
}

// Of many texts that occur twice the smallest is found, whatever they share bits with.
func TestDuplicateOfMany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, pairs := rapid.IntRange(manyTexts, manyTexts+100).Draw(t, "number"), rapid.IntRange(0, 40).Draw(t, "pairs")
		texts := make([]string, n)
		for i := range texts {
			texts[i] = fmt.Sprintf("web-%x", i*1_000_003%15_485_863)
		}
		for range pairs {
			i, j := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
			texts[j] = texts[i]
		}
		want, seen := "", map[string]bool{}
		for _, text := range texts {
			if seen[text] && (want == "" || text < want) {
				want = text
			}
			seen[text] = true
		}
		i, j, found := Duplicate(n, func(i int) string { return texts[i] })
		require.Equal(t, want != "", found)
		if found && (i == j || texts[i] != want || texts[j] != want) {
			t.Fatalf("got %d %q and %d %q, want %q", i, texts[i], j, texts[j], want)
		}
	})
}
