// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
)

func TestResolveNodes(t *testing.T) {
	for _, c := range []struct {
		why                string
		desired            int32
		surge, unavailable rollout.IntOrPercent
		above, below       int32
	}{
		{"both are rounded up", 10, rollout.Percent(11), rollout.Percent(11), 2, 2},
		{"one node is moved at least", 10, rollout.IntOrPercent{}, rollout.IntOrPercent{}, 0, 1},
		{"a share of 0 % is none", 10, rollout.Percent(0), rollout.Percent(0), 0, 1},
		{"but no node if none is desired", 0, rollout.Percent(10), rollout.Percent(10), 0, 0},
		{"a surge is enough", 10, rollout.Int(1), rollout.Int(0), 1, 0},
		{"numbers are not shares", 3, rollout.Int(0), rollout.Int(7), 0, 7},
	} {
		above, below := rollout.ResolveNodes(c.desired, c.surge, c.unavailable)
		require.Equal(t, [2]int32{c.above, c.below}, [2]int32{above, below}, c.why)
	}
}

func TestNodeCountsRemovals(t *testing.T) {
	type two [2]int
	for _, c := range []struct {
		why            string
		counts         rollout.NodeCounts
		limit          int32
		budget, strict two
	}{
		{"five old nodes, two may be unavailable", rollout.NodeCounts{OldAvailable: 5}, 2, two{0, 2}, two{0, 2}},
		{"two are gone", rollout.NodeCounts{Unavailable: 2, OldAvailable: 3}, 2, two{}, two{}},
		{"one of them is back", rollout.NodeCounts{Unavailable: 1, OldAvailable: 3}, 2, two{0, 1}, two{0, 1}},
		{"the last one", rollout.NodeCounts{OldAvailable: 1}, 2, two{0, 1}, two{0, 1}},
		{"n1 new and unready, n2 old and unready, n3 and n4 old: n2 counts",
			rollout.NodeCounts{Unavailable: 2, OfOld: 1, OldUnavailable: 1, OldAvailable: 2}, 2, two{1, 0}, two{1, 0}},
		{"the same where n2 does not count", rollout.NodeCounts{Unavailable: 1, OldUnavailable: 1, OldAvailable: 2}, 2, two{1, 1}, two{1, 0}},
		{"all that serve nobody go at once", rollout.NodeCounts{Unavailable: 3, OfOld: 3, OldUnavailable: 3, OldAvailable: 3}, 1, two{3, 0}, two{1, 0}},
		{"what is unavailable for another reason comes first", rollout.NodeCounts{Unavailable: 5, OfOld: 3, OldUnavailable: 3}, 2, two{3, 0}, two{}},
		{"more is used than may be", rollout.NodeCounts{Unavailable: 9, OldAvailable: 3}, 2, two{}, two{}},
		{"a limit that has wrapped around is none", rollout.NodeCounts{OldAvailable: 3}, -2, two{}, two{}},
		{"counts below 0 are 0", rollout.NodeCounts{Unavailable: -9, OfOld: -4, OldUnavailable: -1, OldAvailable: 3}, 2, two{0, 2}, two{0, 2}},
		{"no node", rollout.NodeCounts{}, 2, two{}, two{}},
	} {
		var got, strict two
		got[0], got[1] = c.counts.Removals(c.limit)
		strict[0], strict[1] = c.counts.StrictRemovals(c.limit)
		require.Equal(t, c.budget, got, c.why)
		require.Equal(t, c.strict, strict, c.why)
	}
}

func TestSurgeCounts(t *testing.T) {
	for _, c := range []struct {
		why                    string
		counts                 rollout.SurgeCounts
		limit                  int32
		unavailable, available int
	}{
		{"three old nodes, one may surge", rollout.SurgeCounts{OldAvailable: 3, Available: 3}, 1, 0, 1},
		{"one surges", rollout.SurgeCounts{Surging: 1, OldAvailable: 2, Available: 3}, 1, 0, 0},
		{"who serves nobody does not wait", rollout.SurgeCounts{Surging: 1, OldUnavailable: 2, OldAvailable: 2}, 1, 2, 0},
		{"nor does it take room", rollout.SurgeCounts{OldUnavailable: 2, OldAvailable: 2}, 1, 2, 1},
		{"counts below 0 are 0", rollout.SurgeCounts{Surging: -5, OldUnavailable: -1, OldAvailable: 2}, 1, 0, 1},
		{"a limit that has wrapped around is none", rollout.SurgeCounts{OldAvailable: 2}, -1, 0, 0},
	} {
		unavailable, available := c.counts.Additions(c.limit)
		require.Equal(t, [2]int{c.unavailable, c.available}, [2]int{unavailable, available}, c.why)
	}
	for _, c := range []struct {
		why     string
		counts  rollout.SurgeCounts
		desired int32
		want    int
	}{
		{"the pod of a tainted node stays while the other node's is not available", rollout.SurgeCounts{Undesired: 1, Available: 1}, 1, 0},
		{"and goes when it is", rollout.SurgeCounts{Undesired: 1, Available: 2}, 1, 1},
		{"no more than there are", rollout.SurgeCounts{Undesired: 1, Available: 9}, 1, 1},
		{"fewer than desired are available", rollout.SurgeCounts{Undesired: 3, Available: 1}, 4, 0},
		{"a number below 0 is none", rollout.SurgeCounts{Undesired: 3, Available: 1}, -4, 1},
	} {
		require.Equal(t, c.want, c.counts.Removals(c.desired), c.why)
	}
}

