// SPDX-License-Identifier: Apache-2.0

package sim

import "slices"

// look moves the view on, as far as what the controller can see allows. In a fair world it sees
// all there is, and the same until something is written.
func (c *controller) look() {
	w := c.w
	last := w.store.version
	if w.fair && c.looked == last {
		return
	}
	if c.looked = last; !w.fair {
		c.looked = -1
	}
	c.from = c.view
	skip := !w.fair && w.chance(Skip, 0.15)
	stale := !w.fair && c.sight != SeesEverything && w.chance(Stale, 0.5)
	switch {
	case !stale:
		for _, k := range c.reads {
			c.view[k] = last
		}
	case c.sight == SeesCausal:
		oldest := last
		for _, k := range c.reads {
			oldest = min(oldest, max(c.view[k], last-40))
		}
		cut := oldest + w.random.Int64N(last-oldest+1)
		for _, k := range c.reads {
			c.view[k] = max(cut, c.view[k])
		}
	default:
		for _, k := range c.reads {
			c.view[k] = c.seenVersion(k, last)
		}
	}
	if c.view == c.from {
		return
	}
	if stale && c.lag() > 0 {
		w.count(SawPast)
	}
	if skip {
		w.count(SkippedStates)
	}
	c.worker.watch(&c.from, skip)
}

// seenVersion returns the version up to which one kind is seen next.
func (c *controller) seenVersion(k Kind, last int64) int64 {
	oldest := max(c.view[k], last-40)
	switch c.sight {
	case SeesOwnWrites:
		oldest = max(oldest, min(c.wrote, last))
	case SeesAnything:
		oldest = max(0, last-12)
	}
	return oldest + c.w.random.Int64N(last-oldest+1)
}

// lag returns how many changes the view is behind.
func (c *controller) lag() (n int) {
	for _, k := range c.reads {
		n += c.w.store.behind(k, c.view[k])
	}
	return n
}

// seen returns the version of the store up to which all controllers have seen a kind. What
// happens to hundreds of objects at once must not be forgotten before that.
func (w *World) seen(k Kind) int64 {
	least := w.store.version
	for _, c := range w.controllers {
		if slices.Contains(c.reads, k) {
			least = min(least, c.view[k])
		}
	}
	return least
}

// latest is the view of whoever sees all.
func (w *World) latest() *[kinds]int64 {
	var view [kinds]int64
	for k := range view {
		view[k] = w.store.version
	}
	return &view
}
