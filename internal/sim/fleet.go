// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// A Fleet is a world of many workloads, whose clock and desired state are its owner's. What is
// asked for here is public in package rollout/sim.
type Fleet struct {
	w     *World
	cfg   FleetConfig
	alive map[string]bool // UIDs of what may own others
	known map[string]bool // those that there have ever been

	waiting  []int32 // pods that found no node, by number
	round    bool    // whether these will be looked at
	images   map[image]bool
	makers   map[worker]func() // what starts another of a controller
	cordoned map[string]bool   // nodes, by their owner
	ours     map[Role]bool     // controllers that run, or are not to

	faulty   bool
	given    bool      // whether there are pods with UIDs that others have given
	stood    time.Time // the instant at which steps are counted
	asking   bool      // whether a request of a controller is under way
	heals    bool      // whether all is to be healed behind it
	looking  bool      // whether those that see the past will look again
	touched  int       // writes of others between the reading and the writing of a controller
	deafened int       // changes that nobody was told of
	expired  int       // expectations that were not met in time
}

type image struct{ node, template string }

// A Stage is a part of the life of a pod.
type Stage string

// The stages.
const (
	Scheduled   Stage = "scheduled"
	Pulled      Stage = "pulled"
	Started     Stage = "started"
	Ready       Stage = "ready"
	Failed      Stage = "failed"
	Evicted     Stage = "evicted"
	Terminating Stage = "terminating"
	Gone        Stage = "gone"
)

// A Happened is a write, as a [FleetConfig] is told of it.
type Happened struct {
	At     time.Time
	By     Role
	Verb   Verb
	Kind   Kind
	Name   string
	UID    string
	Action fmt.Stringer
	Stage  Stage // of the life of a pod, "" if it goes on in none
}

// FleetConfig adjusts a [Fleet]. Functions that are nil are not called.
type FleetConfig struct {
	Seed  uint64
	Start time.Time
	// Latency is how long after an event controllers notice it, together with all that has
	// happened until then, unless faults strike.
	Latency time.Duration
	// Faults strike until the fleet is healed. Touch and Deaf are weights of two more: a
	// third party writes between the reading and the writing of a controller, and a
	// controller is not told of a change.
	Faults      Faults
	Touch, Deaf float64

	// Place returns the node for a pod and takes the room there, or "".
	Place func(p *podorder.Pod, t revision.Template, pinned string) string
	// Left gives back the room of a pod that is gone.
	Left func(p *podorder.Pod, t revision.Template)
	// Takes returns how long it takes until the next stage of a pod.
	Takes func(s Stage, p *podorder.Pod, t revision.Template, draw float64) time.Duration
	// NeverReady tells which pods never become ready.
	NeverReady func(p *podorder.Pod, t revision.Template) bool
	// Allows tells whether a quota lets the owner of this name have a pod more.
	Allows func(owner string) bool
	// MaxPods is how many pods a set may want, 0 for any number.
	MaxPods int
	// MayEvict tells whether budgets let a pod go.
	MayEvict func(pod string) bool
	Happens  func(Happened)
	NodeSet  func(old, n *Node)
	Trace    func(string)

	Deployment    deploy.Options
	ReplicaSet    replicaset.Options
	DaemonSet     daemonset.Options
	Rollout       kruise.Options
	Argo          argo.Options
	PlanDeploy    func(deploy.Snapshot, time.Time, deploy.Options) (deploy.Plan, error)
	PlanReplicas  func(replicaset.Snapshot, time.Time, replicaset.Options) (replicaset.Plan, error)
	PlanDaemonSet func(daemonset.Snapshot, time.Time, daemonset.Options) (daemonset.Plan, error)
	Without       map[Role]bool // controllers of ours that do not run
}

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
	s.seen = w.seen
	s.pods.inPlace, s.daemons.inPlace = w.calm, w.calm
	index(&s.pods, func(p *podorder.Pod) string { return p.ControllerUID })
	if w.calm {
		s.pods.brief = briefOf
	}
	index(&s.daemons, func(p *daemonset.Pod) string { return p.ControllerUID })
	index(&s.replicaSets, func(rs *replicaSet) string { return rs.ControllerUID })
	index(&s.revisions, func(r *revision.ControllerRevision) string { return r.ControllerUID })
	index(&s.things, func(o *Thing) string { return o.ControllerUID })
	s.nodes.watch = cfg.NodeSet
	for role := range cfg.Without {
		f.ours[role] = true
	}
	w.disturb = f.disturbances()
	w.heal = append(w.heal, (*World).healNodesOfFleet)
	f.disturbLater()
	return f
}

