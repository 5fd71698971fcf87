// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"testing"

	"github.com/kplan-go/kplan/rollout"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestRoll(t *testing.T) {
	ten := rollout.Budget{Replicas: 10, Surge: 3, Unavailable: 2}
	together := rollout.Policy{Together: true}
	idle := rollout.Shrinking{Ahead: -1}
	for _, c := range []struct {
		why         string
		newSet      rollout.Set
		old         []rollout.Set
		terminating int64
		p           rollout.Policy
		size        int32
		removed     int64
	}{
		{"the surge first", rollout.Set{}, []rollout.Set{full(10)}, 0, rollout.Policy{}, 3, 0},
		{"both from one snapshot", rollout.Set{}, []rollout.Set{full(10)}, 0, together, 3, 2},
		{"no room to grow, so that old ones go", full(3), []rollout.Set{full(10)}, 0, rollout.Policy{}, 3, 5},
		{"the same together", full(3), []rollout.Set{full(10)}, 0, together, 3, 5},
		{"terminating pods take up room", full(3), []rollout.Set{full(5)}, 4, rollout.Policy{}, 4, 0},
		{"no room because of them", full(3), []rollout.Set{full(5)}, 5, rollout.Policy{}, 3, 0},
		{"more than the replicas", full(12), []rollout.Set{full(2)}, 0, rollout.Policy{}, 10, 0},
		{"more than the replicas, together", full(12), []rollout.Set{full(2)}, 0, together, 10, 2},
		{"done", full(10), nil, 0, rollout.Policy{}, 10, 0},
		{"a size that wraps around", rollout.Set{Wanted: 5}, []rollout.Set{{Wanted: 2147483647}, {Wanted: 2147483647}}, 0, rollout.Policy{}, 10, 0},
	} {
		r := rollout.Roll(ten, c.newSet, c.old, c.terminating, c.p)
		require.Equal(t, c.size, r.Size, c.why)
		require.Equal(t, c.removed, r.Shrinking.Removed, c.why)
		if r.Size != c.newSet.Wanted && !c.p.Together {
			require.Equal(t, idle, r.Shrinking, c.why)
		}
	}
}

// Whichever write of a step comes first, and whether or not one of them fails, no more pods
// are wanted than replicas and surge, or than before, and old sets keep what the minimum
// needs. This holds of both policies.
func TestPropertyRoll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Custom(func(t *rapid.T) rollout.Set {
			wanted := rapid.Int32Range(0, 9).Draw(t, "wanted")
			return rollout.Set{Wanted: wanted, Available: rapid.Int32Range(0, wanted).Draw(t, "available")}
		})
		b := rollout.Budget{Replicas: rapid.Int32Range(0, 12).Draw(t, "replicas"), Surge: rapid.Int32Range(0, 5).Draw(t, "surge")}
		b.Unavailable = rapid.Int32Range(0, b.Replicas).Draw(t, "unavailable")
		newSet, old := draw.Draw(t, "new"), rapid.SliceOf(draw).Draw(t, "old")
		p := rollout.Policy{Together: rapid.Bool().Draw(t, "together")}
		r := rollout.Roll(b, newSet, old, 0, p)

		total, had, left := int64(newSet.Wanted), int64(newSet.Available), int64(min(newSet.Available, r.Size))
		for i, size := range rollout.Remaining(old, r.Shrinking.Unavailable) {
			if r.Shrinking.Available != nil {
				size -= r.Shrinking.Available[i]
			}
			total, had, left = total+int64(old[i].Wanted), had+int64(old[i].Available), left+int64(min(size, old[i].Available))
		}
		grown := total + int64(r.Size) - int64(newSet.Wanted)
		require.LessOrEqual(t, grown, max(total, int64(b.Replicas)+int64(b.Surge)), "nothing has shrunk yet")
		require.GreaterOrEqual(t, left, min(had, int64(b.Replicas-b.Unavailable)), "nothing has grown yet")
		require.GreaterOrEqual(t, r.Size, min(newSet.Wanted, b.Replicas))
		if !p.Together {
			require.False(t, r.Size != newSet.Wanted && r.Shrinking.Removed > 0, "one of the two")
		}
	})
}
