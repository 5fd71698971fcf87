// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAgeBucket(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		age  time.Duration
		want int8
		why  string
	}{
		{0, -1, "no age"},
		{-time.Hour, -1, "in the future"},
		{1, 0, "1 ns"},
		{2, 1, "2 ns"},
		{3, 1, "3 ns"},
		{4, 2, "4 ns"},
		{time.Second, 29, "1 s"},
		{2 * time.Second, 30, "2 s"},
		{time.Minute, 35, "1 min"},
		{time.Hour, 41, "1 h"},
		{24 * time.Hour, 46, "1 day"},
		{365 * 24 * time.Hour, 54, "1 year"},
		{1<<35 - 1, 34, "the last of a bucket"},
		{1 << 35, 35, "the first of the next"},
		{1<<36 - 1, 35, "34.4 s to 68.7 s are one bucket"},
		{1<<48 - 1, 47, "3.3 days less 1 ns: a float is exact"},
		{1<<49 - 1, 49, "6.5 days less 1 ns: a float is one too high"},
		{1<<49 - 2, 48, "6.5 days less 2 ns: it is exact"},
		{1<<53 - 22, 53, "104 days less 22 ns"},
		{1<<53 - 23, 52, "104 days less 23 ns"},
		{1<<54 - 45, 54, "208 days less 45 ns: as a float it is 1 ns more"},
		{1<<54 - 46, 53, "208 days less 46 ns"},
		{1<<62 - 1, 62, "146 years"},
		{1<<62 - 22<<9 - 1<<8, 62, "146 years less 11.5 microseconds"},
		{1<<62 - 22<<9 - 1<<8 - 1, 61, "and 1 ns less"},
	} {
		require.Equal(t, c.want, AgeBucket(now.Add(-c.age), now), c.why)
	}
	require.Equal(t, int8(63), AgeBucket(time.Unix(0, 0).Add(-math.MaxInt64+1), time.Unix(0, 0)), "nearly 292 years")
	require.Equal(t, int8(62), AgeBucket(time.Unix(0, 0).Add(-math.MaxInt64+time.Hour), time.Unix(0, 0)), "an hour less")
	require.Equal(t, int8(63), AgeBucket(time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC), now), "what does not fit")
	require.Equal(t, int8(-1), AgeBucket(now, time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC)), "nor in the other direction")
}

