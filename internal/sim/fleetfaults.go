// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"time"
)

// disturbances are what happens to a fleet: nothing that changes what its owner wants.
func (f *Fleet) disturbances() []disturbance {
	return []disturbance{
		{PodMonkey, 1, onPod(PodDeleted, (*World).dropPod)},
		{PodMonkey, 0.5, onPod(PodEvicted, (*World).evictPod)},
		{PodMonkey, 0.5, onPod(PodFailed, (*World).failPod)},
		{Readiness, 1.5, onPod(PodFlapped, (*World).flapPod)},
		{Termination, 0.2, (*World).loseNode},
		{Nodes, 0.7, onNode(NodeNotReady, (*World).makeNotReady)},
		{Nodes, 0.3, onNode(NodeCordoned, (*World).cordon)},
		{Nodes, 0.3, onNode(NodeDrained, (*World).drain)},
		{Nodes, 0.1, (*World).loseZone},
		{Clocks, 0.5, onSomebody((*World).skewClock)},
		{Crash, 0.3, onSomebody(func(w *World) { w.somebody().crash() })},
		{Overlap, 0.5, onSomebody((*World).secondLeader)},
		{Overlap, 0.5, (*World).endOverlap},
	}
}

func onSomebody(do func(*World)) func(*World) {
	return func(w *World) {
		if len(w.controllers) > 0 {
			do(w)
		}
	}
}

// disturbEvery is the mean time between two disturbances of weight 1.
const disturbEvery = 10 * time.Second

// disturbLater enters the next disturbance.
func (f *Fleet) disturbLater() {
	w, total := f.w, 0.0
	for _, d := range w.disturb {
		total += d.weight * w.Faults[d.fault]
	}
	if total == 0 {
		return
	}
	mean := time.Duration(float64(disturbEvery) / total)
	f.At(w.now.Add(time.Duration(w.random.ExpFloat64()*float64(mean))), func() {
		if !w.fair {
			w.disturbOnce()
			f.disturbLater()
		}
	})
}

// secondLeader starts another controller of a kind beside the first.
func (w *World) secondLeader() {
	for _, c := range w.controllers {
		if c.Instance > 0 {
			return // one at a time
		}
	}
	c := w.somebody()
	again := w.fleet.makers[c.worker]
	if again == nil {
		return
	}
	w.count(TwoLeaders)
	again()
	second := w.controllers[len(w.controllers)-1]
	second.view = *w.latest()
	second.resync()
}

// healNodesOfFleet lets the nodes that faults have stopped take pods again.
func (w *World) healNodesOfFleet() {
	for _, n := range slices.Clone(w.store.nodes.all()) {
		if n.NotReady {
			w.nodeAnswers(n.Name)
		}
		if n = w.store.nodes.named(n.Name); n.Cordoned && !w.fleet.cordoned[n.Name] {
			w.cordon(n)
		}
	}
	w.fleet.Room()
}

// Fired is how often each fault has struck, and how often two more: what others wrote between
// the reading and the writing of a controller, and what controllers were not told of. Answers
// that are no success may follow from anything.
func (f *Fleet) Fired() (fired map[Fault]int, touched, deafened int) {
	fired = map[Fault]int{}
	for t, n := range f.w.Troubles {
		switch Trouble(t) {
		case AnsweredConflict, AnsweredExists, AnsweredNotFound, AnsweredForbidden:
		default:
			fired[Trouble(t).Fault()] += n
		}
	}
	return fired, f.touched, f.deafened
}

// Expired is how often controllers have given up to wait for writes of their own.
func (f *Fleet) Expired() int { return f.expired }
