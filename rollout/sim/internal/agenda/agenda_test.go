// SPDX-License-Identifier: Apache-2.0

package agenda

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAgenda: what is entered comes out by instant and then in the order of entry.
func TestAgenda(t *testing.T) {
	a, text := &Agenda{}, ""
	a.Advance(Epoch)
	for i, e := range []struct {
		seconds int
		what    string
	}{{3, "d"}, {1, "a"}, {3, "e"}, {2, "c"}, {1, "b"}, {9, "f"}} {
		a.After(time.Duration(e.seconds)*time.Second, Retry, func() { text += e.what })
		at, ok := a.Next()
		require.True(t, ok)
		require.Equal(t, Epoch.Add(time.Duration([]int{3, 1, 1, 1, 1, 1}[i])*time.Second), at)
	}
	require.Equal(t, 6, a.Pending(Retry))
	a.PerformUntil(Epoch.Add(2 * time.Second))
	require.Equal(t, "abc", text)
	for a.Len() > 0 {
		require.Equal(t, Retry, a.Perform())
	}
	require.Equal(t, "abcdef", text)
	require.Equal(t, Epoch.Add(9*time.Second), a.Now())
	require.Zero(t, a.Pending(Retry))
}
