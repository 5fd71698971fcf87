// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/rollout/workload"
)

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
	cut          bool                // such a run has ended before what comes next
	calm         bool                // see calmWorld
	followed     bool                // see follow
	strict       bool                // see begin
	still        patience            // events since all has rested
	rests        int32               // how often all has, or a part of that
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
	w.pace = somePace(w.random)
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

func (w *World) delay(s span) time.Duration {
	if s.most <= s.least {
		return s.least
	}
	return s.least + time.Duration(w.random.Int64N(int64(s.most-s.least)))
}
