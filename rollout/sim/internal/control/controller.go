// SPDX-License-Identifier: Apache-2.0

package control

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// A Controller is a process that sees the store, takes an object out of its queue, plans, and
// carries the plan out, request by request. Other processes may write between two requests.
type Controller struct {
	*apiserver.Server
	Role     store.Role
	Instance int // of several controllers of a role at once, from 0
	// View is the state that the controller sees.
	View store.View
	// GiveUpAfter is after how many retries a key is dropped until its object changes; 0 means never.
	GiveUpAfter int

	worker     Worker
	reads      []store.Kind
	from       store.View // the view before
	lastRead   readPoint
	wrote      int64           // version of its last write
	visibility trouble.Trouble // one of the six models of visibility
	skew       time.Duration
	queue      queue
	job        Pass
	stopped    bool
	skipping   bool // whether Each shows the difference only
}

// A Worker is the part of a controller that differs from kind to kind.
type Worker interface {
	// Begin plans for an object and returns the pass, or nil.
	Begin(key string) Pass
	// Watch is called after the view has moved, and enters work. See [Each].
	Watch()
	// Keys returns all objects that it is responsible for, as far as it can see.
	Keys() []string
	// Forget drops all that is kept in memory only, as a crash does.
	Forget()
}

// A Pass carries a plan out: it sends the next request, and returns whether there are more.
type Pass func() bool

// New returns a controller that reads objects of some kinds. It sees all that there is.
func New(s *apiserver.Server, w Worker, role store.Role, instance int, reads ...store.Kind) *Controller {
	c := &Controller{Server: s, worker: w, Role: role, Instance: instance, reads: reads, visibility: trouble.SeesEverything, View: s.Latest()}
	for k := range c.View {
		c.View[k] = store.Unread
	}
	for _, k := range reads {
		c.View[k] = s.Version()
	}
	c.from = c.View
	s.AddReader(&c.View)
	t := s.Trouble
	switch {
	case !t.Calm() && t.Rates[trouble.Stale] > 0 && t.Rates[trouble.Visibility] == 0:
		c.visibility = trouble.SeesMonotonic + trouble.Trouble(t.IntN(int(trouble.SeesAnything-trouble.SeesMonotonic)+1))
	case t.Strikes(trouble.Visibility, 0.9):
		c.visibility = trouble.SeesEverything + trouble.Trouble(t.IntN(int(trouble.SeesAnything-trouble.SeesEverything)+1))
	}
	t.Count(c.visibility)
	return c
}

// Read lets the controller read a further kind, of which the last write is still to be seen.
func (c *Controller) Read(k store.Kind) {
	c.reads = append(c.reads, k)
	c.View[k] = c.Version() - 1
	c.from[k] = c.View[k]
}

// Stop lets the controller do nothing any more.
func (c *Controller) Stop() {
	c.stopped = true
	c.DropReader(&c.View)
}

// Now is the time by the clock of the controller.
func (c *Controller) Now() time.Time { return c.Agenda.Now().Add(c.skew) }

// Busy reports whether there is something to do.
func (c *Controller) Busy() bool { return c.job != nil || c.queue.len() > 0 }

// Resync enters all objects, as controllers do from time to time.
func (c *Controller) Resync() {
	for _, key := range c.worker.Keys() {
		c.queue.add(key)
	}
}

// Step goes on with the pass that is under way, or begins one. It reports false if there is nothing
// to do.
func (c *Controller) Step() bool {
	if c.job == nil {
		c.Look()
		if c.queue.len() == 0 {
			return false
		}
		c.job = c.worker.Begin(c.next())
		return true
	}
	c.perform()
	if c.Trouble.Strikes(trouble.Crash, 0.02) {
		c.Crash()
	}
	return true
}

// next takes the object out of the queue that is looked at next.
func (c *Controller) next() string {
	i := 0
	if n := c.queue.len(); n > 1 && c.Trouble.Strikes(trouble.Disorder, 0.5) {
		if i = c.Trouble.IntN(n); i > 0 {
			c.Trouble.Count(trouble.WorkedOutOfOrder)
		}
	}
	if c.Trouble.Strikes(trouble.Disorder, 0.03) {
		c.Trouble.Count(trouble.EventRepeated)
		return c.queue.at(i)
	}
	return c.queue.take(i)
}

func (c *Controller) perform() {
	if !c.job() {
		c.job = nil
	}
}

// Finish carries the pass to its end that is under way.
func (c *Controller) Finish() {
	for c.job != nil && c.Err() == nil {
		c.perform()
	}
}

// Crash starts the controller again with empty memory.
func (c *Controller) Crash() {
	c.Trouble.Count(trouble.Crashed)
	c.Tracef("%s crashes", c.Role)
	c.job = nil
	c.queue = queue{}
	c.worker.Forget()
	if c.visibility == trouble.SeesResettable && c.Trouble.Strikes(trouble.Stale, 0.7) {
		c.Trouble.Count(trouble.TravelledBack)
		for _, k := range c.reads {
			c.View[k] = max(0, c.View[k]-c.Trouble.Int64N(12))
		}
	}
	c.Resync()
}

// Skew sets the clock of the controller, as far as it differs from the true time.
func (c *Controller) Skew(d time.Duration) (before time.Duration) {
	before, c.skew = c.skew, d
	return before
}

// Heal lets the controller see all there is, by the true time, and look at everything once more.
func (c *Controller) Heal() {
	c.skew, c.visibility = 0, trouble.SeesEverything
	c.Look()
	c.Resync()
}

// Ask sends a request.
func (c *Controller) Ask(send func() apiserver.Answer) apiserver.Answer {
	return c.Server.Ask(func() apiserver.Answer {
		before := c.Version()
		a := send()
		if a == apiserver.Done && c.Version() > before { // something was written
			c.wrote = c.Version()
		}
		return a
	})
}

// Request is a request of the pass that is under way.
func (c *Controller) Request(verb store.Verb, name string, action fmt.Stringer) apiserver.Request {
	return apiserver.Request{By: c.Role, Verb: verb, Name: name, Action: action}
}

// Wrote is the version of the last write of the controller.
func (c *Controller) Wrote() int64 { return c.wrote }

// SeesAnything reports whether the controller may see an older state than it has seen before.
func (c *Controller) SeesAnything() bool { return c.visibility == trouble.SeesAnything }
