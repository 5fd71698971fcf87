// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
)

var kubernetes, exact = rollout.Counting{}, rollout.Counting{ExactSums: true, ExactProducts: true}

func TestGrow(t *testing.T) {
	for _, c := range []struct {
		why                       string
		replicas, surge, old, now int32
		want, exact               int32
	}{
		{"no room without surge", 10, 0, 10, 0, 0, 0},
		{"the surge is the room", 10, 2, 10, 0, 2, 2},
		{"what old ones have left is room too", 10, 2, 5, 0, 7, 7},
		{"the room is used up", 10, 2, 10, 2, 2, 2},
		{"never above replicas", 6, 10, 5, 2, 6, 6},
		{"never smaller than it is", 1, 1, 5, 5, 5, 5},
		{"above replicas it stays, even with the limit reached", 10, 2, 1, 11, 11, 11},
		{"the limit wraps around as upstream's does", math.MaxInt32, 1, 5, 0, 0, math.MaxInt32 - 4},
	} {
		b := rollout.Budget{Replicas: c.replicas, Surge: c.surge}
		require.Equal(t, c.want, rollout.Grow(b, int64(c.old)+int64(c.now), c.now, kubernetes), c.why)
		require.Equal(t, c.exact, rollout.Grow(b, int64(c.old)+int64(c.now), c.now, exact), c.why)
	}
}

// A world is a rollout in counts: the new set is the last. Between two passes every pod
// becomes available, unless its template is broken.
type world struct {
	budget rollout.Budget
	sets   []rollout.Set
	broken int // the number of a set, or -1
}

// pass takes one step: the new set grows, or else old ones shrink. A set that has just been
// created has not grown.
func (w *world) pass(p rollout.Counting) string {
	before := slices.Clone(w.sets)
	last := len(w.sets) - 1
	old, total := w.sets[:last], int64(0)
	for _, s := range w.sets {
		total += int64(s.Wanted)
	}
	created := w.sets[last].Wanted < 0
	if created {
		total, w.sets[last].Wanted, before[last].Wanted = total+1, 0, 0
	}
	size := rollout.Grow(w.budget, total, w.sets[last].Wanted, p)
	grown := size != w.sets[last].Wanted
	w.sets[last].Wanted = size
	if created || !grown {
		shrinking := rollout.Shrink(w.budget, w.sets[last], old, p)
		sizes := rollout.Remaining(old, shrinking.Unavailable)
		for i := range old {
			if old[i].Wanted = sizes[i]; shrinking.Available != nil {
				old[i].Wanted -= shrinking.Available[i]
			}
		}
	}
	var text []string
	for i := range w.sets {
		if w.sets[i].Wanted != before[i].Wanted {
			text = append(text, fmt.Sprintf("%d: %d->%d", i, before[i].Wanted, w.sets[i].Wanted))
		}
		if i == w.broken {
			w.sets[i].Available = min(w.sets[i].Available, w.sets[i].Wanted)
		} else {
			w.sets[i].Available = w.sets[i].Wanted
		}
	}
	return strings.Join(text, ", ")
}

func full(wanted int32) rollout.Set { return rollout.Set{Wanted: wanted, Available: wanted} }

// TestRolloutTraces runs rollouts in counts alone.
func TestRolloutTraces(t *testing.T) {
	ten, toCreate := rollout.Budget{Replicas: 10, Surge: 3, Unavailable: 2}, rollout.Set{Wanted: -1}
	quarter := func(replicas int32) rollout.Budget {
		return rollout.Resolve(replicas, rollout.Percent(25), rollout.Percent(25))
	}
	for _, c := range []struct {
		why    string
		budget rollout.Budget
		sets   []rollout.Set
		broken int
		want   string
	}{
		{"a rollout", ten, []rollout.Set{full(10), toCreate}, -1,
			"0: 10->8, 1: 0->3 | 1: 3->5 | 0: 8->3 | 1: 5->10 | 0: 3->0 | "},
		{"new pods never become available", ten, []rollout.Set{full(10), toCreate}, 1, "0: 10->8, 1: 0->3 | 1: 3->5 | "},
		{"back to the good template", ten, []rollout.Set{{Wanted: 5}, {Wanted: 8, Available: 7}}, 0, "0: 5->1 | 1: 8->10 | 0: 1->0 | "},
		{"on to a third template", ten, []rollout.Set{full(8), {Wanted: 5}, {}}, 1, "1: 5->0 | 2: 0->5 | 0: 8->3 | 2: 5->10 | 0: 3->0 | "},
		{"three replicas", quarter(3), []rollout.Set{full(3), toCreate}, -1, "1: 0->1 | 0: 3->2 | 1: 1->2 | 0: 2->1 | 1: 2->3 | 0: 1->0 | "},
		{"one replica", rollout.Resolve(1, rollout.Int(0), rollout.Percent(1)), []rollout.Set{full(1), toCreate}, -1, "0: 1->0 | 1: 0->1 | "},
		{"fifteen replicas", quarter(15), []rollout.Set{full(15), toCreate}, -1, "0: 15->12, 1: 0->4 | 1: 4->7 | 0: 12->5 | 1: 7->14 | 0: 5->0 | 1: 14->15 | "},
	} {
		for _, p := range []rollout.Counting{kubernetes, exact} {
			w := world{c.budget, slices.Clone(c.sets), c.broken}
			var passes []string
			for len(passes) == 0 || passes[len(passes)-1] != "" {
				passes = append(passes, w.pass(p))
			}
			require.Equal(t, c.want, strings.Join(passes, " | "), c.why)
		}
	}
}

