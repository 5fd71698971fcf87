// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
)

// Pods of an old set of three move to the new one, of which none is there yet: one is made, to
// make room for the first that moves, where two would be without moves.
func ExampleStep() {
	three := rollout.Budget{Replicas: 3, Surge: 2}
	old := []rollout.Set{{Wanted: 3, There: 3, Available: 3, Moves: true}}
	r := rollout.Step(three, rollout.Set{}, old, 0, rollout.Policy{})
	fmt.Println(r.Size, r.Moves)
	old[0].Moves = false
	r = rollout.Step(three, rollout.Set{}, old, 0, rollout.Policy{})
	fmt.Println(r.Size, r.Moves)
	// Output:
	// 1 [0]
	// 2 []
}

func TestStep(t *testing.T) {
	b := rollout.Budget{Replicas: 3, Surge: 1}
	broken := rollout.Set{Wanted: 3, There: 3, Available: 2}
	one := rollout.Set{Wanted: 1, There: 1, Available: 1}
	for _, c := range []struct {
		why    string
		b      rollout.Budget
		newSet rollout.Set
		old    rollout.Set
		p      rollout.Policy
		size   int32
		to     int32
		moves  []int
	}{
		{"as Roll has it", b, rollout.Set{}, broken, rollout.Policy{}, 1, 3, nil},
		{"on deletion a place is taken", b, rollout.Set{}, rollout.Set{Wanted: 2, There: 2, Available: 2}, rollout.Policy{OnDelete: true}, 1, 2, nil},
		{"on deletion what is gone is given up", b, rollout.Set{}, rollout.Set{Wanted: 3, There: 2}, rollout.Policy{OnDelete: true}, 0, 2, nil},
		{"but for what it keeps", b, rollout.Set{}, rollout.Set{Wanted: 3, There: 1, Least: 2}, rollout.Policy{OnDelete: true}, 0, 2, nil},
		{"nothing moves on deletion", b, rollout.Set{}, rollout.Set{Wanted: 2, There: 2, Moves: true}, rollout.Policy{OnDelete: true}, 1, 2, nil},
		{"a deadlock is broken", b, one, broken, machines, 1, 2, nil},
		{"none is, where pods that move make the change", b, rollout.Set{}, rollout.Set{Wanted: 3, There: 3, Available: 2, Moves: true}, machines, 1, 3, []int{0}},
		{"a deadlock of pods that move is broken as well", b, one, rollout.Set{Wanted: 3, There: 3, Available: 2, Moves: true}, machines, 1, 2, []int{0}},
		{"busy: nothing is made for pods that move", b, rollout.Set{Busy: true}, rollout.Set{Wanted: 3, There: 3, Available: 3, Moves: true}, rollout.Policy{}, 0, 3, []int{0}},
		{"busy: the old set", b, rollout.Set{}, rollout.Set{Wanted: 3, There: 3, Available: 3, Moves: true, Busy: true}, rollout.Policy{}, 0, 3, []int{0}},
		{"busy: a deadlock that this leaves is broken", b, rollout.Set{Busy: true}, rollout.Set{Wanted: 3, There: 3, Available: 2, Moves: true}, machines, 0, 2, []int{0}},
		{"nothing is left to move", b, rollout.Set{}, rollout.Set{Wanted: 3, Moves: true}, rollout.Policy{}, 1, 3, nil},
		{"the new one has all", b, rollout.Set{Wanted: 3, There: 3, Available: 2}, rollout.Set{Wanted: 1, There: 1, Available: 1, Moves: true}, rollout.Policy{}, 3, 1, nil},
	} {
		old := []rollout.Set{c.old}
		r := rollout.Step(c.b, c.newSet, old, 0, c.p)
		require.Equal(t, c.size, r.Size, c.why)
		require.Equal(t, []int32{c.to}, r.Shrinking.Sizes(old), c.why)
		require.Equal(t, c.moves, r.Moves, c.why)
	}
}

// Without sets that move, and on deletion, a step is Roll's, or OnDelete's but for what is kept.
func TestPropertyStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Custom(func(t *rapid.T) rollout.Set {
			n := rapid.Int32Range(0, 6).Draw(t, "there")
			return rollout.Set{
				Wanted: rapid.Int32Range(0, 6).Draw(t, "wanted"), There: n, Available: rapid.Int32Range(0, n).Draw(t, "available"), Busy: rapid.Bool().Draw(t, "busy"),
				Least: rapid.Int32Range(0, 2).Draw(t, "least"), Protected: rapid.Int32Range(0, 2).Draw(t, "protected"),
			}
		})
		b := rollout.Budget{Replicas: rapid.Int32Range(0, 8).Draw(t, "replicas"), Surge: rapid.Int32Range(0, 3).Draw(t, "surge")}
		b.Unavailable = rapid.Int32Range(0, b.Replicas).Draw(t, "unavailable")
		newSet, old := draw.Draw(t, "new"), rapid.SliceOfN(draw, 0, 3).Draw(t, "old")
		p := anyPolicy(t)
		r := rollout.Step(b, newSet, old, 0, p)
		require.Empty(t, r.Moves)
		sizes := r.Shrinking.Sizes(old)
		require.Empty(t, cmp.Diff(rollout.Roll(b, newSet, old, 0, p), r))
		if size, plain := rollout.OnDelete(b.Replicas, newSet, old); p.OnDelete {
			require.GreaterOrEqual(t, r.Size, size)
			for i := range sizes {
				require.GreaterOrEqual(t, sizes[i], plain[i])
			}
		}
		removed := int64(0)
		for i, s := range old {
			require.GreaterOrEqual(t, sizes[i], min(s.Wanted, s.Least), "what a set keeps")
			require.LessOrEqual(t, sizes[i], s.Wanted)
			removed += int64(s.Wanted - sizes[i])
		}
		require.Equal(t, removed, r.Shrinking.Removed)
	})
}

// anyPolicy draws a valid policy with exact sums.
func anyPolicy(t *rapid.T) rollout.Policy {
	flag := rapid.Bool()
	p := rollout.Policy{
		Counting: rollout.Counting{
			ExactSums: true, CapOld: flag.Draw(t, "cap old"), CapAvailable: flag.Draw(t, "cap available"), ProtectedApart: flag.Draw(t, "apart"),
		},
		Together: flag.Draw(t, "together"), CountLarger: flag.Draw(t, "larger"), CountThere: flag.Draw(t, "there"), WorstCase: flag.Draw(t, "worst"),
		BreakDeadlock: flag.Draw(t, "break"), WaitForNew: flag.Draw(t, "wait"), FreezeOvershoot: flag.Draw(t, "freeze"),
	}
	if rapid.IntRange(0, 7).Draw(t, "on delete") == 0 {
		p = rollout.Policy{Counting: p.Counting, OnDelete: true}
	}
	p.CountThere = p.CountThere && !p.CountLarger
	p.ProtectedApart = p.ProtectedApart && !p.WorstCase && !p.BreakDeadlock
	if err := p.Valid(); err != nil {
		t.Fatal(err)
	}
	return p
}
