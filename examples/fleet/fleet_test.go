// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/rollout"
	"github.com/stretchr/testify/require"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A world is a fleet that is looked after every 10 seconds.
type world struct {
	*memory
	t     *testing.T
	c     Controller
	now   time.Time
	lines []string
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, now: start, memory: newMemory(Fleet{
		Name: "arena", Image: "v1", Servers: 10, MaxSurge: rollout.Int(2), MaxUnavailable: rollout.Int(1),
	})}
	w.c = Controller{Store: w.memory, Told: func(line string) { w.lines = append(w.lines, line) }}
	return w
}

// change writes the spec of the fleet.
func (w *world) change(edit func(*Fleet)) {
	f := w.fleets["arena"]
	edit(&f)
	f.Generation++
	f.Version += "e"
	w.fleets["arena"] = f
}

func (w *world) counts(image string) (there, ready int) {
	for _, s := range w.servers {
		if image == "" || s.Image == image {
			there++
			if !s.ReadySince.IsZero() {
				ready++
			}
		}
	}
	return there, ready
}

// run makes passes until the fleet is complete, or for ten minutes. After each, there are no
// more servers than most, and no fewer are ready than least.
func (w *world) run(least, most int) (complete bool) {
	w.t.Helper()
	for range 60 {
		for range 3 {
			_, err := w.c.Reconcile("arena", w.now)
			if w.refuse == nil {
				require.NoError(w.t, err)
			}
			there, ready := w.counts("")
			require.LessOrEqual(w.t, there, most, "%v", w.lines)
			require.GreaterOrEqual(w.t, ready, least, "%v", w.lines)
		}
		f := w.fleets["arena"]
		if deploy.Complete(f.Status, f.Servers, f.Generation) {
			return true
		}
		w.now = w.now.Add(10 * time.Second)
		w.ready(w.now)
	}
	return false
}

func (w *world) all(image string) {
	w.t.Helper()
	there, ready := w.counts(image)
	require.Equal(w.t, []int{10, 10}, []int{there, ready})
	there, _ = w.counts("")
	require.Equal(w.t, 10, there)
}

func TestRollOut(t *testing.T) {
	w := newWorld(t)
	require.True(t, w.run(0, 12))
	w.all("v1")
	w.change(func(f *Fleet) { f.Image = "v2" })
	require.True(t, w.run(9, 12))
	w.all("v2")
	told := strings.Join(w.lines, "\n")
	require.Contains(t, told, "arena: Scaled up Group arena-")
	require.Contains(t, told, "Created 10 of kind Server (TooFew)")
	require.NotRegexp(t, `replica set|pod|deployment`, told)
	for _, g := range w.groups {
		require.Contains(t, g.Annotations, Keys.Revision)
		for key := range g.Annotations {
			require.True(t, strings.HasPrefix(key, "games.example.com/"), key)
		}
	}
}

// TestBroken: an image that never gets ready takes no more than the limits allow, and an
// annotation brings the former one back.
func TestBroken(t *testing.T) {
	w := newWorld(t)
	require.True(t, w.run(0, 12))
	w.change(func(f *Fleet) { f.Image = "broken" })
	require.False(t, w.run(9, 12))
	w.change(func(f *Fleet) { f.Annotations = with(f.Annotations, map[string]string{Keys.Rollback: "0"}) })
	require.True(t, w.run(9, 12))
	w.all("v1")
	require.NotContains(t, w.fleets["arena"].Annotations, Keys.Rollback)
}

// TestFewestPlayersGo: a fleet that shrinks keeps the servers where people play.
func TestFewestPlayersGo(t *testing.T) {
	w := newWorld(t)
	require.True(t, w.run(0, 12))
	players := 0
	for uid, s := range w.servers {
		s.Players = players
		w.servers[uid] = s
		players++
	}
	w.change(func(f *Fleet) { f.Servers = 4 })
	require.True(t, w.run(4, 10))
	require.Len(t, w.servers, 4)
	for _, s := range w.servers {
		require.GreaterOrEqual(t, s.Players, 6)
	}
}

// TestRefused: whatever writes are refused, the bounds hold and the fleet gets there.
func TestRefused(t *testing.T) {
	for _, refused := range []error{ErrConflict, ErrNotFound, errors.New("no quota")} {
		for every := 2; every < 9; every++ {
			w := newWorld(t)
			w.refuse = func(write int) error {
				if write%every == 0 {
					return refused
				}
				return nil
			}
			require.True(t, w.run(0, 12), "%v every %d", refused, every)
			w.change(func(f *Fleet) { f.Image = "v2" })
			require.True(t, w.run(9, 12), "%v every %d", refused, every)
			w.all("v2")
		}
	}
}
