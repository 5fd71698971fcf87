// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The last spelling of an integer fills a label value; behind it there is none.
func TestSpellingOf(t *testing.T) {
	var excluded []string
	for zeros := maxValue - 1; zeros > 0; zeros-- { // in order
		excluded = append(excluded, strings.Repeat("0", zeros)+"1")
	}
	excluded = append(excluded, "1")
	got, ok := spellingOf(1, excluded[1:])
	require.True(t, ok)
	require.Equal(t, excluded[0], got, "63 characters")
	_, ok = spellingOf(1, excluded)
	require.False(t, ok)
	lo, hi := tightened(1, 1, excluded)
	require.Greater(t, lo, hi, "no integer is left")
	lo, hi = tightened(0, 2, excluded)
	require.Equal(t, []int64{0, 2}, []int64{lo, hi}, "one in the middle changes nothing")
	lo, hi = tightened(1, 2, excluded)
	require.Equal(t, []int64{2, 2}, []int64{lo, hi})
	lo, hi = tightened(0, 1, excluded)
	require.Equal(t, []int64{0, 0}, []int64{lo, hi})
}
