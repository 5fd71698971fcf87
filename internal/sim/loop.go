// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"errors"
	"fmt"
	"time"
)

// errNoRest is that a cluster does not come to rest.
var errNoRest = errors.New("no rest")

// Run runs both phases. Ticks is the length of the first.
func (w *World) Run(ticks int) error {
	for range ticks {
		w.tick()
		if w.err != nil {
			return w.err
		}
	}
	w.makeFair()
	for range w.limit {
		if w.err != nil {
			return w.err
		}
		if !w.settle() {
			return w.finish()
		}
	}
	return fmt.Errorf("%w after %d steps", errNoRest, w.limit)
}

// tick does one of the things that can happen.
func (w *World) tick() {
	switch r := w.random.Float64(); {
	case r < 0.62:
		w.controllers[w.random.IntN(len(w.controllers))].step()
	case r < 0.82:
		w.advance(time.Duration(w.random.Int64N(int64(3 * time.Second))))
	default:
		w.disturbOnce()
	}
}

// disturbOnce does one disturbance, chosen by weight.
func (w *World) disturbOnce() {
	total := 0.0
	for i := range w.disturb {
		total += w.disturb[i].weight * w.Faults[w.disturb[i].fault]
	}
	r := w.random.Float64() * total
	for i := range w.disturb {
		d := &w.disturb[i]
		if r -= d.weight * w.Faults[d.fault]; r < 0 {
			d.do(w)
			return
		}
	}
}

// settle does the next thing in a fair world. It reports false at rest.
func (w *World) settle() bool {
	if w.act() {
		return true
	}
	if w.idle != nil && w.now.After(w.visit) && w.deadline.IsZero() {
		w.visit = w.now.Add(30 * time.Second)
		if w.idle(w) {
			return true
		}
	}
	if w.moveOn() {
		return true
	}
	return w.idle != nil && w.idle(w)
}

// settleAll lets everything come to rest.
func (w *World) settleAll() {
	for range w.limit {
		if w.err != nil || !w.settle() {
			return
		}
	}
}

// act lets a controller do something, or else the garbage collector. It reports false if
// nothing is left to do at this instant.
func (w *World) act() bool {
	for _, c := range w.controllers {
		if c.job == nil {
			c.look()
		}
		if c.busy() {
			c.step()
			return true
		}
	}
	if (!w.calm || w.garbage) && w.collect() {
		return true
	}
	w.garbage = false
	return false
}

// horizon is how far a fair world looks ahead: to the deadline of a calm run, or a day,
// since what a controller wants to do in years is as good as never.
func (w *World) horizon() time.Time {
	if w.deadline.IsZero() {
		return w.now.Add(24 * time.Hour)
	}
	return w.deadline
}

// finish checks the cluster at rest: every controller plans nothing any more.
func (w *World) finish() error {
	for _, c := range w.controllers {
		version := w.store.version
		c.resync()
		for c.busy() && w.err == nil {
			c.step()
		}
		if w.err == nil && w.store.version != version {
			return fmt.Errorf("%w: %s writes again at rest", errNoRest, c.Role)
		}
	}
	if w.err == nil && w.check != nil {
		w.fail(w.check(w))
	}
	if w.err == nil && w.Observer.End != nil {
		w.fail(w.Observer.End(w.state()))
	}
	return w.err
}

// runCalm goes on until nothing happens any more or the time is over. Controllers notice
// something after the latency, together with all that has happened until then.
func (w *World) runCalm(limit, latency time.Duration) error {
	if limit == 0 {
		limit = defaultTimeLimit
	}
	w.deadline, w.latency, w.cut = w.now.Add(limit), latency, false
	for range w.limit {
		if w.err != nil || !w.settle() {
			return w.err
		}
	}
	return fmt.Errorf("%w after %d steps", errNoRest, w.limit)
}

// moveOn moves a world without faults to its next event, and by the latency, and performs
// what is due: what happens at once is seen at once. It reports false if there is none.
func (w *World) moveOn() bool {
	at, ok := w.nextEvent()
	if w.over != nil && w.over() || !ok {
		return false
	}
	if w.cut = at.After(w.horizon()); w.cut {
		return false
	}
	if at.After(w.now) {
		w.rested()
	}
	if w.still.lost(maxStill, w.store.moreStages) {
		w.fail(fmt.Errorf("pods still changing after %d passes", w.still.n-1))
		return false
	}
	w.performNext()
	w.performUntil(w.now.Add(w.latency))
	return true
}

// gaveUp returns how long a calm run that began at an instant has waited for what was still to
// come, and 0 if nothing was.
func (w *World) gaveUp(start time.Time) time.Duration {
	if !w.cut {
		return 0
	}
	return w.deadline.Sub(start)
}

const defaultTimeLimit = 24 * time.Hour
