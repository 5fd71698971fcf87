// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"time"
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
	looked  int64        // the version of the last look in a fair world, below 0 after another one
	wrote   int64        // version of its last write
	sight   Trouble      // one of the six models of visibility
	skew    time.Duration
	queue   queue
	retries int
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

// resync enters everything, as controllers do from time to time.
func (c *controller) resync() {
	for _, key := range c.worker.keys() {
		c.queue.add(key)
	}
}

func (w *World) addController(c *controller, p worker, role Role, reads ...Kind) {
	c.w, c.worker, c.reads = w, p, reads
	c.Actor = Actor{Role: role}
	for _, o := range w.controllers {
		if o.Role == role {
			c.Instance++
		}
	}
	c.sight = SeesEverything
	if w.chance(Visibility, 0.9) {
		c.sight = SeesEverything + Trouble(w.random.IntN(int(SeesAnything-SeesEverything)+1))
	}
	w.count(c.sight)
	w.controllers = append(w.controllers, c)
}
