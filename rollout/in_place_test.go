// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
)

func TestInPlace(t *testing.T) {
	three := rollout.Set{Wanted: 3, There: 3, Available: 3}
	for _, c := range []struct {
		why    string
		newSet rollout.Set
		size   int32
		old    rollout.Set
		next   int32
		busy   bool
		want   int32
	}{
		{"one makes room for the first that moves", rollout.Set{}, 2, three, 3, false, 1},
		{"something is in progress", rollout.Set{}, 2, three, 3, true, 0},
		{"one is to go anyway", rollout.Set{}, 2, three, 2, false, 0},
		{"the new set is not done", rollout.Set{Wanted: 1, There: 1}, 2, three, 3, false, 1},
		{"what is missing is made", rollout.Set{}, 2, rollout.Set{Wanted: 1, There: 1, Available: 1}, 1, false, 2},
		{"it shrinks as it would", rollout.Set{Wanted: 3, There: 3, Available: 3}, 2, three, 3, false, 2},
	} {
		require.Equal(t, c.want, rollout.InPlace(3, c.newSet, c.size, []rollout.Set{c.old}, []int32{c.next}, c.busy), c.why)
	}
}

// Where pods move, the new set never grows more than it would otherwise, what exists is no
// more than the replicas or than before, but for one, and something happens if it would
// otherwise.
func TestPropertyInPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Custom(func(t *rapid.T) rollout.Set {
			n := rapid.Int32Range(0, 6).Draw(t, "there")
			return rollout.Set{Wanted: rapid.Int32Range(0, 6).Draw(t, "wanted"), There: n, Available: rapid.Int32Range(0, n).Draw(t, "available")}
		})
		replicas := rapid.Int32Range(0, 12).Draw(t, "replicas")
		newSet, old := draw.Draw(t, "new"), rapid.SliceOfN(draw, 0, 3).Draw(t, "old")
		size := rapid.Int32Range(0, 12).Draw(t, "size")
		busy := rapid.Bool().Draw(t, "busy")
		got := rollout.InPlace(replicas, newSet, size, old, nil, busy)
		if size <= newSet.Wanted {
			require.Equal(t, size, got, "only growth is held back")
			return
		}
		require.GreaterOrEqual(t, got, newSet.Wanted)
		require.LessOrEqual(t, got, size)
		exists, idle := max(got, newSet.There), !busy && newSet.Wanted == newSet.There && newSet.Available == newSet.There
		for _, s := range old {
			exists += max(s.Wanted, s.There)
			idle = idle && s.Wanted >= s.There
		}
		require.True(t, exists <= replicas || got == newSet.Wanted || got == newSet.Wanted+1 && idle || newSet.There >= got, "pods are made although others move")
		require.True(t, got > newSet.Wanted || !idle, "nothing would happen")
	})
}
