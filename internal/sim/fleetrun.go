// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

// NewFleet returns an empty fleet.
func NewFleet(cfg FleetConfig) *Fleet {
	f := &Fleet{cfg: cfg, alive: map[string]bool{}, known: map[string]bool{}, images: map[image]bool{},
		makers: map[worker]func(){}, cordoned: map[string]bool{}, ours: map[Role]bool{},
	}
	f.faulty = cfg.Faults != Faults{} || cfg.Touch > 0 || cfg.Deaf > 0
	w := newWorld(cfg.Seed, cfg.Faults)
	f.w, w.fleet, w.now, w.Trace, w.uidPrefix = w, f, cfg.Start, cfg.Trace, uidPrefix
	w.calm, w.fair = !f.faulty, !f.faulty
	s := w.store
	s.seen, w.meanwhile = w.seen, f.passTime
	s.pods.atOnce, s.pods.inPlace, s.daemons.atOnce, s.daemons.inPlace = w.calm, w.calm, w.calm, w.calm
	index(&s.pods, func(p *podorder.Pod) string { return p.ControllerUID })
	if w.calm {
		s.pods.brief = briefOf
		changeInPlace(&s.deployments, func(_, _ *Deployment) bool { return true })
		changeInPlace(&s.replicaSets, sameRelation)
		s.deployments.watch = func(_, d *Deployment) { f.recreates = f.recreates || d != nil && d.Strategy == deploy.Recreate }
	}
	index(&s.daemons, func(p *daemonset.Pod) string { return p.ControllerUID })
	index(&s.replicaSets, func(rs *replicaSet) string { return rs.ControllerUID })
	index(&s.revisions, func(r *revision.ControllerRevision) string { return r.ControllerUID })
	index(&s.things, func(o *Thing) string { return o.ControllerUID })
	s.nodes.watch = f.nodeSet
	for role := range cfg.Without {
		f.ours[role] = true
	}
	w.disturb = f.disturbances()
	w.heal = append(w.heal, (*World).healNodesOfFleet)
	f.disturbLater()
	return f
}

// nodeSet notes how many nodes do not answer, and tells of what is known of a node.
func (f *Fleet) nodeSet(old, n *Node) {
	if old != nil && old.NotReady {
		f.away--
	}
	if n != nil && n.NotReady {
		f.away++
	}
	if f.cfg.NodeSet != nil {
		f.cfg.NodeSet(old, n)
	}
}

func index[T any](t *table[T], owner func(*T) string) {
	t.owner, t.owned = owner, map[string]*members{}
}

// sameRelation reports whether a ReplicaSet is found where it was, and what its siblings know of it
// is as before.
func sameRelation(a, b *replicaSet) bool {
	return a.ControllerUID == b.ControllerUID && a.ControllerKind == b.ControllerKind && a.ControllerName == b.ControllerName && a.Selector == b.Selector
}

// remembers lets objects be replaced that are changed, because somebody keeps them from one request to
// the next, or hands them in.
func (f *Fleet) remembers() { f.w.store.deployments.settle, f.w.store.replicaSets.settle = nil, nil }

// Heal ends all faults: what is stuck goes on, and one controller of each kind stays.
// While a request is under way, that waits for its answer.
func (f *Fleet) Heal() {
	if f.heals = !f.w.fair && f.asking; f.heals || f.w.fair {
		return
	}
	f.w.makeFair()
	f.w.garbage = true
}

// Step makes the next step up to an instant: a request of a controller, or what the agenda
// holds next. It reports false if there is none until then. The clock does not pass that.
func (f *Fleet) Step(until time.Time) bool {
	w := f.w
	if w.err != nil || w.now.After(until) {
		return false
	}
	if f.heals {
		f.Heal()
		return w.err == nil
	}
	f.rushes()
	if f.act() {
		f.stepped()
		return w.err == nil
	}
	f.rush.under = false
	f.lookAgain()
	at, ok := w.nextEvent()
	if !ok || at.After(w.now) {
		w.rested()
	}
	if !ok || at.After(until) {
		return false
	}
	w.performNext()
	if w.fair && f.cfg.Latency > 0 {
		w.performUntil(w.now.Add(f.cfg.Latency))
	}
	return w.err == nil
}

// Advance moves the clock to an instant until which nothing happens.
func (f *Fleet) Advance(to time.Time) {
	if to.After(f.w.now) {
		f.w.now = to
	}
}

// Next is when the agenda has its next entry, false if there is none.
func (f *Fleet) Next() (time.Time, bool) { return f.w.nextEvent() }

// act lets a controller do something: under faults any that has something to do, else the
// first.
func (f *Fleet) act() bool {
	w := f.w
	if w.fair {
		return w.act()
	}
	n := len(w.controllers)
	if n == 0 {
		return f.collect()
	}
	for i, first := 0, w.random.IntN(n); i < n; i++ {
		c := w.controllers[(first+i)%n]
		if c.job == nil {
			c.look()
		}
		if c.busy() {
			c.step()
			return true
		}
	}
	return f.collect()
}

// lookAgain lets those that have seen the past look again soon.
func (f *Fleet) lookAgain() {
	w := f.w
	if w.fair || f.looking {
		return
	}
	for _, c := range w.controllers {
		if c.lag() > 0 {
			f.looking = true
			f.At(w.now.Add(time.Duration(w.random.Int64N(int64(500*time.Millisecond)))), func() { f.looking = false })
			return
		}
	}
}

// passTime lets time pass while a request is under way: others go on.
func (f *Fleet) passTime() {
	w := f.w
	if w.fair || w.repeating {
		return
	}
	f.asking = true
	w.performUntil(w.now.Add(time.Duration(w.random.Int64N(int64(10 * time.Millisecond)))))
	f.asking = false
}

// Busy is whether a controller has something to do now.
func (f *Fleet) Busy() bool {
	for _, c := range f.w.controllers {
		if c.busy() || c.lag() > 0 {
			return true
		}
	}
	return f.w.garbage
}

// NewUID returns a UID that no object has.
func (f *Fleet) NewUID() string { return f.w.newUID() }
