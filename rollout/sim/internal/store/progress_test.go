// SPDX-License-Identifier: Apache-2.0

package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProgress: a BatchRelease that is written to and fro makes no progress, until it gets content that it did
// not have two writes ago, or something else is written.
func TestProgress(t *testing.T) {
	s := New()
	e := s.BatchReleases.Insert(byUser, &BatchRelease{})
	write := func(state string) int64 {
		next := *e.Now
		next.Annotations = map[string]string{"state": state}
		s.BatchReleases.Replace(byUser, e, &next)
		return s.Progress()
	}
	first, second := write("a"), write("b")
	require.Greater(t, second, first)
	for _, state := range []string{"a", "b", "a"} {
		require.Equal(t, second, write(state), state)
	}
	require.Greater(t, write("d"), second)
	third := s.Progress()
	s.Pods.Insert(byUser, named("p"))
	require.Greater(t, s.Progress(), third)
	require.Equal(t, int64(8), s.Version())
}
