// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"math"
	"time"

	"github.com/kplan-go/kplan/replicaset"
)

// A controller is a process that looks at the store, takes an object out of its queue
// of work, plans, and carries the plan out, request by request. Anything may happen
// between two requests.
type controller struct {
	Actor
	w       *World
	worker  worker
	reads   []Kind
	view    [kinds]int64 // the version of the store up to which each kind is known
	from    [kinds]int64 // the view before that
	looked  glance       // the last one under the faults of a fleet
	wrote   int64        // version of its last write
	sight   Trouble      // one of the six models of visibility
	skew    time.Duration
	queue   queue
	retries int
	lull    int32 // how often time has passed in a calm world, or a part of that
	// The pass that is under way: it performs the next request, and returns whether
	// there is more.
	job     func() bool
	item    *item // what it is about, or nil
	version int64 // of the store when the plan was made, or behind the last write of the pass
	fresh   bool
	planned time.Time // when the plan was made, by the clock of the controller
	plan    int       // the number of the plan
	// Corrected is whether the plan of the pass was made with all corrections.
	corrected bool
}

// A worker is what is special about a kind of controller.
type worker interface {
	// begin plans for an object and returns the pass, or nil.
	begin(key string) func() bool
	// watch is told how the view has moved, and enters work.
	watch(from *[kinds]int64, skip bool)
	// keys returns all objects it is responsible for, as far as it can see.
	keys() []string
	// forget drops everything that is kept in memory only.
	forget()
}

// busy reports whether there is something to do.
func (c *controller) busy() bool { return c.job != nil || c.queue.len() > 0 }

// now is the time by the clock of the controller.
func (c *controller) now() time.Time { return c.w.now.Add(c.skew) }

// enter puts an object into the queue, once.
func (c *controller) enter(key string) {
	if !c.w.fair && c.w.chance(Disorder, 0.02) {
		c.w.count(EventLost)
		if c.w.fleet != nil {
			c.w.fleet.resyncLater(c, resyncEvery)
		}
		return
	}
	c.queue.add(key)
}

// resync enters everything, as controllers do from time to time.
func (c *controller) resync() {
	for _, key := range c.worker.keys() {
		c.queue.add(key)
	}
}

// wakeAt enters an object at an instant by the clock of the controller.
func (c *controller) wakeAt(at time.Time, key string) {
	if at.IsZero() {
		if c.w.strict {
			c.queue.item(key).alarm = time.Time{}
		}
		return
	}
	at = at.Add(-c.skew)
	if !at.After(c.w.now) {
		at = c.w.now.Add(1)
	}
	if d := at.Sub(c.w.now); !c.w.fair && d < time.Minute && c.w.chance(Readiness, 0.2) {
		at = at.Add(time.Duration(c.w.random.IntN(3) - 1)) // a nanosecond early, exact, or late
		c.w.count(PlannedAtBoundary)
	}
	o := c.queue.item(key)
	if o.alarm.Equal(at) || !c.w.strict && o.alarm.After(c.w.now) && !at.Before(o.alarm) {
		return // a delaying queue keeps the earliest
	}
	o.alarm = at
	c.w.schedule(at, wake, errand{name: key, controller: c})
}

// wake enters an object whose instant has come. One that another has replaced is passed over, and
// of two equal ones the second: a delaying queue holds an object once.
func (c *controller) wake(key string) {
	o := c.queue.item(key)
	if o.alarm.After(c.w.now) || o.alarm.IsZero() {
		return
	}
	if !c.w.strict {
		o.alarm = time.Time{}
	}
	c.enter(key)
}

// retry enters an object again some time after a failure.
func (c *controller) retry(key string) {
	c.retries = min(c.retries+1, 10)
	c.wakeAt(c.now().Add(replicaset.RetryDelay(c.retries)), key)
}

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
	if !w.strict {
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

// lag returns how many changes the view is behind.
func (c *controller) lag() (n int) {
	for _, k := range c.reads {
		n += c.w.store.behind(k, c.view[k])
	}
	return n
}

// A glance is when a controller has looked, and what there was to see.
type glance struct {
	at      time.Time
	version int64
}

// look moves the view on, as far as what the controller can see allows. In a fleet it sees
// the same until time has passed or something was written: who sees the past, each time another
// one, would otherwise look at it for ever.
func (c *controller) look() {
	w := c.w
	last := w.store.version
	if w.fleet != nil && !w.fair {
		now := glance{w.now, last}
		if c.looked == now {
			return
		}
		c.looked = now
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

// fill copies what rows point to into a buffer.
func fill[T any](buffer []T, rows []*T) []T {
	buffer = buffer[:0]
	for _, o := range rows {
		buffer = append(buffer, *o)
	}
	return buffer
}
