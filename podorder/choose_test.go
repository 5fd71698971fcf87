// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// mergedKeys returns pods of one group, whose parts are to be merged: each of a UID and of the second in
// which it became ready. Within a part, those listed first go first.
func mergedKeys(pods ...string) (*ranking, []key) {
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	list := make([]Pod, len(pods))
	for i, text := range pods {
		second := 0
		p := Pod{NodeName: "n", Phase: Running, Ready: true, Restarts: int32(len(pods) - i)}
		if _, err := fmt.Sscanf(text, "%s %d", &p.UID, &second); err != nil {
			panic(err)
		}
		p.Name, p.ReadySince = p.UID, start.Add(time.Duration(second)*time.Second)
		list[i] = p
	}
	order := New(start.Add(100*time.Hour), nil)
	r := order.ranking(list)
	places, _ := r.candidatePlaces(nil)
	return r, r.allKeys(places)
}

func uidsOf(r *ranking, keys []key) string {
	var texts []string
	for i := range keys {
		texts = append(texts, r.pod(&keys[i].place).UID)
	}
	return strings.Join(texts, " ")
}

func sortedUIDs(r *ranking, keys []key) string {
	names := strings.Fields(uidsOf(r, keys))
	slices.Sort(names)
	return strings.Join(names, " ")
}

// single returns n pods, each a part of its own, with the UIDs in the order of rank.
func single(rank []int) (*ranking, []key) {
	pods := make([]string, len(rank))
	for i, n := range rank {
		pods[i] = fmt.Sprintf("%04d %d", n, i)
	}
	return mergedKeys(pods...)
}

func tableOf(keys []key) []int32 { return make([]int32, 1<<bits.Len(uint(2*len(keys)))) }

func isSorted(r *ranking, keys []key) bool {
	return slices.IsSortedFunc(keys, func(a, b key) int { return r.compareID(&a, &b) })
}

// A selection in rounds sorts only what is small, what is left when the rounds do not
// help, and nothing that need not be told apart.
func TestChooseInRoundsSorts(t *testing.T) {
	backward := func(n int) []int {
		rank := make([]int, n)
		for i := range rank {
			rank[i] = n - i
		}
		return rank
	}
	// Of what is left, the pod in the middle is always the first: a round drops one.
	bad, places := make([]int, 1000), make([]int, 1000)
	for i := range places {
		places[i] = i
	}
	for n := range bad {
		middle := len(places) / 2
		bad[places[middle]] = n
		places[middle] = places[0]
		places = places[1:]
	}
	for _, c := range []struct {
		rank []int
		n    int
		want bool
		why  string
	}{
		{backward(16), 8, true, "16 are few"},
		{backward(16), 16, false, "all are chosen, and nobody asked for their order"},
		{backward(17), 2, false, "17 are not few, and a round leaves the last ones alone"},
		{backward(1000), 500, false, "nor are 1,000"},
		{bad, 500, true, "20 rounds have dropped 20 pods: the rest is sorted"},
	} {
		r, keys := single(c.rank)
		r.chooseInRounds(keys, c.n, tableOf(keys))
		require.Equal(t, c.want, isSorted(r, keys), "%s: %s", c.why, uidsOf(r, keys))
	}
}

// A selection in rounds ends with the followers of a leader that are the last victims.
func TestChooseInRoundsEnds(t *testing.T) {
	first := []string{"t 2", "s 3", "u 4", "p 5"}
	led := strings.Fields("m l k j i h g f e d c b")
	for i := range led {
		led[i] += " 1"
	}
	r, keys := mergedKeys(slices.Concat(first, led, []string{"o 6", "r 7", "q 8", "n 9"})...)
	r.chooseInRounds(keys, len(led), tableOf(keys))
	require.Equal(t, "b c d e f g h i j k l m", sortedUIDs(r, keys[:len(led)]), "m and those that it leads")
	require.False(t, isSorted(r, keys[len(led):]), "nobody asked for the others")
}