// The bucket is what upstream computes with floats, whatever the platform: the
// logarithm as this one has it, with and without a fused multiplication and addition.
func TestBucketOfFloats(t *testing.T) {
	check := func(age int64) {
		if age <= 0 {
			return
		}
		want := int8(math.Log2(float64(age)))
		if got := bucketOf(age); got != want {
			t.Fatalf("%d: %d, want %d", age, got, want)
		}
		fraction, exponent := math.Frexp(float64(age))
		fused := math.FMA(math.Log(fraction), 1/math.Ln2, float64(exponent))
		if fraction == 0.5 { // upstream's library does not compute this one
			fused = float64(exponent - 1)
		}
		if int8(fused) != want {
			t.Fatalf("%d: %v fused, want %d", age, fused, want)
		}
	}
	for bits := range 64 {
		power := int64(1) << min(bits, 62)
		unit := max(1, power>>53) // of a float below it
		for k := range int64(2000) {
			check(power - k)
			check(power - k*unit)
			check(power - k*unit/2)
			check(power + k*unit - 1)
			check(math.MaxInt64 - k*(1<<8))
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		check(random.Int64() >> random.IntN(63))
	}
}

func TestInstant(t *testing.T) {
	times := []time.Time{
		{},
		time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC),
		time.Unix(0, math.MinInt64+2),
		time.Unix(0, -1),
		time.Unix(0, 0),
		time.Unix(0, math.MaxInt64-1),
		time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	for i := range times[1:] {
		require.Less(t, instant(times[i]), instant(times[i+1]), "%v and %v", times[i], times[i+1])
	}
	require.Equal(t, instant(times[1]), instant(time.Date(1500, 1, 1, 0, 0, 0, 0, time.UTC)), "all that is too long ago is one")
}

// The pivots of a quickselect can be foreseen. This adversary makes up the values
// while it is asked, such that every pivot is bad, and the selection must not
// become quadratic.
func TestNthAgainstAdversary(t *testing.T) {
	const n = 4096
	values := make([]int, n)
	for i := range values {
		values[i] = n // not decided yet
	}
	decided, candidate, calls := 0, 0, 0
	adversary := func(a, b *key) int {
		calls++
		x, y := int(a.index), int(b.index)
		if values[x] == n && values[y] == n {
			fix := x
			if x != candidate {
				fix = y
			}
			values[fix], decided = decided, decided+1
		}
		if values[x] == n {
			candidate = x
		} else if values[y] == n {
			candidate = y
		}
		return cmp.Compare(values[x], values[y])
	}
	keys := make([]key, n)
	for i := range keys {
		keys[i].index = int32(i)
	}
	nth(keys, n-1, adversary)
	require.Less(t, calls, 60*n, "at most 26 rounds and a sort")
	t.Logf("%d comparisons for %d keys", calls, n)
}

func TestNth(t *testing.T) {
	compare := func(a, b *key) int { return cmp.Compare(a.restarts, b.restarts) }
	state := uint32(1)
	for size := 1; size <= 40; size++ {
		for n := 1; n <= size; n++ {
			keys := make([]key, size)
			for i := range keys {
				state = state*1664525 + 1013904223
				keys[i].restarts = int32(state >> 28)
			}
			sorted := slices.Clone(keys)
			slices.SortFunc(sorted, func(a, b key) int { return compare(&a, &b) })
			from, to := nth(keys, n, compare)
			for i, k := range keys {
				last := sorted[n-1].restarts
				switch {
				case i < from:
					require.Less(t, k.restarts, last)
				case i < to:
					require.Equal(t, last, k.restarts)
				default:
					require.Greater(t, k.restarts, last)
				}
			}
			require.True(t, from < n && n <= to)
		}
	}
}

// Both ways of choosing from a merged group, that for short parts and that for long
// ones, put the start of the canonical order in front.
func TestChooseMerged(t *testing.T) {
	state := uint32(7)
	random := func(n int) int {
		state = state*1664525 + 1013904223
		return int(state>>8) % n
	}
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	order := New(start.Add(100*time.Hour), nil)
	for round := range 1500 {
		pods := make([]Pod, 2+random(80))
		parts := 1 + random(len(pods))
		for i := range pods {
			pods[i] = Pod{
				Name: strconv.Itoa(i), UID: strconv.Itoa(random(1000)), NodeName: "n", Phase: Running,
				Ready: true, ReadySince: start.Add(time.Duration(random(parts)) * time.Second), Restarts: int32(random(4)),
				CreationTimestamp: start.Add(time.Duration(random(3)) * 40 * time.Hour),
			}
		}
		r := order.ranking(pods)
		places, _ := r.candidatePlaces(nil)
		keys := r.allKeys(places)
		var want []int32
		for _, k := range r.sorted(slices.Clone(keys)) {
			want = append(want, k.index)
		}
		n := 1 + random(len(pods)-1)
		for way, choose := range []func(keys []key){
			func(keys []key) { r.chooseMerged(keys, n) },
			func(keys []key) { r.chooseInRounds(keys, n, make([]int32, 1<<bits.Len(uint(2*len(keys))))) },
		} {
			chosen := slices.Clone(keys)
			choose(chosen)
			var got []int32
			for _, k := range r.sorted(chosen[:n]) {
				got = append(got, k.index)
			}
			require.Equal(t, want[:n], got, "round %d, way %d", round, way)
		}
	}
}

// A part of more than shortPart pods is chosen from in rounds.
func TestLongPart(t *testing.T) {
	pods := make([]Pod, 3*maxSortedPart)
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := range pods {
		pods[i] = Pod{
			UID: strconv.Itoa(i * 7919 % 100000), NodeName: "n", Phase: Running, Ready: true,
			ReadySince: start.Add(time.Duration(i%2) * time.Second), Restarts: int32(i % 5),
		}
	}
	order := New(start.Add(100*time.Hour), nil)
	all := order.Victims(pods, nil, len(pods))
	for _, n := range []int{1, 100, maxSortedPart, 2 * maxSortedPart, len(pods) - 1} {
		require.Equal(t, all[:n], order.Victims(pods, nil, n), "%d victims", n)
	}
}

// Many nodes collide in the table and are still told apart.
func TestCensus(t *testing.T) {
	pods, want := make([]Pod, 700), Neighbours{}
	for i := range pods {
		// Of any length, and not told apart by the first eight bytes.
		pods[i].NodeName = "node-of-"[:i%9] + strings.Repeat("-", i%11) + strconv.Itoa(100+i*i%499)
		if i%3 > 0 {
			want.Add(&pods[i])
		}
	}
	c := newNeighbourCounts(len(pods))
	for i := range pods {
		c.add(&pods[i], false, want[pods[i].NodeName] > 0)
	}
	counts := Neighbours{}
	for i := range pods {
		if want[pods[i].NodeName] > 0 {
			counts.Add(&pods[i])
		}
	}
	for i := range pods {
		require.Equal(t, counts[pods[i].NodeName], c.count(pods[i].NodeName))
	}
	require.Zero(t, c.count("node-x"))
}