func TestShrink(t *testing.T) {
	ten := rollout.Budget{Replicas: 10, Surge: 3, Unavailable: 2}
	one := rollout.Set{Wanted: 3, Available: 1}
	for _, c := range []struct {
		why    string
		newSet rollout.Set
		old    []rollout.Set
		p      rollout.Counting
		want   rollout.Shrinking
	}{
		{"three may go", one, []rollout.Set{full(10)}, kubernetes,
			rollout.Shrinking{Unavailable: []int32{0}, Available: []int32{3}, Removed: 3, Have: 8, Limit: 8, Ahead: -1}},
		{"unavailable ones first", one, []rollout.Set{{Wanted: 4, Available: 4}, {Wanted: 6, Available: 4}}, kubernetes,
			rollout.Shrinking{Unavailable: []int32{0, 2}, Available: []int32{1, 0}, Removed: 3, Have: 8, Limit: 8, Ahead: -1}},
		{"no room", rollout.Set{Wanted: 3}, []rollout.Set{full(8)}, kubernetes, rollout.Shrinking{Have: 8, Limit: 8, Ahead: -1}},
		{"nothing is wanted", full(10), []rollout.Set{{}, {Available: 3}}, kubernetes, rollout.Shrinking{Have: 10, Limit: 8, Ahead: -1, Idle: true}},
		{"a status that is ahead", full(5), []rollout.Set{{Wanted: 3, Available: 5}, {Wanted: 2}}, kubernetes,
			rollout.Shrinking{Unavailable: []int32{0, 0}, Have: 8, Limit: 8, Ahead: 0}},
		{"a status that is ahead, which is capped", full(5), []rollout.Set{{Wanted: 3, Available: 5}, {Wanted: 2}}, rollout.Counting{CapOld: true},
			rollout.Shrinking{Unavailable: []int32{0, 2}, Available: []int32{0, 0}, Removed: 2, Have: 8, Limit: 8, Ahead: -1}},
		{"available pods beyond what is wanted let others go", rollout.Set{Wanted: 3, Available: 5}, []rollout.Set{full(7)}, kubernetes,
			rollout.Shrinking{Unavailable: []int32{0}, Available: []int32{4}, Removed: 4, Have: 8, Limit: 8, Ahead: -1}},
		{"unless they are capped", rollout.Set{Wanted: 3, Available: 5}, []rollout.Set{full(7)}, rollout.Counting{CapAvailable: true},
			rollout.Shrinking{Unavailable: []int32{0}, Available: []int32{2}, Removed: 2, Have: 8, Limit: 8, Ahead: -1}},
	} {
		require.Equal(t, c.want, rollout.Shrink(ten, c.newSet, c.old, c.p), c.why)
	}
}

// Whatever the counts are, as long as no set reports more available pods than it wants, old
// sets keep what the minimum needs.
func TestPropertyShrink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Custom(func(t *rapid.T) rollout.Set {
			wanted := rapid.Int32Range(0, 9).Draw(t, "wanted")
			return rollout.Set{Wanted: wanted, Available: rapid.Int32Range(0, wanted).Draw(t, "available")}
		})
		b := rollout.Budget{Replicas: rapid.Int32Range(0, 12).Draw(t, "replicas")}
		b.Unavailable = rapid.Int32Range(0, b.Replicas).Draw(t, "unavailable")
		newSet, old := draw.Draw(t, "new"), rapid.SliceOf(draw).Draw(t, "old")
		s := rollout.Shrink(b, newSet, old, kubernetes)
		left, lost, had := int64(newSet.Available), int64(0), int64(newSet.Available)
		for i, size := range rollout.Remaining(old, s.Unavailable) {
			had += int64(old[i].Available)
			lost += int64(old[i].Wanted - size)
			if s.Available != nil {
				lost += int64(s.Available[i])
				size -= s.Available[i]
			}
			require.GreaterOrEqual(t, size, int32(0))
			left += int64(min(size, old[i].Available)) // unavailable pods go first
		}
		require.Equal(t, lost, s.Removed)
		require.GreaterOrEqual(t, left, min(had, s.Limit))
		require.Equal(t, s, rollout.Shrink(b, newSet, old, rollout.Counting{ExactSums: true, CapAvailable: true, CapOld: true}))
	})
}