func TestLeader(t *testing.T) {
	r, keys := mergedKeys("c 1", "e 1", "d 1", "z 2", "f 1", "a 3")
	for i, want := range []string{"c", "e", "e", "z", "f", "a"} {
		leader := r.leader(keys, &keys[i])
		require.Equal(t, want, r.pod(&leader.place).UID, "of %d", i)
	}
}

// The two splits of a round, around the leader c of the first part.
func TestSplits(t *testing.T) {
	r, keys := mergedKeys("c 1", "b 1", "a 1", "e 1", "a1 1", "b1 2", "d 2", "b2 2", "f 3")
	pivot := r.leader(keys, &keys[1])
	before := r.splitBeforeLeader(keys, &pivot, tableOf(keys))
	require.Equal(t, "b1", uidsOf(r, keys[:before]), "only b1 has a leader before c")
	keys = keys[before:]
	followers := r.splitFollowers(keys, &pivot)
	require.Equal(t, "a b c", sortedUIDs(r, keys[:followers]), "c leads itself and all up to e")

	r, keys = mergedKeys("f 3", "c 1", "a 1", "d 2")
	pivot = keys[1]
	require.Equal(t, 2, r.splitFollowers(keys, &pivot), "no later leader in the part of c")
}

// Ready times, which are often whole seconds, spread over the table, and one that
// finds its slot taken by another takes the next, from the last the first.
func TestSlot(t *testing.T) {
	keys := make([]key, 1000)
	table := make([]int32, 1<<bits.Len(uint(2*len(keys))))
	taken := map[*int32]bool{}
	for i := range keys {
		keys[i].readySince = int64(i) * 1e9
		taken[slotOf(keys, table, keys[i].readySince)] = true
	}
	require.Greater(t, len(taken), 700)

	small := make([]int32, 4)
	home := slotOf(keys, small, keys[1].readySince)
	at := slices.IndexFunc([]int{0, 1, 2, 3}, func(i int) bool { return &small[i] == home })
	*home = 10
	require.Same(t, &small[(at+1)%4], slotOf(keys, small, keys[1].readySince), "the next is free")
	small[(at+1)%4], small[(at+2)%4] = 20, 2
	require.Same(t, &small[(at+2)%4], slotOf(keys, small, keys[1].readySince), "its own")
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		keys        []int
		comparisons int
		why         string
	}{
		{[]int{1, 2, 3}, 2, "in order"},
		{[]int{1, 3, 2}, 3, ""},
		{[]int{2, 1, 3}, 2, "the first two turned around"},
		{[]int{2, 3, 1}, 3, ""},
		{[]int{3, 1, 2}, 3, ""},
		{[]int{3, 2, 1}, 3, ""},
		{[]int{2, 2, 2}, 2, "equal ones are in order"},
		{[]int{1, 2, 2}, 2, "equal ones are in order"},
	} {
		calls := 0
		got := median(c.keys, 0, 1, 2, func(a, b *int) int {
			calls++
			return cmp.Compare(*a, *b)
		})
		require.Equal(t, 2, got, "%v", c.keys)
		require.Equal(t, c.comparisons, calls, "%v: %s", c.keys, c.why)
	}
}

// A selection with good pivots takes a number of comparisons that is linear in the
// number of keys, wherever it cuts.
func TestNthIsLinear(t *testing.T) {
	const size = 1 << 14
	state := uint32(1)
	arrangements := map[string]func(i int) int{
		"random": func(int) int {
			state = state*1664525 + 1013904223
			return int(state >> 4)
		},
		"sorted":   func(i int) int { return i },
		"backward": func(i int) int { return -i },
		"equal":    func(int) int { return 0 },
		"few":      func(i int) int { return i % 3 },
	}
	for name, value := range arrangements {
		for _, n := range []int{1, size / 100, size / 2, size - 1} {
			keys := make([]int, size)
			for i := range keys {
				keys[i] = value(i)
			}
			calls := 0
			nth(keys, n, func(a, b *int) int {
				calls++
				return cmp.Compare(*a, *b)
			})
			require.Less(t, calls, 4*size, "%s, %d", name, n)
		}
	}
}
