// SPDX-License-Identifier: Apache-2.0

package control

import (
	"time"

	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// A readPoint is the time and the version of the store at which a controller has read it.
type readPoint struct {
	at      time.Time // unset in a calm world
	version int64
}

// Look moves the view on, as far as the controller can see. Without trouble it sees all there is. A
// controller that sees the past reads again when time has passed or something was written.
func (c *Controller) Look() {
	last, t := c.Version(), c.Trouble
	now := readPoint{version: last}
	if !t.Calm() {
		now.at = c.Agenda.Now()
	}
	if c.lastRead == now {
		return
	}
	c.lastRead, c.from = now, c.View
	skip := t.Strikes(trouble.Skip, 0.15)
	stale := c.visibility != trouble.SeesEverything && t.Strikes(trouble.Stale, 0.5)
	for _, k := range c.reads {
		c.View[k] = last
	}
	if stale {
		c.seePast(last)
	}
	if c.View == c.from {
		return
	}
	if stale && c.Lag() > 0 {
		t.Count(trouble.SawPast)
	}
	if skip {
		t.Count(trouble.SkippedStates)
	}
	c.skipping = skip
	c.worker.Watch()
}

// seePast moves the view on to some version between the last seen and the newest one.
func (c *Controller) seePast(last int64) {
	if c.visibility != trouble.SeesCausal {
		for _, k := range c.reads {
			c.View[k] = c.pastOf(k, last)
		}
		return
	}
	oldest := last
	for _, k := range c.reads {
		oldest = min(oldest, max(c.from[k], last-40))
	}
	cut := oldest + c.Trouble.Int64N(last-oldest+1)
	for _, k := range c.reads {
		c.View[k] = max(cut, c.from[k])
	}
}

// pastOf is the version up to which one kind is seen next.
func (c *Controller) pastOf(k store.Kind, last int64) int64 {
	oldest := max(c.from[k], last-40)
	switch c.visibility {
	case trouble.SeesOwnWrites:
		oldest = max(oldest, min(c.wrote, last))
	case trouble.SeesAnything:
		oldest = max(0, last-12)
	}
	return oldest + c.Trouble.Int64N(last-oldest+1)
}

// Lag is the number of changes that the view does not show yet.
func (c *Controller) Lag() (n int) {
	for _, k := range c.reads {
		n += c.Behind(k, c.View[k])
	}
	return n
}

// Touched reports whether a kind has changed since the view before.
func (c *Controller) Touched(k store.Kind) bool {
	return c.from[k] != c.View[k] && c.Server.Touched(k) > min(c.from[k], c.View[k])
}

// Each calls a function for each change of a table that the view has moved over.
func Each[T any](c *Controller, t *store.Table[T], f func(store.Change[T])) {
	k := t.Kind()
	switch {
	case c.skipping:
		t.Difference(c.from[k], c.View[k], f)
	default:
		t.Since(c.from[k], c.View[k], f)
	}
}

// EachTold is Each without changes that the controller does not notice because events are lost.
// It looks at everything later.
func EachTold[T any](c *Controller, t *store.Table[T], f func(old, new *T)) {
	Each(c, t, func(e store.Change[T]) {
		if c.Trouble.Strikes(trouble.LostEvents, 0.02) {
			c.Trouble.Count(trouble.ChangeUntold)
			c.resyncLater()
			return
		}
		f(e.Old, e.New)
	})
}

// resyncEvery is the time after which a controller without events of a change reads everything:
// a bit more than the time after which expectations are given up.
const resyncEvery = 5*time.Minute + time.Second

func (c *Controller) resyncLater() {
	c.Agenda.After(resyncEvery, agenda.Resync, func() {
		if !c.stopped {
			c.Resync()
		}
	})
}

// See returns the object with a name that the controller sees, or nil.
func See[T any](c *Controller, t *store.Table[T], name string) *T {
	return t.GetAt(c.View[t.Kind()], name)
}

// All returns the objects that the controller sees.
func All[T any](c *Controller, t *store.Table[T]) []*T { return t.AllAt(c.View[t.Kind()]) }

// Of returns the objects of an owner that the controller sees.
func Of[T any](c *Controller, t *store.Table[T], owner string) []*T {
	return t.OfAt(c.View[t.Kind()], owner)
}
