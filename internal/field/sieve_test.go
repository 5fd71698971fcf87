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
		n := rapid.SampledFrom([]int{2, 3, 10, 100, manyTexts - 1, manyTexts, manyTexts + 10}).Draw(t, "number")
		format := rapid.SampledFrom([]string{"%d", "web-%d", "web-%06d", "%d-the-end-of-all", "0123456789-%x"}).Draw(t, "format")
		step := rapid.SampledFrom([]int{1, 7, 1_000_003}).Draw(t, "step")
		texts := make([]string, n)
		for i := range texts {
			texts[i] = fmt.Sprintf(format, i*step%15_485_863)
		}
		different := func() bool {
			s := NewSieve(n)
			for _, text := range texts {
				s.Add(text)
			}
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
