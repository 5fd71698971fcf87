// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/workload"
)

type replicaSet = replicaset.ReplicaSet

// A World is a cluster in which everything may go wrong. It has an API server with its
// store, controllers that plan with the planners of this module on what they can see, nodes
// and pods. A user changes the desired state, and faults disturb the rest. It runs in two
// phases. In the first the faults do their work; in the second they have ended, and the
// cluster must come to rest within a bound.
//
// Equal seeds and settings give equal runs.
type World struct {
	Seed     uint64
	Faults   Faults
	Observer Observer
	// Trace, if set, is called with a line for each event.
	Trace func(string)

	// Results of a run.
	Troubles Troubles
	Plans    int // plans made
	Writes   int // requests that changed the store

	store        *store
	random       *rand.Rand
	now          time.Time
	agenda       agenda[happening]
	errands      map[int32]errand // by number
	errandNumber int32
	controllers  []*controller
	pace         pace
	serial       int
	fair         bool
	repeating    bool // a request is being repeated, which nobody has planned
	err          error
	podLimit     int // quota, 0 for none
	podNames     int
	broken       map[string]bool // templates whose pods never become ready
	weakHash     bool            // templates have few hashes
	disturb      []disturbance
	heal         []func(*World) // what the fair phase begins with
	check        func(*World) error
	written      func(Role)          // called after each write, or nil
	idle         func(*World) bool   // acts when all is at rest; false if that was the end
	visit        time.Time           // when a person looks again, even if nothing rests
	limit        int                 // steps of the fair phase
	deadline     time.Time           // of a run without faults; zero for none
	latency      time.Duration       // of such a run
	calm         bool                // see calmWorld
	followed     bool                // see follow
	strict       bool                // see begin
	still        int                 // events since time has passed
	starting     int                 // entries of the agenda that bind or start a pod
	garbage      bool                // what may own others was removed
	over         func() bool         // ends a run without faults although more will happen, or nil
	place        func(podRef) string // the node for a pod, or nil
	uidPrefix    string
	neverReady   func(podRef) bool // pods that never become ready, or nil
	unbound      func(podRef) bool // pods that no node takes, or nil
	room         *room             // of the nodes of a calm world, or nil
	maxPods      *int              // quota of a calm world, or nil
	quota        *Quota            // the same of other resources
	ref          workload.Ref      // what Rollouts release
	looks        *int64            // see Kubelet.Looks
	released     []workload.Pod    // memory for those of a calm world

	daemonTemplates map[string]daemonset.Template // of a DaemonSet that is released, by hash
	fleet           *Fleet                        // of many workloads, or nil
	lateBatch       string                        // UID of the BatchRelease that a Rollout made or kept when it gave back what it has, since its controller saw the past
	lateService     bool                          // so it did with what a Service selects
	abandoned       bool                          // a Rollout was deleted or disabled since the last release has begun
}

// A disturbance is something that may happen at any time.
type disturbance struct {
	fault  Fault
	weight float64
	do     func(*World)
}

func newWorld(seed uint64, faults Faults) *World {
	w := &World{
		Seed: seed, Faults: faults, store: newStore(), random: rand.New(rand.NewPCG(seed, 0x6b706c616e)), now: Epoch,
		broken: map[string]bool{}, uidPrefix: "u", errands: map[int32]errand{}, limit: 4000,
		ref: workload.Ref{APIVersion: "apps/v1", Kind: deploy.Kind, Name: "web"},
	}
	w.pace = somePace(w)
	return w
}

func (w *World) state() State {
	s := w.store.state()
	s.Now = w.now
	return s
}

func (w *World) count(t Trouble) { w.Troubles[t]++ }

func (w *World) tracef(format string, args ...any) {
	if w.Trace != nil {
		w.Trace(fmt.Sprintf("%v %d ", w.now.Sub(Epoch), w.store.version) + fmt.Sprintf(format, args...))
	}
}

// fail ends the run.
func (w *World) fail(err error) {
	if err != nil && w.err == nil {
		w.err = err
	}
}

// chance reports whether a fault strikes, given the probability at weight 1.
func (w *World) chance(f Fault, p float64) bool {
	return w.Faults[f] > 0 && w.random.Float64() < p*w.Faults[f]
}

// errNoRest is that a cluster does not come to rest.
var errNoRest = errors.New("no rest")

