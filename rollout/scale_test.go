// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
)

func TestScale(t *testing.T) {
	sets := []rollout.Set{{Wanted: 1, Before: 9}, {Wanted: 3, Before: 9, Age: 1}, {Wanted: 5, Before: 9, Age: 2}}
	newest := rollout.Policy{ScaleNewest: true}
	for _, c := range []struct {
		why      string
		replicas int32
		newest   int
		p        rollout.Policy
		want     []int32
	}{
		{"out: each keeps its share", 10, 2, rollout.Policy{}, []int32{1, 4, 7}},
		{"out: all are new ones", 10, 2, newest, []int32{1, 3, 8}},
		{"out: there is no new set", 10, -1, newest, []int32{1, 3, 5}},
		{"in: each keeps its share", 3, 2, newest, []int32{1, 2, 2}},
		{"none at all", 0, 2, newest, []int32{0, 0, 0}},
		{"nothing has changed", 7, 2, newest, []int32{1, 3, 5}},
	} {
		require.Equal(t, c.want, rollout.Scale(rollout.Budget{Replicas: c.replicas, Surge: 2}, sets, c.newest, c.p), c.why)
	}
}

// With ScaleNewest no old set ever grows, and all together have what they may, if there is a
// new set and all were last scaled for the same maximum, in either way.
func TestPropertyScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rollout.Policy{Counting: rollout.Counting{ExactSums: true}, ScaleNewest: rapid.Bool().Draw(t, "newest")}
		wanted := rapid.SliceOfN(rapid.Int32Range(1, 20), 1, 5).Draw(t, "wanted")
		total := int32(0)
		for _, n := range wanted {
			total += n
		}
		sets := make([]rollout.Set, len(wanted))
		for i, n := range wanted {
			sets[i] = rollout.Set{Wanted: n, Before: total, Age: i}
		}
		b := rollout.Budget{Replicas: rapid.Int32Range(0, 60).Draw(t, "replicas"), Surge: rapid.Int32Range(0, 5).Draw(t, "surge")}
		sum := int32(0)
		for i, size := range rollout.Scale(b, sets, len(sets)-1, p) {
			sum += size
			require.True(t, !p.ScaleNewest || i == len(sets)-1 || size <= wanted[i], "an old set grows")
			require.True(t, sets[i].Wanted == wanted[i], "the input stays")
		}
		goal := b.MaxTotal()
		if b.Replicas == 0 {
			goal = 0
		}
		require.Equal(t, goal, sum)
	})
}