func TestRecreate(t *testing.T) {
	for _, c := range []struct {
		wanted, left int64
		size         int32
		start        bool
	}{{0, 0, 3, true}, {1, 0, 0, false}, {0, 1, 0, false}} {
		size, start := rollout.Recreate(3, c.wanted, c.left)
		require.Equal(t, c.size, size)
		require.Equal(t, c.start, start)
	}
}

func TestSaturated(t *testing.T) {
	require.True(t, rollout.Saturated(full(3), 3, 3))
	require.False(t, rollout.Saturated(rollout.Set{Wanted: 3, Available: 2}, 3, 3), "not all are available")
	require.False(t, rollout.Saturated(full(3), 4, 3), "it was scaled for more")
	require.False(t, rollout.Saturated(full(3), 3, 4), "more are wanted")
}

func TestFraction(t *testing.T) {
	for _, c := range []struct {
		why                             string
		replicas, surge, size, old, got int32
	}{
		{"worked example", 15, 3, 8, 13, 3},
		{"worked example, the other one", 15, 3, 5, 13, 2},
		{"half is rounded up", 5, 0, 1, 2, 2},
		{"to nothing", 0, 3, 7, 10, -7},
		{"nothing before", 5, 0, 3, 0, 0},
		{"a negative number of pods before", 5, 0, 1, -2, -4},
		{"extremes", math.MaxInt32, 0, 1, 1, math.MaxInt32 - 1},
	} {
		for _, p := range []rollout.Counting{kubernetes, exact} {
			got := rollout.Fraction(rollout.Budget{Replicas: c.replicas, Surge: c.surge}, c.size, c.old, p)
			require.Equal(t, int64(c.got), got, c.why)
		}
	}
	large := rollout.Budget{Replicas: 100000, Surge: 0}
	require.Equal(t, int64(-42842), rollout.Fraction(large, 45000, 95000, kubernetes), "the product wraps around")
	require.Equal(t, int64(2368), rollout.Fraction(large, 45000, 95000, exact))
}

// TestFractionRounds compares the integer division with the floating-point formula
// that it stands for.
func TestFractionRounds(t *testing.T) {
	for size := int32(1); size < 60; size++ {
		for replicas := int32(1); replicas < 60; replicas++ {
			for before := int32(1); before < 60; before++ {
				want := int64(math.Round(float64(size*replicas)/float64(before))) - int64(size)
				got := rollout.Fraction(rollout.Budget{Replicas: replicas}, size, before, kubernetes)
				require.Equal(t, want, got, "%d*%d/%d", size, replicas, before)
			}
		}
	}
}

func TestProportional(t *testing.T) {
	b := rollout.Budget{Replicas: 15, Surge: 3}
	require.Equal(t, []int32{11, 7}, rollout.Proportional([]rollout.Set{{Wanted: 8, Before: 13}, {Wanted: 5, Before: 13}}, b, 5, kubernetes))
	require.Equal(t, []int32{13, 5}, rollout.Proportional([]rollout.Set{{Wanted: 8}, {Wanted: 5, Before: 18}}, b, 5, kubernetes), "the largest gets what is left")
	require.Equal(t, []int32{8, 5}, rollout.Proportional([]rollout.Set{{Wanted: 8}, {Wanted: 5}}, b, 0, kubernetes))
	require.Empty(t, rollout.Proportional(nil, b, 5, kubernetes))
	sets := []rollout.Set{{Wanted: 2, Age: 1}, {Wanted: 5, Age: 2}, {Wanted: 2, Age: 3}}
	require.Equal(t, []int{1, 2, 0}, rollout.BySize(sets, 1), "the youngest of equals first")
	require.Equal(t, []int{1, 0, 2}, rollout.BySize(sets, -1), "the oldest of equals first")
}

// Sets of one size and age keep the order of the list, however many there are; so do parts that get
// what rounding leaves over.
func TestEqualSetsKeepOrder(t *testing.T) {
	const n = 50
	sets, parts, want := make([]rollout.Set, n), make([]rollout.Part, n), make([]int, 0, n)
	for i := range n {
		sets[i].Wanted, parts[i] = int32(i%3), rollout.Part{Weight: 1, Size: int32(i % 3)}
	}
	for size := 2; size >= 0; size-- {
		for i := size; i < n; i += 3 {
			want = append(want, i)
		}
	}
	require.Equal(t, want, rollout.BySize(sets, 1))
	require.Equal(t, want, rollout.BySize(sets, -1))
	for left := range int64(n) {
		shares := rollout.Apportion(left, parts, nil, rollout.LeftoverLargest)
		for k, i := range want {
			require.Equal(t, int64(k) < left, shares[i] == 1)
		}
	}
}