// Run runs both phases. Ticks is the length of the first.
func (w *World) Run(ticks int) error {
	for range ticks {
		w.tick()
		if w.err != nil {
			return w.err
		}
	}
	w.makeFair()
	for range w.limit {
		if w.err != nil {
			return w.err
		}
		if !w.settle() {
			return w.finish()
		}
	}
	return fmt.Errorf("%w after %d steps", errNoRest, w.limit)
}

// tick does one of the things that can happen.
func (w *World) tick() {
	switch r := w.random.Float64(); {
	case r < 0.62:
		w.controllers[w.random.IntN(len(w.controllers))].step()
	case r < 0.82:
		w.advance(time.Duration(w.random.Int64N(int64(3 * time.Second))))
	default:
		w.disturbOnce()
	}
}

// disturbOnce does one disturbance, chosen by weight.
func (w *World) disturbOnce() {
	total := 0.0
	for i := range w.disturb {
		total += w.disturb[i].weight * w.Faults[w.disturb[i].fault]
	}
	r := w.random.Float64() * total
	for i := range w.disturb {
		d := &w.disturb[i]
		if r -= d.weight * w.Faults[d.fault]; r < 0 {
			d.do(w)
			return
		}
	}
}

// advance moves the clock, and performs what happens until then.
func (w *World) advance(d time.Duration) {
	until := w.now.Add(d)
	for {
		at, ok := w.agenda.next()
		if !ok || at.After(until) {
			break
		}
		w.performNext()
	}
	if until.After(w.now) {
		w.now = until
	}
}

// performNext performs the next entry of the agenda.
func (w *World) performNext() {
	at, _ := w.agenda.next()
	if at.After(w.now) {
		w.now = at
	}
	h := w.agenda.take()
	h.perform(w)
}

// performUntil performs what happens until an instant, which comes.
func (w *World) performUntil(until time.Time) {
	for last := until.Sub(Epoch).Nanoseconds(); len(w.agenda.entries) > 0 && w.agenda.entries[0].at <= last; {
		w.performNext()
	}
	w.now = until
}

// makeFair begins the second phase: one controller of each kind stays, sees all, and
// looks at everything once more.
func (w *World) makeFair() {
	w.fair = true
	w.count(FairPhase)
	w.podLimit = 0
	clear(w.broken)
	stay := w.controllers[:0]
	for _, c := range w.controllers {
		if c.Instance == 0 {
			stay = append(stay, c)
		}
	}
	w.controllers = stay
	for _, c := range w.controllers {
		for c.job != nil { // what is under way still counts on what was
			c.step()
		}
	}
	for _, f := range w.heal {
		f(w)
	}
	w.healPods()
	for _, c := range w.controllers {
		c.skew, c.sight = 0, SeesEverything
		c.look()
		c.resync()
	}
}

// settle does the next thing in a fair world. It reports false at rest.
func (w *World) settle() bool {
	if w.act() {
		return true
	}
	if w.idle != nil && w.now.After(w.visit) && w.deadline.IsZero() {
		w.visit = w.now.Add(30 * time.Second)
		if w.idle(w) {
			return true
		}
	}
	if w.moveOn() {
		return true
	}
	return w.idle != nil && w.idle(w)
}

// act lets a controller do something, or else the garbage collector. It reports false if
// nothing is left to do at this instant.
func (w *World) act() bool {
	for _, c := range w.controllers {
		if c.job == nil {
			c.look()
		}
		if c.busy() {
			c.step()
			return true
		}
	}
	if w.fleet != nil {
		return w.fleet.collect()
	}
	if (!w.calm || w.garbage) && w.collect() {
		return true
	}
	w.garbage = false
	return false
}

// horizon is how far a fair world looks ahead: to the deadline of a calm run, or a day,
// since what a controller wants to do in years is as good as never.
func (w *World) horizon() time.Time {
	if w.deadline.IsZero() {
		return w.now.Add(24 * time.Hour)
	}
	return w.deadline
}

// finish checks the cluster at rest: every controller plans nothing any more.
func (w *World) finish() error {
	for _, c := range w.controllers {
		version := w.store.version
		c.resync()
		for c.busy() && w.err == nil {
			c.step()
		}
		if w.err == nil && w.store.version != version {
			return fmt.Errorf("%w: %s writes again at rest", errNoRest, c.Role)
		}
	}
	if w.err == nil && w.check != nil {
		w.fail(w.check(w))
	}
	if w.err == nil && w.Observer.End != nil {
		w.fail(w.Observer.End(w.state()))
	}
	return w.err
}