func index[T any](t *table[T], owner func(*T) string) {
	t.owner, t.owned = owner, map[string]*members{}
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

// Heal ends all faults: what is stuck goes on, and one controller of each kind stays.
// While a request is under way, that waits for its answer.
func (f *Fleet) Heal() {
	if f.heals = !f.w.fair && f.asking; f.heals || f.w.fair {
		return
	}
	f.w.makeFair()
	f.w.garbage = true
}

// passes is how many steps may be made without time passing, and a tenth as many more for each
// object that there is: so many writes there may be, and they may undo each other for ever.
const passes = 10_000

// restless reports whether controllers have gone on without time passing for too long.
func (f *Fleet) restless() bool {
	w, s := f.w, f.w.store
	if w.still <= passes {
		return false
	}
	objects := s.pods.size() + s.daemons.size() + s.replicaSets.size() + s.deployments.size() + s.daemonSets.size() +
		s.sets.size() + s.things.size() + s.nodes.size() + s.rollouts.size() + s.argos.size()
	return w.still > passes+passes/10*objects
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
	if f.act() {
		if w.now.After(f.stood) { // requests take time, too
			f.stood, w.still = w.now, 0
		}
		if w.still++; f.restless() {
			w.fail(fmt.Errorf("%w at %v", errNoRest, w.now))
		}
		return w.err == nil
	}
	f.lookAgain()
	at, ok := w.nextEvent()
	if !ok || at.After(until) {
		return false
	}
	if at.After(w.now) {
		w.still = 0
		for _, c := range w.controllers {
			c.forgetPasses()
		}
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

// wroteOfFleet tells of a write, and notes who may own others.
func wroteOfFleet[T any](f *Fleet, t *table[T], r *request, o *T) {
	k := t.key(o)
	if r.verb == Create || r.verb == Remove {
		if mayOwn(t.kind) {
			f.known[*k.uid] = true
			if f.alive[*k.uid] = true; r.verb == Remove {
				delete(f.alive, *k.uid)
			}
		}
		if r.verb == Create && t.owner != nil && f.lost(t.owner(o)) {
			f.w.garbage = true
		}
	}
	if f.cfg.Happens != nil {
		uid := ""
		if k.uid != nil {
			uid = *k.uid
		}
		f.cfg.Happens(Happened{f.w.now, r.by.Role, r.verb, t.kind, *k.name, uid, r.action, r.stage})
	}
}

func mayOwn(k Kind) bool {
	switch k {
	case KindDeployment, KindReplicaSet, KindDaemonSet, KindSet, KindRollout, KindBatchRelease, KindThing, KindArgoRollout:
		return true
	}
	return false
}

// lost reports whether an owner was there and is gone.
func (f *Fleet) lost(uid string) bool { return uid != "" && f.known[uid] && !f.alive[uid] }

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

// Busy is whether a controller has something to do now.
func (f *Fleet) Busy() bool {
	for _, c := range f.w.controllers {
		if c.busy() || c.lag() > 0 {
			return true
		}
	}
	return f.w.garbage
}

// Plans is how many plans controllers have made.
func (f *Fleet) Plans() int { return f.w.Plans }

// NewUID returns a UID that no object has.
func (f *Fleet) NewUID() string { return f.w.newUID() }
