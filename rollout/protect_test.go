// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
)

func ExampleCounting_Places() {
	// 10 game servers, of which 4 old ones have players.
	b, old := rollout.Budget{Replicas: 10, Surge: 2}, []rollout.Set{{Wanted: 6, Available: 6, Protected: 4}}
	places := rollout.Counting{ProtectedApart: true}.Places(b, old)
	fmt.Println(places.Replicas, "of the new template,", places.MaxTotal(), "in all")
	// Output: 6 of the new template, 12 in all
}

func ExamplePolicy_Resolve() {
	// 10 are wanted and 4 are ready: half of these may go, not half of 10.
	b := rollout.Agones().Resolve(10, 4, rollout.Percent(25), rollout.Percent(50))
	fmt.Println(b)
	// Output: at most 13, at least 2 available
}

func TestProtected(t *testing.T) {
	b, newSet := rollout.Budget{Replicas: 10, Surge: 10, Unavailable: 10}, rollout.Set{Wanted: 10, There: 10, Available: 10}
	for _, c := range []struct {
		why  string
		p    rollout.Policy
		old  []rollout.Set
		want []int32
	}{
		{"nothing is kept", rollout.Policy{}, []rollout.Set{{Wanted: 5, Available: 5}, {Wanted: 5, Available: 1}}, []int32{0, 0}},
		{"a lower bound", rollout.Policy{}, []rollout.Set{{Wanted: 5, Available: 5, Least: 3}, {Wanted: 5, Available: 1, Least: 2}}, []int32{3, 2}},
		{"what is protected", rollout.Policy{}, []rollout.Set{{Wanted: 5, Available: 5, Protected: 3}, {Wanted: 5, Available: 1, Protected: 2, Least: 1}}, []int32{3, 2}},
		{"more than it wants", rollout.Policy{}, []rollout.Set{{Wanted: 5, Available: 5, Protected: 9}}, []int32{5}},
		{"what is protected stands apart", rollout.Policy{Counting: rollout.Counting{ProtectedApart: true}, Together: true}, []rollout.Set{{Wanted: 5, Available: 5, Protected: 3, Least: 1}}, []int32{1}},
		{"in the worst case too", rollout.Policy{WorstCase: true}, []rollout.Set{{Wanted: 5, There: 5, Available: 5, Protected: 3}, {Wanted: 5, There: 5, Available: 1, Least: 2}}, []int32{3, 2}},
	} {
		r := rollout.Roll(b, newSet, c.old, 0, c.p)
		require.Equal(t, c.want, r.Shrinking.Sizes(c.old), c.why)
	}
}

func TestHeld(t *testing.T) {
	b, wait, freeze := rollout.Budget{Replicas: 10, Surge: 2}, rollout.Policy{WaitForNew: true}, rollout.Policy{FreezeOvershoot: true}
	for _, c := range []struct {
		why         string
		p           rollout.Policy
		newSet, old rollout.Set
		want        int32
	}{
		{"it grows", rollout.Policy{}, rollout.Set{Wanted: 3, There: 1}, rollout.Set{Wanted: 7, There: 14}, 5},
		{"it waits", wait, rollout.Set{Wanted: 3, There: 1}, rollout.Set{Wanted: 7}, 3},
		{"it has what it wants", wait, rollout.Set{Wanted: 3, There: 3}, rollout.Set{Wanted: 7}, 5},
		{"more are there than may be", freeze, rollout.Set{Wanted: 3, There: 3}, rollout.Set{Wanted: 7, There: 10}, 3},
		{"as many as may be", freeze, rollout.Set{Wanted: 3, There: 3}, rollout.Set{Wanted: 7, There: 9}, 5},
		{"a surplus goes all the same", freeze, rollout.Set{Wanted: 13, There: 13}, rollout.Set{}, 10},
		{"but for what it keeps", freeze, rollout.Set{Wanted: 13, There: 13, Least: 12}, rollout.Set{}, 12},
	} {
		require.Equal(t, c.want, rollout.Roll(b, c.newSet, []rollout.Set{c.old}, 0, c.p).Size, c.why)
	}
}

// Whatever the policies, no set goes below what it keeps, the new set never takes the
// place of a pod that stands apart, and an overshoot lets nothing grow.
func TestPropertyProtected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, most int32) int32 { return rapid.Int32Range(0, most).Draw(t, name) }
		set := func() rollout.Set {
			s := rollout.Set{Wanted: draw("wanted", 9), There: draw("there", 9), Protected: draw("protected", 5), Least: draw("least", 5)}
			s.Available = draw("available", s.Wanted)
			return s
		}
		p := rollout.Policy{Counting: rollout.Counting{ExactSums: true, ProtectedApart: rapid.Bool().Draw(t, "apart")}, Together: rapid.Bool().Draw(t, "together"), WorstCase: rapid.Bool().Draw(t, "worst"), BreakDeadlock: rapid.Bool().Draw(t, "break"), FreezeOvershoot: rapid.Bool().Draw(t, "freeze")}
		newSet, old := set(), []rollout.Set{set(), set(), set()}
		b := rollout.Resolve(draw("replicas", 20), rollout.Int(draw("surge", 5)), rollout.Int(draw("unavailable", 5)))
		r := rollout.Roll(b, newSet, old, 0, p)
		there, apart := int64(newSet.There), int32(0)
		for i, size := range r.Shrinking.Sizes(old) {
			least := old[i].Least
			if !p.ProtectedApart {
				least = max(least, old[i].Protected)
			}
			if size < min(least, old[i].Wanted) {
				t.Fatalf("%+v: set %d of %+v becomes %d", p, i, old, size)
			}
			there, apart = there+int64(old[i].There), apart+old[i].Protected
		}
		switch grown := r.Size > newSet.Wanted; {
		case grown && p.ProtectedApart && r.Size > max(0, b.Replicas-apart):
			t.Fatalf("%v: %+v beside %+v becomes %d", b, newSet, old, r.Size)
		case grown && p.FreezeOvershoot && there > int64(b.MaxTotal()):
			t.Fatalf("%v: %+v beside %+v grows to %d", b, newSet, old, r.Size)
		}
	})
}
