// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
)

// TestAgenda: what is entered comes out by instant and then in the order of entry.
func TestAgenda(t *testing.T) {
	a := &agenda[string]{}
	for i, e := range []struct {
		seconds int
		what    string
	}{{3, "d"}, {1, "a"}, {3, "e"}, {2, "c"}, {1, "b"}, {9, "f"}} {
		a.add(Epoch.Add(time.Duration(e.seconds)*time.Second), e.what)
		at, ok := a.next()
		require.True(t, ok)
		require.Equal(t, Epoch.Add(time.Duration([]int{3, 1, 1, 1, 1, 1}[i])*time.Second), at)
	}
	text := ""
	for _, ok := a.next(); ok; _, ok = a.next() {
		text += a.take()
	}
	require.Equal(t, "abcdef", text)
}

// TestRequests: preconditions hold, versions rise, and readers keep what they have read.
func TestRequests(t *testing.T) {
	w := newWorld(1, Faults{})
	pods := &w.store.pods
	p, a := create(w, pods, by(User), &podorder.Pod{Name: "p"})
	require.Equal(t, done, a)
	require.Equal(t, "u1", p.UID)
	require.Equal(t, "1", p.ResourceVersion)
	_, a = create(w, pods, by(User), &podorder.Pod{Name: "p"})
	require.Equal(t, exists, a)
	change := func(name string, pre precondition) answer {
		r := by(User)
		r.name, r.pre = name, pre
		_, a := update(w, pods, r, func(p *podorder.Pod) { p.Ready = !p.Ready })
		return a
	}
	require.Equal(t, notFound, change("q", precondition{}))
	require.Equal(t, invalid, change("p", precondition{uid: "u2"}))
	require.Equal(t, conflict, change("p", precondition{uid: "u1", version: "7"}))
	require.EqualValues(t, 1, w.store.version, "nothing was written")
	before := slices.Clone(pods.all())
	require.Equal(t, done, change("p", precondition{uid: "u1", version: "1"}))
	require.Equal(t, conflict, change("p", precondition{version: "1"}))
	require.False(t, before[0].Ready)
	require.True(t, pods.all()[0].Ready)
	require.Equal(t, before, pods.at(1))
	require.Empty(t, pods.at(0))
	require.Equal(t, 1, pods.behind(1))
	require.Equal(t, 2, w.store.behind(KindPod, 0))
	r := by(User)
	r.name = "p"
	require.Equal(t, done, remove(w, pods, r))
	require.Equal(t, notFound, remove(w, pods, r))
	require.Equal(t, 1, w.Troubles[AnsweredConflict]-1)
	require.Equal(t, 1, w.Troubles[AnsweredExists])

	var events []string
	seen := func(old, new *podorder.Pod) {
		switch {
		case old == nil:
			events = append(events, "added")
		case new == nil:
			events = append(events, "gone")
		default:
			events = append(events, "changed")
		}
	}
	pods.between(0, 3, false, seen)
	require.Equal(t, []string{"added", "changed", "gone"}, events)
	events = nil
	pods.between(0, 3, true, seen)
	require.Empty(t, events, "whoever lists sees nothing of a pod that came and went")
	pods.between(0, 2, true, seen)
	require.Equal(t, []string{"added"}, events)
}

// TestForgets: a store that has forgotten a version shows the oldest one that it knows.
func TestForgets(t *testing.T) {
	w := newWorld(1, Faults{})
	r := by(User)
	r.name = "p"
	create(w, &w.store.pods, r, &podorder.Pod{Name: "p"})
	for range 5 * memory {
		update(w, &w.store.pods, r, func(p *podorder.Pod) { p.Restarts++ })
	}
	require.LessOrEqual(t, len(w.store.pods.past), 2*memory)
	require.Positive(t, w.store.pods.at(0)[0].Restarts)
	require.EqualValues(t, 5*memory, w.store.pods.all()[0].Restarts)
}

// TestPast: what a table held behind each write that it remembers can be told, in its
// order, whatever has happened since, and objects are found by their names.
func TestPast(t *testing.T) {
	for seed := range uint64(50) {
		w := newWorld(seed, Faults{})
		pods := &w.store.pods
		var held [][]*podorder.Pod // by version
		for range 5 * memory {
			held = append(held, slices.Clone(pods.all()))
			r := by(User)
			r.name = string(rune('a' + w.random.IntN(8)))
			switch p := pods.named(r.name); {
			case p == nil:
				create(w, pods, r, &podorder.Pod{Name: r.name})
			case w.random.IntN(2) == 0:
				update(w, pods, r, func(p *podorder.Pod) { p.Restarts++ })
			default:
				remove(w, pods, r)
			}
			for _, p := range pods.all() {
				require.Same(t, p, pods.named(p.Name))
			}
			require.Len(t, pods.names, len(pods.all()))
		}
		for version := 4 * memory; version < len(held); version++ {
			require.True(t, slices.Equal(held[version], pods.at(int64(version))), "seed %d, version %d", seed, version)
		}
	}
}

// TestBefore: an observer sees what the store held before a write beside what it holds.
func TestBefore(t *testing.T) {
	w := newWorld(1, Faults{})
	r := by(User)
	r.name = "p"
	var seen [][2]int
	w.Observer.Write = func(e Write) error {
		restarts := func(s *State) int {
			if len(s.Pods) == 0 {
				return -1
			}
			return int(s.Pods[0].Restarts)
		}
		seen = append(seen, [2]int{restarts(&e.Before), restarts(&e.After)})
		return nil
	}
	create(w, &w.store.pods, r, &podorder.Pod{Name: "p"})
	update(w, &w.store.pods, r, func(p *podorder.Pod) { p.Restarts++ })
	remove(w, &w.store.pods, r)
	require.Equal(t, [][2]int{{-1, 0}, {0, 1}, {1, -1}}, seen)
}
