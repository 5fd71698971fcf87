// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
)

// A Deployment of machines, whose controllers run in any order and delete any machines, keeps
// both bounds at each instant, and ends, even if one old machine never becomes available. Only each
// time that a deadlock is broken one may go that serves.
func TestPropertyMachines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rollout.Resolve(rapid.Int32Range(1, 8).Draw(t, "replicas"),
			rollout.Int(rapid.Int32Range(0, 3).Draw(t, "surge")), rollout.Int(rapid.Int32Range(0, 3).Draw(t, "unavailable")))
		newSet, old := rollout.Set{}, []rollout.Set{{}, {}}
		old[0].Wanted = rapid.Int32Range(0, b.Replicas).Draw(t, "oldest")
		old[1].Wanted = b.Replicas - old[0].Wanted
		for i := range old {
			old[i].There, old[i].Available = old[i].Wanted, old[i].Wanted
		}
		if broken := rapid.IntRange(0, 2).Draw(t, "broken"); broken < 2 && old[broken].Wanted > 0 {
			old[broken].Available--
		}
		served, breaks := old[0].Available+old[1].Available, int32(0)
		moves := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 60).Draw(t, "moves")
		for pass := 0; newSet.Available < b.Replicas || old[0].There+old[1].There > 0; pass++ {
			require.Less(t, pass, 400, "the rollout does not end: %+v %+v", newSet, old)
			move := pass % 4
			if pass < len(moves) {
				move = moves[pass]
			}
			switch move {
			case 0:
				r := rollout.Roll(b, newSet, old, 0, machines)
				if r.Size == newSet.Wanted && r.Shrinking.Removed == 1 && rollout.Deadlock(newSet, old) >= 0 {
					breaks++
				}
				newSet.Wanted = r.Size
				for i, size := range r.Shrinking.Sizes(old) {
					old[i].Wanted = size
				}
			case 1: // machines are made, and the oldest become available
				newSet.There = newSet.Wanted
				newSet.Available = min(newSet.There, newSet.Available+1)
			default: // any machines go: available ones in the worst case
				s := &old[move-2]
				gone := max(0, s.There-s.Wanted)
				s.There, s.Available = s.There-gone, max(0, s.Available-gone)
			}
			require.LessOrEqual(t, newSet.There+old[0].There+old[1].There, b.MaxTotal())
			serving := newSet.Available + old[0].Available + old[1].Available
			if missing := min(served, b.MinAvailable()) - serving; missing > 0 {
				breaks -= missing
			}
			require.GreaterOrEqual(t, breaks, int32(0), "%+v %+v", newSet, old)
			served = serving
		}
	})
}

// Upstream takes off what a set may lose only when it comes to that set: one that is still
// to lose a machine and has nothing more to give is left out. 2 are to stay available, and
// it may be 1.
func TestPendingRemovalsAreLeftOut(t *testing.T) {
	b := rollout.Budget{Replicas: 5, Surge: 1, Unavailable: 3}
	old := []rollout.Set{{Wanted: 1, There: 2, Available: 1}, {Wanted: 3, There: 3, Available: 2}}
	s := rollout.ShrinkWorstCase(b, rollout.Set{Wanted: 1}, 1, old, nil)
	require.Equal(t, []int32{1, 2}, s.Sizes(old))
}
