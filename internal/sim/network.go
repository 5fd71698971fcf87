// SPDX-License-Identifier: Apache-2.0

package sim

import "fmt"

// ask sends a request of a controller over a network that may lose and repeat it. What
// it returns is what the controller is told.
func (w *World) ask(send func() answer) answer {
	if w.fair || !w.chance(Request, 0.08) {
		return send()
	}
	switch w.random.IntN(3) {
	case 0:
		w.count(RequestLost)
		return timeout
	case 1:
		w.count(EffectWithoutAnswer)
		send()
		return timeout
	}
	a := send()
	w.count(RequestRepeated)
	w.repeating = true
	send()
	w.repeating = false
	return a
}

// ask sends a request over the network.
func (c *controller) ask(send func() answer) answer {
	if c.w.calm {
		return send()
	}
	return c.w.ask(func() answer {
		before := c.w.store.version
		a := send()
		if a == done && c.w.store.version > before { // what changes nothing tells nothing
			c.wrote = c.w.store.version
			if !c.w.repeating {
				c.version = c.wrote
			}
		}
		return a
	})
}

// request returns a request of the pass that is under way.
func (c *controller) request(verb Verb, name string, pre precondition, action fmt.Stringer) request {
	if c.w.calm { // nobody asks what it was made from
		return request{by: c.Actor, verb: verb, name: name, pre: pre, action: action}
	}
	for _, k := range c.reads {
		c.fresh = c.fresh && c.w.store.touched[k] <= c.version
	}
	return request{by: c.Actor, verb: verb, name: name, pre: pre, action: action, fresh: c.fresh && !c.w.repeating, fixed: c.corrected, planned: c.planned, plan: c.plan}
}

// current returns the object that a controller has taken out of its queue, as it sees it, or nil.
func current[T any](c *controller, t *table[T], name string) *T {
	o := c.item
	if !c.w.calm || o == nil || o.key != name {
		return t.namedAt(c.view[t.kind], name)
	}
	if o.number != gone {
		if v := t.numbered(o.number); v != nil {
			return v
		}
	}
	if o.number = t.number(name); o.number == gone {
		return nil
	}
	return t.numbered(o.number)
}

// about lets a request find what the controller has taken out of its queue by its number.
func (c *controller) about(r request) request {
	if c.w.calm && c.item != nil && c.item.key == r.name {
		r.known = c.item.number + 1
	}
	return r
}
