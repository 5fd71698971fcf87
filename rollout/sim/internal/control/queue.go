// SPDX-License-Identifier: Apache-2.0

package control

import (
	"time"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// A queue holds the keys of the objects to look at, each once, and notes of keys.
type queue struct {
	keys  []*item
	first int // those before it were taken
	items map[string]*item
}

// An item is a key with its state in the queue.
type item struct {
	key      string
	queued   bool
	failures int       // in a row
	alarm    time.Time // when it is to be entered, zero if that is not known
	asked    wait      // of the last plan that polls
}

// A wait is how long a plan waits, and after which progress it was made.
type wait struct {
	time.Duration
	progress int64
}

func (q *queue) len() int { return len(q.keys) - q.first }

// at returns the key at a place.
func (q *queue) at(i int) string { return q.keys[q.first+i].key }

func (q *queue) item(key string) *item {
	o := q.items[key]
	if o == nil {
		if q.items == nil {
			q.items = map[string]*item{}
		}
		o = &item{key: key}
		q.items[key] = o
	}
	return o
}

// add enters a key after the others, if it is not there.
func (q *queue) add(key string) {
	if o := q.item(key); !o.queued {
		o.queued = true
		q.keys = append(q.keys, o)
	}
}

// take removes the key at a place, and returns it.
func (q *queue) take(i int) string {
	i += q.first
	o := q.keys[i]
	o.queued = false
	copy(q.keys[q.first+1:i+1], q.keys[q.first:i])
	q.keys[q.first] = nil
	if q.first++; q.first == len(q.keys) {
		q.keys, q.first = q.keys[:0], 0
	}
	return o.key
}

// Enter puts an object into the queue, once.
func (c *Controller) Enter(key string) {
	if c.Trouble.Strikes(trouble.Disorder, 0.02) {
		c.Trouble.Count(trouble.EventLost)
		c.resyncLater()
		return
	}
	c.queue.add(key)
}

// WakeAt enters an object at an instant by the clock of the controller; never if that is zero. Of
// several instants for one object the earliest counts.
func (c *Controller) WakeAt(at time.Time, key string) {
	if !at.IsZero() {
		c.wakeAt(at, key, agenda.Recheck)
	}
}

// PollAt is WakeAt for a planner that asks for the same time as before if it waits for others, and for the time
// that is left if it waits for an instant.
func (c *Controller) PollAt(at time.Time, key string) {
	if at.IsZero() {
		return
	}
	o, why := c.queue.item(key), agenda.Recheck
	asked := wait{at.Sub(c.Now()), c.Progress()}
	if asked == o.asked {
		why = agenda.Poll
	}
	o.asked = asked
	c.wakeAt(at, key, why)
}

func (c *Controller) wakeAt(at time.Time, key string, why agenda.Reason) {
	now := c.Agenda.Now()
	if at = at.Add(-c.skew); !at.After(now) {
		at = now.Add(1)
	}
	if d := at.Sub(now); d < time.Minute && c.Trouble.Strikes(trouble.Readiness, 0.2) {
		at = at.Add(time.Duration(c.Trouble.IntN(3) - 1)) // a nanosecond early, in time, or late
		c.Trouble.Count(trouble.PlannedAtBoundary)
	}
	o := c.queue.item(key)
	if o.alarm.After(now) && !at.Before(o.alarm) {
		return
	}
	o.alarm = at
	c.Agenda.At(at, why, func() {
		if !c.stopped && o.alarm.Equal(at) {
			o.alarm = time.Time{}
			c.Enter(key)
		}
	})
}

// Retry enters an object again some time after a failure, or drops it after too many in a row.
func (c *Controller) Retry(key string) { c.retry(key, agenda.Retry) }

// RetryUntil is Retry of an object that time alone changes before an instant, which may be zero.
func (c *Controller) RetryUntil(at time.Time, key string) {
	if at.After(c.Now()) {
		c.retry(key, agenda.Recheck)
		return
	}
	c.Retry(key)
}

func (c *Controller) retry(key string, why agenda.Reason) {
	o := c.queue.item(key)
	o.failures++
	if c.GiveUpAfter > 0 && o.failures > c.GiveUpAfter {
		o.failures = 0
		return
	}
	c.wakeAt(c.Now().Add(replicaset.RetryDelay(o.failures)), key, why)
}

// Succeeded forgets the failures of an object.
func (c *Controller) Succeeded(key string) { c.queue.item(key).failures = 0 }
