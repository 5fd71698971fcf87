// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// uidPrefix has the order of the texts, and distinguishes texts that differ within eight bytes.
func TestEarly(t *testing.T) {
	texts := []string{"", "a", "aa", "ab", "b", "ba", "bbbbbbb", "bbbbbbbb", "bbbbbbbc", "c", "cbbbbbbbbb"}
	for i := range texts[1:] {
		require.Less(t, uidPrefix(texts[i]), uidPrefix(texts[i+1]), "%q and %q", texts[i], texts[i+1])
	}
	require.Equal(t, uidPrefix("bbbbbbbb"), uidPrefix("bbbbbbbbz"), "the ninth does not count")
}

// Two of such times may be as far apart as int64 reaches, and no further.
func TestNear(t *testing.T) {
	for _, c := range []struct {
		time int64
		want bool
	}{
		{0, true}, {-1, true},
		{1<<62 - 1, true}, {1 << 62, false}, {math.MaxInt64, false},
		{-1<<62 + 1, true}, {-1 << 62, false}, {math.MinInt64, false},
	} {
		require.Equal(t, c.want, fits(c.time), "%d", c.time)
	}
}

// UIDs that are the same in the first eight bytes are told apart by the others, before
// the names are.
func TestLongUIDs(t *testing.T) {
	pods := []Pod{{Name: "a", UID: "12345678-2"}, {Name: "b", UID: "12345678-1"}}
	require.Equal(t, []int{1, 0}, Order{}.Victims(pods, nil, 2))
}

// Names that differ in any of their bytes spread over the table.
func TestHash(t *testing.T) {
	for _, name := range []func(i int) string{
		func(i int) string { return strconv.Itoa(1000 + i) },
		func(i int) string { return strconv.Itoa(1000+i) + "-the-same-tail" },
		func(i int) string { return "the-same-head-" + strconv.Itoa(1000+i) },
	} {
		slots := map[uint32]bool{}
		for i := range 1000 {
			_, _, h := hash(name(i))
			slots[h&2047] = true
		}
		require.Greater(t, len(slots), 700, "%s and so on", name(0))
	}
}

// The table grows with the nodes: at most half of its slots are taken, and more than a
// quarter, counting the number 0 that is none.
func TestCensusGrows(t *testing.T) {
	for n := range 70 {
		pods := make([]Pod, n)
		for i := range pods {
			pods[i].NodeName = strconv.Itoa(i)
		}
		c := newNeighbourCounts(n)
		least := len(c.slots)
		for i := range pods {
			c.add(&pods[i], true, true)
			require.GreaterOrEqual(t, len(c.slots), 2*(i+1), "%d nodes of %d", i+1, n)
			require.Less(t, len(c.slots), max(4*(i+2), least+1), "%d nodes of %d", i+1, n)
		}
		for i := range pods {
			require.Equal(t, int32(1), c.count(pods[i].NodeName))
		}
	}
}

// A node that finds its slot taken by another takes the next, also those that differ only
// between their ends.
func TestCensusSlot(t *testing.T) {
	for _, format := range []string{"%d", "node-%03d", "the-same-head-%04d-the-same-tail"} {
		c := newNeighbourCounts(4)
		c.slots = c.slots[:8]
		names := sameSlot(format, 7, 3)
		for i, name := range names {
			require.Zero(t, c.find(name))
			require.Equal(t, int32(i+1), c.addNode(name))
			for j, before := range names[:i+1] {
				require.Equal(t, int32(j+1), c.find(before), "its own")
			}
		}
		require.Equal(t, []int32{2, 3, 0, 0, 0, 0, 0, 1}, c.slots)
		require.Zero(t, c.find(sameSlot(format, 0, 1)[0]), "those of another slot are at its home")
	}
}

// sameSlot returns n names that are at home in one of eight slots.
func sameSlot(format string, slot uint32, n int) (names []string) {
	for i := 0; len(names) < n; i++ {
		name := fmt.Sprintf(format, i)
		if _, _, h := hash(name); h&7 == slot {
			names = append(names, name)
		}
	}
	return names
}

func TestTransitive(t *testing.T) {
	for _, c := range []struct {
		ab, bc, ac int
		want       bool
	}{
		{-1, -1, -1, true}, {-1, 0, -1, true}, {0, -1, -1, true}, {0, 0, 0, true},
		{-1, -1, 0, false}, {-1, 0, 0, false}, {0, -1, 0, false}, {0, 0, -1, false},
		{-1, 0, 1, false}, {0, -1, 1, false}, {0, 0, 1, false},
		{1, -1, 1, true}, {-1, 1, 1, true}, {1, -1, -1, true}, {1, 0, 0, true}, {0, 1, 0, true},
	} {
		require.Equal(t, c.want, transitive(c.ab, c.bc, c.ac), "%+v", c)
	}
}

// A node has its name, whether its ends make that up or not.
func TestCensusNames(t *testing.T) {
	c := newNeighbourCounts(4)
	for size := range 30 {
		name := "abcdefghijklmnopqrstuvwxyz0123"[:size]
		number := c.addNode(name)
		require.Equal(t, name, c.name(&c.nodes[number]))
	}
}
