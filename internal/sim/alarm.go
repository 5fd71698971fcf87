// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"time"

	"github.com/kplan-go/kplan/replicaset"
)

// enter puts an object into the queue, once.
func (c *controller) enter(key string) {
	if !c.w.fair && c.w.chance(Disorder, 0.02) {
		c.w.count(EventLost)
		return
	}
	c.queue.add(key)
}

// wakeAt enters an object at an instant by the clock of the controller.
func (c *controller) wakeAt(at time.Time, key string) {
	if at.IsZero() {
		if o := c.queue.item(key); c.w.strict {
			c.enterAlarm(o)
			o.alarm = time.Time{}
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
	if c.w.strict {
		c.putOff(o, at)
		return
	}
	o.alarm = at
	c.w.schedule(at, wake, errand{name: key, controller: c})
}

// putOff sets the alarm of a strict world.
func (c *controller) putOff(o *item, at time.Time) {
	if at.Before(o.alarm) {
		c.enterAlarm(o) // as it was
	}
	o.alarm, o.putOff.serial = at, c.w.agenda.number()
	if o.putOff.errand == 0 || at.Before(o.putOff.until) {
		c.enterAlarm(o)
	}
}

// enterAlarm enters an alarm that was put off.
func (c *controller) enterAlarm(o *item) {
	w, p := c.w, &o.putOff
	if p.serial == 0 {
		return
	}
	number := w.newErrand(errand{name: o.key, controller: c})
	w.agenda.enter(o.alarm, p.serial, happening{what: wake, number: number})
	if p.serial = 0; p.errand == 0 || o.alarm.Before(p.until) {
		p.errand, p.until = number, o.alarm
	}
}

// left enters an alarm that was put off, if what has left the agenda is what came before.
func (c *controller) left(o *item, errand int32) {
	if o.putOff.errand == errand {
		o.putOff.errand = 0
		c.enterAlarm(o)
	}
}

// wake enters an object whose instant has come. One that another has replaced is passed over, and
// of two equal ones the second: a delaying queue holds an object once.
func (c *controller) wake(o *item) {
	if o.alarm.After(c.w.now) || o.alarm.IsZero() {
		return
	}
	if !c.w.strict {
		o.alarm = time.Time{}
	}
	c.enter(o.key)
}

// retry enters an object again some time after a failure.
func (c *controller) retry(key string) {
	c.retries = min(c.retries+1, 10)
	c.wakeAt(c.now().Add(replicaset.RetryDelay(c.retries)), key)
}
