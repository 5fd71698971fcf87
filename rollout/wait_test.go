// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/reason"
)

func ExampleRolling_Waits() {
	b := rollout.Resolve(10, rollout.Int(3), rollout.Int(2))
	newSet, old := rollout.Set{Wanted: 5, Available: 2}, []rollout.Set{{Wanted: 8, Available: 6}}
	r := rollout.Roll(b, newSet, old, 0, rollout.Policy{})
	fmt.Println(r.Size, r.Shrinking.Sizes(old))
	for w := range r.Waits(b, newSet, old, 0, rollout.Policy{}) {
		fmt.Println(w)
	}
	// Output:
	// 5 [6]
	// the new set waits: 13 pods count against the surge, at most 13 are allowed
	// old set 0 waits: 8 pods stay available, 8 must
}

// With all policies and any counts, a wait has the numbers of the counts, and they are a reason to
// wait: no number is below 0, and the two compare as the reason says.
func TestPropertyWaits(t *testing.T) {
	seen := map[string]int{}
	check := func(t *rapid.T) {
		b := rollout.Budget{Replicas: rapid.Int32Range(0, 8).Draw(t, "replicas"), Surge: rapid.Int32Range(0, 3).Draw(t, "surge")}
		b.Unavailable = rapid.Int32Range(0, b.Replicas).Draw(t, "unavailable")
		newSet, old := anySet.Draw(t, "new"), rapid.SliceOfN(anySet, 0, 3).Draw(t, "old")
		terminating, p := rapid.Int64Range(0, 2).Draw(t, "terminating"), anyPolicy(t)
		r := rollout.Step(b, newSet, old, terminating, p)
		sizes := r.Shrinking.Sizes(old)
		for w := range r.Waits(b, newSet, old, terminating, p) {
			seen[string(w.Reason)]++
			require.GreaterOrEqual(t, w.Have, int64(0), "%v", w)
			require.GreaterOrEqual(t, w.Limit, int64(0), "%v", w)
			c := counted{b, newSet, old, terminating, p, r, sizes}
			if w.Set < 0 {
				require.Equal(t, newSet.Wanted, r.Size, "%v", w)
				c.checkNew(t, w)
			} else {
				require.True(t, sizes[w.Set] > 0 || w.Reason == reason.MovesInPlace, "%v", w)
				c.checkOld(t, w)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 20 { // some reasons are rare
			check(t)
		}
	})
	for _, r := range []string{"SurgeExhausted", "Terminating", "MinAvailable", "StatusBehind", "StatusAhead", "Kept", "OnDelete", "MovesInPlace"} {
		require.Positive(t, seen[r], r)
	}
}

// anySet draws counts that need not fit each other.
var anySet = rapid.Custom(func(t *rapid.T) rollout.Set {
	return rollout.Set{
		Wanted: rapid.Int32Range(0, 6).Draw(t, "wanted"), There: rapid.Int32Range(0, 6).Draw(t, "there"), Available: rapid.Int32Range(0, 6).Draw(t, "available"),
		Least: rapid.SampledFrom([]int32{0, 0, 2}).Draw(t, "least"), Protected: rapid.SampledFrom([]int32{0, 0, 2}).Draw(t, "protected"),
		Moves: rapid.IntRange(0, 5).Draw(t, "moves") == 0, Busy: rapid.IntRange(0, 5).Draw(t, "busy") == 0,
	}
})

// counted is a step and the counts that it was made of.
type counted struct {
	b           rollout.Budget
	newSet      rollout.Set
	old         []rollout.Set
	terminating int64
	p           rollout.Policy
	r           rollout.Rolling
	sizes       []int32
}

func (c counted) checkNew(t *rapid.T, w rollout.Wait) {
	wanted, there, larger := int64(0), int64(0), int64(0)
	for _, s := range append([]rollout.Set{c.newSet}, c.old...) {
		wanted, there, larger = wanted+int64(s.Wanted), there+int64(s.There), larger+int64(max(s.Wanted, s.There))
	}
	most := int64(c.b.Replicas) + int64(c.b.Surge)
	switch w.Reason {
	case reason.SurgeExhausted, reason.Terminating:
		have := wanted + c.terminating
		switch {
		case c.p.FreezeOvershoot && there > most && w.Have == there:
			have = there
		case c.p.CountLarger:
			have = larger
		case c.p.CountThere:
			have = there
		}
		require.Equal(t, have, w.Have, "%v", w)
		require.Equal(t, most, w.Limit, "%v", w)
		require.GreaterOrEqual(t, w.Have, w.Limit, "%v is no reason to wait", w)
	case reason.StatusBehind:
		require.Equal(t, []int64{int64(c.newSet.There), int64(c.newSet.Wanted)}, []int64{w.Have, w.Limit})
		require.NotEqual(t, w.Have, w.Limit, "%v is no reason to wait", w)
	case reason.OnDelete:
		require.Equal(t, []int64{larger, int64(c.b.Replicas)}, []int64{w.Have, w.Limit})
		require.GreaterOrEqual(t, w.Have, w.Limit, "%v is no reason to wait", w)
	case reason.MovesInPlace:
		require.Equal(t, []int64{int64(c.newSet.Wanted), int64(c.b.Replicas)}, []int64{w.Have, w.Limit})
		require.NotEmpty(t, c.r.Moves)
	default:
		t.Fatalf("%v is no reason of a new set", w)
	}
}

func (c counted) checkOld(t *rapid.T, w rollout.Wait) {
	s := c.old[w.Set]
	switch w.Reason {
	case reason.MinAvailable:
		require.Equal(t, int64(c.b.Replicas-c.b.Unavailable), w.Limit, "%v", w)
		require.LessOrEqual(t, w.Have, w.Limit, "%v is no reason to wait", w)
		if !c.p.WorstCase {
			require.LessOrEqual(t, w.Have, c.available(), "%v", w)
		}
		if !c.p.WorstCase && len(c.r.Shrinking.Available) == 0 {
			require.Equal(t, c.staying(), w.Have, "%v", w)
		}
	case reason.StatusAhead:
		require.Equal(t, []int64{int64(s.Available), int64(s.Wanted)}, []int64{w.Have, w.Limit})
		require.Greater(t, w.Have, w.Limit, "%v is no reason to wait", w)
	case reason.Kept:
		keeps := max(s.Least, s.Protected)
		if c.p.ProtectedApart {
			keeps = s.Least
		}
		require.Equal(t, []int64{int64(c.sizes[w.Set]), int64(min(keeps, s.Wanted))}, []int64{w.Have, w.Limit})
		require.LessOrEqual(t, w.Have, w.Limit, "%v is no reason to wait", w)
	case reason.OnDelete:
		require.Equal(t, []int64{int64(s.There), 0}, []int64{w.Have, w.Limit})
		require.True(t, c.p.OnDelete)
	case reason.MovesInPlace:
		require.Equal(t, []int64{int64(s.There), int64(c.b.Replicas - c.newSet.Wanted)}, []int64{w.Have, w.Limit})
		require.True(t, s.Moves)
	default:
		t.Fatalf("%v is no reason of an old set", w)
	}
}

// available returns the pods that are available and stay, as they are reported or capped.
func (c counted) available() int64 {
	sum := c.of(c.newSet, c.p.CapAvailable)
	for i, s := range c.old {
		sum += c.of(s, c.p.CapAvailable || c.p.CapOld)
		if i < len(c.r.Shrinking.Available) {
			sum -= int64(c.r.Shrinking.Available[i])
		}
	}
	return sum
}

// staying returns the available pods that sets also want.
func (c counted) staying() int64 {
	sum := c.of(c.newSet, c.p.CapAvailable)
	for _, s := range c.old {
		sum += c.of(s, true)
	}
	return sum
}

func (c counted) of(s rollout.Set, capped bool) int64 {
	if capped {
		return int64(min(s.Available, s.Wanted))
	}
	return int64(s.Available)
}