func TestApportion(t *testing.T) {
	parts := []rollout.Part{{Weight: 6, Size: 6, Age: 0}, {Weight: 3, Size: 3, Age: 1}, {Weight: 3, Size: 3, Age: 2}}
	require.Equal(t, []int64{7, 3, 3}, rollout.Apportion(13, parts, nil, rollout.LeftoverMostCut))
	require.Equal(t, []int64{7, 3, 4}, rollout.Apportion(14, parts, nil, rollout.LeftoverMostCut), "the youngest of equals")
	require.Equal(t, []int64{7, 4, 3}, rollout.Apportion(14, parts, []int32{7, 4, 3}, rollout.LeftoverMostCut), "as good, and preferred")
	require.Equal(t, []int64{7, 3, 4}, rollout.Apportion(14, parts, []int32{8, 3, 3}, rollout.LeftoverMostCut), "not as good")
	require.Equal(t, []int64{6, 3, 4}, rollout.Apportion(13, parts, nil, rollout.LeftoverNewest))
	require.Equal(t, []int64{7, 3, 3}, rollout.Apportion(13, parts, nil, rollout.LeftoverLargest))
	require.Equal(t, []int64{1, 1, 1}, rollout.Apportion(3, []rollout.Part{{Weight: -1}, {}, {}}, nil, ""), "all weights are 0")
	require.Equal(t, []int64{11, 4}, weighed(15, rollout.Set{Wanted: 12, Before: 20}, rollout.Set{Wanted: 4, Before: 20}))
	require.Equal(t, []int64{9, 6}, weighed(15, rollout.Set{Wanted: 12, Before: 20}, rollout.Set{Wanted: 4, Before: 10}), "shares before an interruption")
	require.Equal(t, []int64{2, 1}, rollout.Weights([]rollout.Set{{Wanted: 2}, {Wanted: 1, Before: 7}}), "not known")
}

func weighed(goal int64, sets ...rollout.Set) []int64 {
	var parts []rollout.Part
	for k, w := range rollout.Weights(sets) {
		parts = append(parts, rollout.Part{Weight: w, Size: sets[k].Wanted, Age: k})
	}
	return rollout.Apportion(goal, parts, nil, rollout.LeftoverMostCut)
}

// The sum of the shares is the goal, and each is its quota rounded down or up.
func TestPropertyApportion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		goal := rapid.Int64Range(0, math.MaxInt64).Draw(t, "goal")
		weights := rapid.SliceOfN(rapid.Int64Range(0, math.MaxInt32), 1, 6).Draw(t, "weights")
		var parts []rollout.Part
		sum, shared := int64(0), int64(0)
		for _, w := range weights {
			parts, sum = append(parts, rollout.Part{Weight: w}), sum+w
		}
		leftover := rapid.SampledFrom([]rollout.Leftover{"", rollout.LeftoverLargest, rollout.LeftoverNewest}).Draw(t, "leftover")
		for k, share := range rollout.Apportion(goal, parts, nil, leftover) {
			shared += share
			if sum > 0 && goal <= math.MaxInt32 {
				quota := float64(goal) * float64(weights[k]) / float64(sum)
				require.InDelta(t, quota, float64(share), 1.001)
			}
		}
		require.Equal(t, goal, shared)
	})
}

func TestLeaveRoom(t *testing.T) {
	require.Equal(t, int64(8), rollout.LeaveRoom(10, 5, 2))
	require.Equal(t, int64(5), rollout.LeaveRoom(10, 5, 9), "never below what there is")
	require.Equal(t, int64(4), rollout.LeaveRoom(4, 5, 9), "a goal that is lower stays")
}

func TestCounting(t *testing.T) {
	b := rollout.Budget{Replicas: math.MaxInt32, Surge: 1, Unavailable: -1}
	require.Equal(t, []int64{math.MinInt32, math.MinInt32}, []int64{kubernetes.MaxTotal(b), kubernetes.MinAvailable(b)})
	require.Equal(t, []int64{1 << 31, 1 << 31}, []int64{exact.MaxTotal(b), exact.MinAvailable(b)})
	require.Equal(t, []int32{math.MinInt32, math.MaxInt32}, []int32{kubernetes.Size(1 << 31), exact.Size(1 << 31)})
}