func TestNodesToUpdate(t *testing.T) {
	for _, c := range [][3]int{{3, 0, 3}, {4, 2, 2}, {2, 3, 0}, {2, -1, 2}, {0, 0, 0}} {
		require.Equal(t, c[2], rollout.NodesToUpdate(c[0], int32(c[1])), "%v", c)
	}
	for _, c := range [][4]int32{{0, 10, 9, 1}, {5, 12, 5, 2}, {0, 10, 100, 0}, {3, 2, 0, 0}, {0, 3, -1, 3}, {math.MinInt32, 3, 1, 3}} {
		require.Equal(t, c[3], rollout.NodesNeedingPods(c[0], c[1], c[2]), "%v", c)
	}
}

// However the nodes stand, what goes and what is unavailable already do not exceed the
// limit together, or nothing goes; strictly, not even what serves nobody. No more goes than
// there is, and if there is room no old node waits.
func TestPropertyNodeCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := func(name string, most int) int { return rapid.IntRange(0, most).Draw(t, name) }
		n := rollout.NodeCounts{OldUnavailable: small("old unavailable", 5), OldAvailable: small("old available", 5)}
		n.OfOld = small("of old", n.OldUnavailable)
		n.Unavailable = n.OfOld + small("others", 5)
		limit := small("limit", 8)

		unavailable, available := n.Removals(int32(limit))
		require.Equal(t, n.OldUnavailable, unavailable)
		require.LessOrEqual(t, available, n.OldAvailable)
		require.True(t, available == 0 || n.Unavailable+available <= limit, "%v", n)
		require.True(t, available == n.OldAvailable || n.Unavailable+available >= limit, "%v", n)

		unavailable, available = n.StrictRemovals(int32(limit))
		others := n.Unavailable - n.OfOld
		require.True(t, unavailable+available == 0 || others+unavailable+available <= limit, "%v", n)
		require.True(t, available == 0 || unavailable == n.OldUnavailable, "who serves nobody goes first: %v", n)
		require.True(t, unavailable+available == n.OldUnavailable+n.OldAvailable || others+unavailable+available >= limit, "%v", n)

		s := rollout.SurgeCounts{Surging: small("surging", 5), OldUnavailable: n.OldUnavailable, OldAvailable: n.OldAvailable,
			Undesired: small("undesired", 5), Available: small("available", 9)}
		unavailable, available = s.Additions(int32(limit))
		require.Equal(t, s.OldUnavailable, unavailable)
		require.True(t, available == 0 || s.Surging+available <= limit, "%v", s)
		require.True(t, available == s.OldAvailable || s.Surging+available >= limit, "%v", s)
		gone := s.Removals(int32(limit))
		require.LessOrEqual(t, gone, s.Undesired)
		require.True(t, gone == 0 || s.Available-gone >= limit, "%v", s)
		require.True(t, gone == s.Undesired || s.Available-gone <= limit, "%v", s)
	})
}

func ExampleResolveNodes() {
	fmt.Println(rollout.ResolveNodes(10, rollout.Int(0), rollout.Percent(25)))
	fmt.Println(rollout.ResolveNodes(10, rollout.Int(0), rollout.Int(0)))
	// Output:
	// 0 3
	// 0 1
}

// Of five machines two may be down. One has just been replaced and is not up yet, one of
// the old ones is broken.
func ExampleNodeCounts_Removals() {
	n := rollout.NodeCounts{Unavailable: 2, OfOld: 1, OldUnavailable: 1, OldAvailable: 3}
	fmt.Println(n.Removals(2))
	fmt.Println(n.Removals(3))
	// Output:
	// 1 0
	// 1 1
}

func ExampleNodeCounts_StrictRemovals() {
	n := rollout.NodeCounts{Unavailable: 3, OfOld: 3, OldUnavailable: 3, OldAvailable: 2}
	fmt.Println(n.Removals(2))
	fmt.Println(n.StrictRemovals(2))
	// Output:
	// 3 0
	// 2 0
}

func ExampleSurgeCounts_Additions() {
	n := rollout.SurgeCounts{Surging: 1, OldUnavailable: 1, OldAvailable: 4}
	fmt.Println(n.Additions(2))
	// Output: 1 1
}

func ExampleSurgeCounts_Removals() {
	n := rollout.SurgeCounts{Undesired: 2, Available: 4}
	fmt.Println(n.Removals(3), "may leave: three of four must stay available")
	// Output: 1 may leave: three of four must stay available
}

func ExampleNodesToUpdate() {
	fmt.Println(rollout.NodesToUpdate(4, 1))
	// Output: 3
}

func ExampleNodesNeedingPods() {
	fmt.Println(rollout.NodesNeedingPods(0, 10, 9))
	fmt.Println(rollout.NodesNeedingPods(5, 12, 5))
	// Output:
	// 1
	// 2
}
