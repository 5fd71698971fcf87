// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"time"
)

// A Fleet is a world of many workloads, whose clock and desired state are its owner's. What is
// asked for here is public in package rollout/sim.
type Fleet struct {
	w     *World
	cfg   FleetConfig
	alive map[string]bool // UIDs of what may own others
	known map[string]bool // those that there have ever been

	away     int     // nodes that do not answer
	waiting  []int32 // pods that found no node, by number
	round    bool    // whether these will be looked at
	images   map[image]bool
	makers   map[worker]func() // what starts another of a controller
	cordoned map[string]bool   // nodes, by their owner
	ours     map[Role]bool     // controllers that run, or are not to

	faulty    bool
	recreates bool      // whether there has been a Deployment that recreates its pods
	given     bool      // whether there are pods with UIDs that others have given
	stood     time.Time // the instant at which steps are counted
	rush      rush
	asking    bool // whether a request of a controller is under way
	heals     bool // whether all is to be healed behind it
	looking   bool // whether those that see the past will look again
	touched   int  // writes of others between the reading and the writing of a controller
	deafened  int  // changes that nobody was told of
	expired   int  // expectations that were not met in time
}

type image struct{ node, template string }

// A rush is what controllers do at one instant with nothing else happening: no stage of a pod,
// and nothing that anybody else wants. What they create in it does not let them go on for longer, or else
// who creates pods again and again would never be told.
type rush struct {
	under   bool
	steps   int // but those that have created a pod: MaxPods limits those
	created int // pods so far, before the rush, too
	objects int // that there were when it began, but pods
	pods    int // so
	limit   int // 0 until many steps have been made
}

// Now is the time of the fleet.
func (f *Fleet) Now() time.Time { return f.w.now }

// Pending is how many entries the agenda has.
func (f *Fleet) Pending() int { return len(f.w.agenda.entries) }

// Version is how many writes there were.
func (f *Fleet) Version() int64 { return f.w.store.version }

// Err is what has ended the fleet, or nil.
func (f *Fleet) Err() error { return f.w.err }

// Fail ends the fleet.
func (f *Fleet) Fail(err error) { f.w.fail(err) }

// State is what the store holds.
func (f *Fleet) State() State { return f.w.state() }

// At enters what is to be done at an instant.
func (f *Fleet) At(at time.Time, do func()) { f.w.schedule(at, errandOfFleet, errand{do: do}) }

// Calm is whether nothing disturbs.
func (f *Fleet) Calm() bool { return f.w.fair }

// lost reports whether an owner was there and is gone.
func (f *Fleet) lost(uid string) bool { return uid != "" && !f.alive[uid] && f.known[uid] }

// allows reports whether a quota lets an owner have a pod more.
func (f *Fleet) allows(owner string) bool {
	return f == nil || f.cfg.Allows == nil || f.cfg.Allows(owner)
}

// mostPods is how many pods a set may want, 0 for any number.
func (f *Fleet) mostPods() int {
	if f == nil {
		return 0
	}
	return f.cfg.MaxPods
}

// limited reports whether there may be a quota.
func (f *Fleet) limited() bool { return f != nil && f.cfg.Allows != nil }

// Freed lets controllers try again that a quota has kept from creating pods.
func (f *Fleet) Freed() {
	for _, c := range f.w.controllers {
		c.resync()
	}
}

// Plans is how many plans controllers have made.
func (f *Fleet) Plans() int { return f.w.Plans }

// touches reports whether somebody else writes an object just before a controller does.
func (f *Fleet) touches(r *request) bool {
	if f == nil || f.w.fair || f.cfg.Touch == 0 || r.pre.version == "" || f.w.random.Float64() >= 0.1*f.cfg.Touch {
		return false
	}
	f.touched++
	return true
}

// resyncEvery is how long it takes until a controller looks at everything that was not told of
// a change: the time after which expectations that are not met no longer count, and a bit.
const resyncEvery = 5*time.Minute + time.Second

// resyncLater lets a controller look at everything after a time.
func (f *Fleet) resyncLater(c *controller, after time.Duration) {
	f.At(f.w.now.Add(after), func() {
		if slices.Contains(f.w.controllers, c) {
			c.resync()
		}
	})
}

// deaf reports whether a controller is not told of a change. It looks at everything later.
func (f *Fleet) deaf(c *controller) bool {
	if f == nil || f.w.fair || f.cfg.Deaf == 0 || f.w.random.Float64() >= 0.02*f.cfg.Deaf {
		return false
	}
	f.deafened++
	f.resyncLater(c, resyncEvery)
	return true
}
