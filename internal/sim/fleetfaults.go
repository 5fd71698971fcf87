// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/podorder"
)

// resyncEvery is how long it takes until a controller looks at everything that was not told of
// a change: the time after which expectations that are not met no longer count, and a bit.
const resyncEvery = 5*time.Minute + time.Second

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
	second.view = w.latestView()
	second.resync()
}

func (w *World) latestView() (view [kinds]int64) { return *w.latest() }

// deaf reports whether a controller is not told of a change. It looks at everything later.
func (f *Fleet) deaf(c *controller) bool {
	if f == nil || f.w.fair || f.cfg.Deaf == 0 || f.w.random.Float64() >= 0.02*f.cfg.Deaf {
		return false
	}
	f.deafened++
	f.resyncLater(c, resyncEvery)
	return true
}

// resyncLater lets a controller look at everything after a time.
func (f *Fleet) resyncLater(c *controller, after time.Duration) {
	f.At(f.w.now.Add(after), func() {
		if slices.Contains(f.w.controllers, c) {
			c.resync()
		}
	})
}

// touches reports whether somebody else writes an object just before a controller does.
func (f *Fleet) touches(r *request) bool {
	if f == nil || f.w.fair || f.cfg.Touch == 0 || r.pre.version == "" || f.w.random.Float64() >= 0.1*f.cfg.Touch {
		return false
	}
	f.touched++
	return true
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

// healPods lets the pods go on that faults have stopped.
func (f *Fleet) healPods() {
	w := f.w
	for _, p := range w.allPods() {
		switch {
		case !p.DeletionTimestamp.IsZero():
			w.schedulePod(p, end, f.takes(p, Gone))
		case p.Finished() || p.NodeName == "":
		case !p.Ready:
			f.begins(p)
		}
	}
	for _, p := range w.allPods() {
		if p.NodeName == "" && p.Phase == podorder.Pending && p.DeletionTimestamp.IsZero() {
			w.schedulePod(p, bind, f.takes(p, Scheduled))
		}
	}
	f.waiting = nil
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
