// SPDX-License-Identifier: Apache-2.0

package sim

import "math"

// step goes on with the pass that is under way, or begins one.
func (c *controller) step() {
	w := c.w
	if c.job == nil {
		c.look()
		if c.queue.len() == 0 {
			return
		}
		i := w.oldest(c)
		if n := c.queue.len(); n > 1 && !w.fair && w.chance(Disorder, 0.5) {
			if i = w.random.IntN(n); i > 0 {
				w.count(WorkedOutOfOrder)
			}
		}
		o := c.queue.at(i)
		key := o.key
		c.item = o
		if w.fair || !w.chance(Disorder, 0.03) {
			c.queue.take(i)
		} else {
			w.count(EventRepeated)
		}
		c.version, c.fresh, c.planned, c.plan = w.store.version, c.lag() == 0, c.now(), w.Plans+1
		c.passed(o)
		if c.job = c.worker.begin(key); !w.strict {
			return
		}
		for c.job != nil && w.err == nil {
			c.perform()
		}
		return
	}
	c.perform()
	if !w.fair && w.chance(Crash, 0.02) {
		c.crash()
	}
}

// oldest returns the place in the queue of what a controller works on next: in a strict world
// the object that was created first, else what was entered first.
func (w *World) oldest(c *controller) (first int) {
	if !w.strict || c.queue.len() == 1 {
		return 0
	}
	least := int32(math.MaxInt32)
	for i := range c.queue.len() {
		if number := w.store.number(c.reads[0], c.queue.at(i).key); number < least {
			first, least = i, number
		}
	}
	return first
}

// perform performs the next request of the pass that is under way.
func (c *controller) perform() {
	if !c.job() {
		c.job = nil
	}
}

// crash starts the controller anew.
func (c *controller) crash() {
	w := c.w
	w.count(Crashed)
	w.tracef("%s crashes", c.Role)
	c.job, c.retries = nil, 0
	c.queue.clear()
	c.worker.forget()
	if c.sight == SeesResettable && w.chance(Stale, 0.7) {
		w.count(TravelledBack)
		for _, k := range c.reads {
			c.view[k] = max(0, c.view[k]-w.random.Int64N(12))
		}
	}
	c.resync()
}
