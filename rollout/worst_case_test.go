// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
)

// machines are the policies of Cluster API.
var machines = rollout.ClusterAPI()

func TestShrinkWorstCase(t *testing.T) {
	for _, c := range []struct {
		why    string
		b      rollout.Budget
		newSet rollout.Set
		old    []rollout.Set
		sizes  []int32
	}{
		{"nothing can be spared, so that unavailable ones stay as well", rollout.Budget{Replicas: 3, Surge: 1},
			rollout.Set{Wanted: 1, There: 1, Available: 1}, []rollout.Set{{Wanted: 3, There: 3, Available: 2}}, []int32{3}},
		{"a set without available ones has nothing to lose", rollout.Budget{Replicas: 3, Surge: 1},
			rollout.Set{Wanted: 3, There: 3, Available: 3}, []rollout.Set{{Wanted: 3, There: 3}}, []int32{0}},
		{"one that is still to go is as good as gone", rollout.Budget{Replicas: 3, Surge: 1},
			rollout.Set{Wanted: 1, There: 1, Available: 1}, []rollout.Set{{Wanted: 2, There: 3, Available: 3}}, []int32{2}},
		{"what was never made goes first", rollout.Budget{Replicas: 3, Surge: 1},
			rollout.Set{Wanted: 1, There: 1}, []rollout.Set{{Wanted: 5, There: 3, Available: 3}}, []int32{3}},
		{"all at once", rollout.Budget{Replicas: 3, Unavailable: 3},
			rollout.Set{}, []rollout.Set{{Wanted: 2, There: 2, Available: 2}, {Wanted: 1, There: 1, Available: 1}}, []int32{0, 0}},
	} {
		s := rollout.ShrinkWorstCase(c.b, c.newSet, c.newSet.Wanted, c.old, nil)
		require.Equal(t, c.sizes, s.Sizes(c.old), c.why)
	}
}

func TestDeadlock(t *testing.T) {
	full := rollout.Set{Wanted: 3, There: 3, Available: 3}
	broken := rollout.Set{Wanted: 2, There: 2, Available: 1}
	for _, c := range []struct {
		why    string
		newSet rollout.Set
		old    []rollout.Set
		want   int
	}{
		{"the first that has an unavailable one", full, []rollout.Set{full, broken, broken}, 1},
		{"none is unavailable", full, []rollout.Set{full}, -1},
		{"the new set is not done", rollout.Set{Wanted: 3, There: 3, Available: 2}, []rollout.Set{broken}, -1},
		{"the new set is still to grow", rollout.Set{Wanted: 3, There: 2, Available: 2}, []rollout.Set{broken}, -1},
		{"an old one is still to go", full, []rollout.Set{broken, {Wanted: 1, There: 2, Available: 2}}, -1},
		{"no old ones", full, nil, -1},
	} {
		require.Equal(t, c.want, rollout.Deadlock(c.newSet, c.old), c.why)
	}
}

func TestOnDelete(t *testing.T) {
	for _, c := range []struct {
		why    string
		newSet rollout.Set
		old    []rollout.Set
		size   int32
		sizes  []int32
	}{
		{"old ones stay", rollout.Set{}, []rollout.Set{{Wanted: 3, There: 3}}, 0, []int32{3}},
		{"one is deleted, and its place is not free yet", rollout.Set{}, []rollout.Set{{Wanted: 3, There: 2}}, 0, []int32{2}},
		{"now it is", rollout.Set{}, []rollout.Set{{Wanted: 2, There: 2}}, 1, []int32{2}},
		{"too many, the oldest first", rollout.Set{Wanted: 1, There: 1}, []rollout.Set{{Wanted: 1, There: 1}, {Wanted: 2, There: 2}}, 1, []int32{0, 2}},
		{"the new set alone has too many", rollout.Set{Wanted: 5, There: 5}, nil, 3, []int32{}},
	} {
		size, sizes := rollout.OnDelete(3, c.newSet, c.old)
		require.Equal(t, c.size, size, c.why)
		require.Equal(t, c.sizes, sizes, c.why)
	}
}

// Whoever takes available pods first, where nothing was about to go: the minimum stays, or
// nothing available is lost. Nothing grows beyond what exists, or the maximum.
func TestPropertyWorstCase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Custom(func(t *rapid.T) rollout.Set {
			n := rapid.Int32Range(0, 9).Draw(t, "there")
			return rollout.Set{Wanted: n, There: n, Available: rapid.Int32Range(0, n).Draw(t, "available")}
		})
		b := rollout.Budget{Replicas: rapid.Int32Range(0, 12).Draw(t, "replicas"), Surge: rapid.Int32Range(0, 5).Draw(t, "surge")}
		b.Unavailable = rapid.Int32Range(0, b.Replicas).Draw(t, "unavailable")
		newSet, old := draw.Draw(t, "new"), rapid.SliceOfN(draw, 0, 4).Draw(t, "old")
		s := rollout.ShrinkWorstCase(b, newSet, newSet.Wanted, old, nil)
		had, left := int64(newSet.Available), int64(newSet.Available)
		for i, size := range s.Sizes(old) {
			require.GreaterOrEqual(t, size, int32(0))
			had, left = had+int64(old[i].Available), left+int64(max(0, old[i].Available-(old[i].There-size)))
		}
		require.GreaterOrEqual(t, left, min(had, int64(b.MinAvailable())))
	})
}

// OnDelete never lets more exist than the replicas, or than there are, and what exists of
// old sets stays as long as there are not too many.
func TestPropertyOnDelete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Custom(func(t *rapid.T) rollout.Set {
			return rollout.Set{Wanted: rapid.Int32Range(0, 9).Draw(t, "wanted"), There: rapid.Int32Range(0, 9).Draw(t, "there")}
		})
		replicas := rapid.Int32Range(0, 15).Draw(t, "replicas")
		newSet, old := draw.Draw(t, "new"), rapid.SliceOfN(draw, 0, 4).Draw(t, "old")
		size, sizes := rollout.OnDelete(replicas, newSet, old)
		before, after := int64(max(newSet.Wanted, newSet.There)), int64(max(size, newSet.There))
		kept, left := int64(size), int64(size)
		for i, s := range old {
			require.LessOrEqual(t, sizes[i], s.Wanted, "an old set never grows")
			before, after = before+int64(max(s.Wanted, s.There)), after+int64(max(sizes[i], s.There))
			kept, left = kept+int64(min(s.Wanted, s.There)), left+int64(min(sizes[i], s.There))
		}
		require.GreaterOrEqual(t, left, min(kept, int64(replicas)), "no more goes than there is too much")
		require.LessOrEqual(t, after, max(before, int64(replicas)))
		for i, s := range old {
			require.True(t, kept > int64(replicas) || sizes[i] == min(s.Wanted, s.There), "nothing that exists goes without need")
		}
	})
}
