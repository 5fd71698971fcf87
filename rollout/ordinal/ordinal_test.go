// SPDX-License-Identifier: Apache-2.0

package ordinal_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/ordinal"
)

// groups reads a letter for each: n of the new template, o of the old one, in capitals if
// it is ready, t for one of the old template that is terminating.
func groups(text string) []ordinal.Group {
	var list []ordinal.Group
	for _, c := range text {
		list = append(list, ordinal.Group{Ready: c == 'N' || c == 'O', Updated: c == 'N' || c == 'n', Terminating: c == 't'})
	}
	return list
}

func TestPartition(t *testing.T) {
	for _, c := range []struct {
		why           string
		groups        string
		step, current int32
		want          int32
	}{
		{"the first step", "OOOO", 1, 4, 3},
		{"a step of two", "OOOO", 2, 4, 2},
		{"the one above is not ready", "OOOn", 1, 3, 3},
		{"the one above is ready", "OOON", 1, 3, 2},
		{"one below is not ready, so that there is no room", "oOOO", 1, 4, 4},
		{"one that is not ready has nothing to lose", "OOOo", 1, 4, 3},
		{"those that are updated are not waited for", "ONNn", 2, 4, 2},
		{"it never goes up", "OOOO", 1, 2, 2},
		{"no room at all", "OOOO", 0, 4, 4},
		{"done", "NNNN", 1, 0, 0},
		{"nothing", "", 1, 0, 0},
	} {
		require.Equal(t, c.want, ordinal.Partition(groups(c.groups), int32(len(c.groups)), c.step, c.current), c.why)
	}
	require.EqualValues(t, 3, ordinal.Partition(groups("OO"), 4, 1, 4), "groups that are not listed have nothing to lose, but only within the step")
	require.EqualValues(t, 0, ordinal.Partition(nil, math.MaxInt32, math.MaxInt32, math.MaxInt32))
}

func TestReplace(t *testing.T) {
	for _, c := range []struct {
		why                    string
		groups                 string
		partition, unavailable int32
		want                   []int
		one                    int
	}{
		{"the highest first", "OOO", 0, 2, []int{2, 1}, 2},
		{"one at least", "OOO", 0, 0, []int{2}, 2},
		{"not below the partition", "OOO", 2, 3, []int{2}, 2},
		{"one that is not ready yet takes a place", "OOn", 0, 2, []int{1}, -1},
		{"no place", "OOn", 0, 1, nil, -1},
		{"a terminating one takes a place, and is not replaced again", "OOt", 0, 2, []int{1}, -1},
		{"one of the old template that is not ready takes two places", "OOo", 0, 2, []int{2}, 2},
		{"one below the partition takes a place", "oON", 1, 1, nil, 1},
		{"done", "NNN", 0, 3, nil, -1},
		{"a partition beyond all", "OOO", 9, 3, nil, -1},
		{"a partition below 0", "O", -1, 1, []int{0}, 0},
	} {
		require.Equal(t, c.want, ordinal.Replace(groups(c.groups), c.partition, c.unavailable), c.why)
		require.Equal(t, c.one, ordinal.ReplaceOne(groups(c.groups), c.partition), c.why)
	}
}

func drawGroups(t *rapid.T) []ordinal.Group {
	return groups(rapid.StringMatching(`[NOno]{0,9}`).Draw(t, "groups"))
}

// A step takes no more ready groups of the old template than it may, less those that are
// not ready below it, and the partition never goes up.
func TestPropertyPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawGroups(t)
		size := int32(len(list))
		step, current := rapid.Int32Range(0, 5).Draw(t, "step"), rapid.Int32Range(0, size).Draw(t, "current")
		partition := ordinal.Partition(list, size, step, current)
		require.LessOrEqual(t, partition, current)
		lost, waiting := int32(0), int32(0)
		for i, g := range list {
			switch {
			case int32(i) >= partition && int32(i) < current && g.Ready && !g.Updated:
				lost++
			case int32(i) < size-ordinal.Done(list, size)-step && !g.Ready:
				waiting++
			}
		}
		require.LessOrEqual(t, lost, max(0, step-waiting))
		missing := list
		for len(missing) > 0 && missing[len(missing)-1] == (ordinal.Group{}) {
			missing = missing[:len(missing)-1]
		}
		require.Equal(t, partition, ordinal.Partition(missing, size, step, current), "groups that are not listed are not ready")
	})
}

// If all groups are ready the partition goes down, as long as it can.
func TestPropertyProgress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int32Range(1, 12).Draw(t, "size")
		current := rapid.Int32Range(1, size).Draw(t, "current")
		list := make([]ordinal.Group, size)
		for i := range list {
			list[i] = ordinal.Group{Ready: true, Updated: int32(i) >= current}
		}
		step := rapid.Int32Range(1, 5).Draw(t, "step")
		require.Equal(t, max(0, current-step), ordinal.Partition(list, size, step, current))
	})
}

