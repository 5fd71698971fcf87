// SPDX-License-Identifier: Apache-2.0

package store

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

var byUser = Cause{By: User, Verb: Update}

func named(name string) *Pod {
	p := &Pod{}
	p.Name = name
	return p
}

// restarted is a pod that has restarted once more.
func restarted(p *Pod) *Pod {
	next := *p
	next.Restarts++
	return &next
}

// TestPast: what a table held behind each write that it remembers can be told, in its order, whatever has
// happened since, and objects are found by their names and owners.
func TestPast(t *testing.T) {
	for seed := range uint64(50) {
		draw, s := rand.New(rand.NewPCG(seed, 0)), New()
		pods := &s.Pods
		var held [][]*Pod // by version
		for range 5 * memory {
			held = append(held, slices.Clone(pods.All()))
			name := string(rune('a' + draw.IntN(8)))
			switch e := pods.Entry(name); {
			case e == nil:
				p := named(name)
				p.ControllerUID = []string{"", "x", "y"}[draw.IntN(3)]
				pods.Insert(byUser, p)
			case draw.IntN(2) == 0:
				p := restarted(e.Now)
				p.ControllerUID = []string{"", "x", "y"}[draw.IntN(3)]
				pods.Replace(byUser, e, p)
			default:
				pods.Remove(byUser, e)
			}
			for _, p := range pods.All() {
				require.Same(t, p, pods.Get(p.Name))
			}
			require.Equal(t, len(pods.All()), pods.Len())
		}
		for version := 5*memory - memory; version < len(held); version++ {
			at := int64(version)
			require.True(t, slices.Equal(held[version], pods.AllAt(at)), "seed %d, version %d", seed, version)
			for _, owner := range []string{"", "x", "y"} {
				var own []*Pod
				for _, p := range held[version] {
					if p.ControllerUID == owner {
						own = append(own, p)
					}
				}
				require.True(t, slices.Equal(own, pods.OfAt(at, owner)), "seed %d, version %d, owner %q", seed, version, owner)
			}
			for _, p := range held[version] {
				require.Same(t, p, pods.GetAt(at, p.Name))
			}
		}
	}
}

// TestForgets: a store that has forgotten a version shows the oldest one that it knows, unless a reader has
// not seen that yet.
func TestForgets(t *testing.T) {
	for _, read := range []bool{false, true} {
		s, view := New(), View{}
		if read {
			s.AddReader(&view)
		}
		e := s.Pods.Insert(byUser, named("p"))
		view = s.Latest()
		for range 5 * memory {
			s.Pods.Replace(byUser, e, restarted(e.Now))
		}
		require.EqualValues(t, 5*memory, s.Pods.Get("p").Restarts)
		oldest := s.Pods.AllAt(view[KindPod])[0]
		if read {
			require.Zero(t, oldest.Restarts)
			require.Len(t, s.Pods.log, 5*memory+1)
			s.DropReader(&view)
			s.Pods.Replace(byUser, e, restarted(e.Now))
		}
		require.LessOrEqual(t, len(s.Pods.log), 2*memory)
		require.Positive(t, s.Pods.AllAt(1)[0].Restarts)
	}
}

// TestChanges: whoever follows each write sees all that becomes of a pod, and whoever lists sees nothing of
// one that came and went. Observers see the object of each write.
func TestChanges(t *testing.T) {
	s := New()
	var observed []Verb
	s.Observe(func(w Write) { observed = append(observed, w.Verb) })
	e := s.Pods.Insert(byUser, named("p"))
	require.Equal(t, "1", e.Now.ResourceVersion)
	s.Pods.Replace(byUser, e, restarted(e.Now))
	require.Equal(t, 1, s.Behind(KindPod, 1))
	s.Pods.Remove(byUser, e)
	var told []string
	tell := func(c Change[Pod]) {
		switch {
		case c.Old == nil:
			told = append(told, "added")
		case c.New == nil:
			told = append(told, "gone")
		default:
			told = append(told, "changed")
		}
	}
	s.Pods.Since(0, 3, tell)
	require.Equal(t, []string{"added", "changed", "gone"}, told)
	told = nil
	s.Pods.Difference(0, 3, tell)
	require.Empty(t, told)
	s.Pods.Difference(0, 2, tell)
	require.Equal(t, []string{"added"}, told)
	require.Equal(t, []Verb{Create, Update, Remove}, observed)
}
