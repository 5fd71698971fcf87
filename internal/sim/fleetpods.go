// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

// takes returns how long a pod takes until a stage.
func (f *Fleet) takes(p podRef, s Stage) time.Duration {
	if f.cfg.Takes == nil {
		return 0
	}
	return max(0, f.cfg.Takes(s, p.Pod, f.w.templateOf(p), f.w.random.Float64()))
}

// nodeFor returns the node for a pod, whose room it takes.
func (f *Fleet) nodeFor(p podRef) string {
	pinned := ""
	if p.daemon {
		pinned = f.w.store.daemons.numbered(p.number).PinnedNode
	}
	if f.cfg.Place == nil {
		return pinned
	}
	return f.cfg.Place(p.Pod, f.w.templateOf(p), pinned)
}

// bound assigns a pod to a node, which pulls its images unless it has them.
func (f *Fleet) bound(p podRef, node string) {
	r := by(Scheduler)
	r.stage = Scheduled
	f.w.changePod(p, r, func(p *podorder.Pod) { p.NodeName = node })
	f.begins(f.w.podAt(p.number, p.daemon))
}

// begins lets a pod start that is bound.
func (f *Fleet) begins(p podRef) {
	if p.Phase == podorder.Running { // started before
		f.becomesReady(p)
		return
	}
	i := image{p.NodeName, f.w.templateOf(p).ID}
	if i.template != "" && f.images[i] {
		f.w.schedulePod(p, launched, f.takes(p, Started))
		return
	}
	f.images[i] = true
	d := f.takes(p, Pulled)
	if d == 0 {
		f.w.schedulePod(p, launched, f.takes(p, Started))
		return
	}
	f.w.schedulePod(p, fetched, d)
}

// fetched is when the images of a pod are there.
func (f *Fleet) fetched(p podRef) {
	f.happens(p, Pulled)
	f.w.schedulePod(p, launched, f.takes(p, Started))
}

// happens tells of a stage that changes nothing that is stored.
func (f *Fleet) happens(p podRef, s Stage) {
	if f.cfg.Happens == nil {
		return
	}
	kind := KindPod
	if p.daemon {
		kind = KindDaemon
	}
	f.cfg.Happens(Happened{At: f.w.now, By: NodeAgent, Verb: Update, Kind: kind, Name: p.Name, UID: p.UID, Stage: s})
}

// launched is when the containers of a pod run.
func (f *Fleet) launched(p podRef) {
	if p.Phase == podorder.Running {
		return
	}
	r := by(NodeAgent)
	r.stage = Started
	f.w.changePod(p, r, func(p *podorder.Pod) { p.Phase = podorder.Running })
	f.becomesReady(f.w.podAt(p.number, p.daemon))
}

// becomesReady enters the instant at which a pod that runs is ready.
func (f *Fleet) becomesReady(p podRef) {
	w := f.w
	if f.cfg.NeverReady != nil && f.cfg.NeverReady(p.Pod, w.templateOf(p)) {
		return
	}
	d := f.takes(p, Ready)
	if !w.fair && w.chance(Readiness, 0.08) {
		w.count(PodSlow)
		d += w.delay(w.pace.long)
	}
	w.schedulePod(p, start, d)
}

// waits notes a pod that found no node.
func (f *Fleet) waits(p podRef) {
	f.waiting = append(f.waiting, p.number<<1|flag(p.daemon))
}

func flag(on bool) int32 {
	if on {
		return 1
	}
	return 0
}

// Room lets the pods that wait for a node try again, once per second at most.
func (f *Fleet) Room() {
	if f.round || len(f.waiting) == 0 {
		return
	}
	f.round = true
	f.At(f.w.now.Add(time.Second), f.tryWaiting)
}

// Waiting is how many pods wait for a node.
func (f *Fleet) Waiting() int { return len(f.waiting) }

// tryWaiting lets the pods that wait try again, in order. What one of an owner does not find
// the others of that do not find either.
func (f *Fleet) tryWaiting() {
	f.round = false
	w, waiting, failed := f.w, f.waiting, map[string]bool{}
	f.waiting = nil
	for _, number := range waiting {
		p := w.podAt(number>>1, number&1 == 1)
		switch {
		case p.Pod == nil || !p.DeletionTimestamp.IsZero() || p.NodeName != "" || p.Finished():
		case failed[p.ControllerUID] && !p.daemon && p.ControllerUID != "":
			f.waiting = append(f.waiting, number)
		default:
			before := len(f.waiting)
			w.bindPod(p)
			failed[p.ControllerUID] = len(f.waiting) > before
		}
	}
}

// freed gives back the room of a pod that is gone.
func (f *Fleet) freed(p podRef, t revision.Template) {
	if f.cfg.Left != nil && p.NodeName != "" {
		f.cfg.Left(p.Pod, t)
	}
	f.Room()
}

// collect removes what has lost its owner. It reports whether there was anything.
func (f *Fleet) collect() (found bool) {
	w, s := f.w, f.w.store
	if !w.garbage {
		return false
	}
	w.garbage = false
	r := by(Collector)
	for _, rs := range slices.Clone(s.replicaSets.all()) {
		if f.lost(rs.ControllerUID) || w.leaving(rs.ControllerUID) {
			r.name, found = rs.Name, true
			remove(w, &s.replicaSets, r)
		}
	}
	for _, p := range w.allPods() {
		node := p.NodeName != "" && p.daemon && s.nodes.named(p.NodeName) == nil
		if p := w.podAt(p.number, p.daemon); p.Pod != nil && p.DeletionTimestamp.IsZero() && (f.lost(p.ControllerUID) || node) {
			found = true
			w.deletePod(p, r)
		}
	}
	for _, o := range slices.Clone(s.revisions.all()) {
		if f.lost(o.ControllerUID) {
			r.name, found = o.Name, true
			remove(w, &s.revisions, r)
		}
	}
	for _, o := range slices.Clone(s.things.all()) {
		if f.lost(o.ControllerUID) {
			r.name, found = o.Name, true
			remove(w, &s.things, r)
		}
	}
	return w.collectOwners(r) || found
}