// A StatefulSet takes no pod beyond its places, none twice, and none below the partition;
// one at a time is never more than so many at a time.
func TestPropertyReplace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := groups(rapid.StringMatching(`[NOnot]{0,9}`).Draw(t, "groups"))
		partition, unavailable := rapid.Int32Range(-1, 9).Draw(t, "partition"), rapid.Int32Range(-1, 9).Draw(t, "unavailable")
		ordinals := ordinal.Replace(list, partition, unavailable)
		gone, above := 0, len(list)
		for _, g := range list {
			if !g.Ready || g.Terminating {
				gone++
			}
		}
		for _, i := range ordinals {
			require.Less(t, i, above, "highest first")
			require.GreaterOrEqual(t, i, int(partition))
			require.False(t, list[i].Updated || list[i].Terminating)
			above = i
		}
		require.LessOrEqual(t, len(ordinals), max(0, max(1, int(unavailable))-gone))
		if i := ordinal.ReplaceOne(list, partition); i >= 0 && gone == 0 {
			require.Equal(t, i, ordinals[0])
		}
	})
}

// Whatever order groups become ready in, an update keeps to its size and ends. If they
// become ready from the highest down, as many serve as the budget asks for.
func TestPropertyUpdateEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		replicas := rapid.Int32Range(1, 9).Draw(t, "replicas")
		b := ordinal.Limits(replicas, rollout.Int(rapid.Int32Range(0, 4).Draw(t, "surge")), rollout.Int(rapid.Int32Range(0, 4).Draw(t, "unavailable")))
		if b.Surge == 0 && b.Unavailable == 0 {
			b.Unavailable = 1
		}
		downwards := rapid.Bool().Draw(t, "downwards")
		s := ordinal.State{Size: replicas, Replicas: replicas, Changed: true}
		for range replicas {
			s.Groups = append(s.Groups, ordinal.Group{Ready: true})
		}
		for passes := 0; s.Changed || s.Partition > 0 || s.Size != replicas || ordinal.Waiting(s.Groups, replicas) > 0; passes++ {
			require.Less(t, passes, 100, "the update does not end")
			carryOut(&s, ordinal.Roll(b, s, 0))
			require.LessOrEqual(t, s.Size, b.MaxTotal())
			waiting := notReady(s.Groups)
			if downwards {
				require.GreaterOrEqual(t, s.Size-int32(len(waiting)), b.MinAvailable(), "%+v", s)
			}
			if len(waiting) > 0 {
				which := len(waiting) - 1
				if !downwards {
					which = rapid.IntRange(0, which).Draw(t, "ready")
				}
				s.Groups[waiting[which]].Ready = true
			}
		}
	})
}

// carryOut is the worst that a step leads to: all groups that may change do so at once.
func carryOut(s *ordinal.State, next ordinal.Next) {
	s.Size, s.Partition, s.Changed = next.Size, next.Partition, false
	for int32(len(s.Groups)) < s.Size {
		s.Groups = append(s.Groups, ordinal.Group{Updated: int32(len(s.Groups)) >= s.Partition})
	}
	s.Groups = s.Groups[:s.Size]
	for i := s.Partition; i < s.Size; i++ {
		if !s.Groups[i].Updated {
			s.Groups[i] = ordinal.Group{Updated: true}
		}
	}
}

func notReady(list []ordinal.Group) (waiting []int) {
	for i, g := range list {
		if !g.Ready {
			waiting = append(waiting, i)
		}
	}
	return waiting
}

// Upstream lets surge groups go as if those that stay were ready. Here 5 are wanted, of
// which 2 may be missing, and 2 are left.
func TestSurgeGroupsGoTooEarly(t *testing.T) {
	b := ordinal.Limits(5, rollout.Int(4), rollout.Int(2))
	s := ordinal.State{Size: 9, Replicas: 5, Groups: groups("NnnnnnNNN")}
	require.Len(t, notReady(s.Groups), 5)
	carryOut(&s, ordinal.Roll(b, s, 0))
	require.Equal(t, groups("NnnnnnN"), s.Groups)
}

// Each line of the table of [ordinal.Roll], with four replicas of which one more may be there.
func TestRoll(t *testing.T) {
	b := ordinal.Limits(4, rollout.Int(1), rollout.Int(0))
	for _, c := range []struct {
		why    string
		state  ordinal.State
		lowest int32
		want   ordinal.Next
	}{
		{"another template: one group more, and nothing changes yet", ordinal.State{Groups: groups("OOOO"), Size: 4, Replicas: 4, Changed: true}, 0, ordinal.Next{Size: 5, Partition: 4}},
		{"another template, and fewer groups", ordinal.State{Groups: groups("OO"), Size: 2, Replicas: 2, Changed: true}, 0, ordinal.Next{Size: 4, Partition: 2}},
		{"over", ordinal.State{Groups: groups("NNNN"), Size: 4, Replicas: 4}, 0, ordinal.Next{Size: 4}},
		{"over, but some keep the old template", ordinal.State{Groups: groups("NNNN"), Size: 4, Replicas: 4}, 3, ordinal.Next{Size: 4, Partition: 3}},
		{"fewer groups than replicas: the partition stays", ordinal.State{Groups: groups("OO"), Size: 2, Partition: 2, Replicas: 2}, 0, ordinal.Next{Size: 4, Partition: 2}},
		{"the replicas have changed: the partition is within them and the surge", ordinal.State{Groups: groups("OOOOOOOOO"), Size: 9, Partition: 7, Replicas: 8}, 0, ordinal.Next{Size: 5, Partition: 5}},
		{"a step", ordinal.State{Groups: groups("OOOON"), Size: 5, Partition: 4, Replicas: 4}, 0, ordinal.Next{Size: 5, Partition: 3}},
	} {
		require.Equal(t, c.want, ordinal.Roll(b, c.state, c.lowest), c.why)
	}
}
