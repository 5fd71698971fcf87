// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"time"

	"github.com/kplan-go/kplan/podorder"
)

// takes returns how long a pod takes until a stage.
func (f *Fleet) takes(p podRef, s Stage) time.Duration {
	if f.cfg.Takes == nil {
		return 0
	}
	return max(0, f.cfg.Takes(s, p.Pod, f.w.store.templateOf(p), f.w.random.Float64()))
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
	return f.cfg.Place(p.Pod, f.w.store.templateOf(p), pinned)
}

// bound assigns a pod to a node, which pulls its images unless it has them.
func (f *Fleet) bound(p podRef, node string) {
	r := by(Scheduler)
	r.stage = Scheduled
	f.w.changePod(p, r, func(p *podorder.Pod) { p.NodeName = node })
	f.begins(f.w.store.podAt(p.number, p.daemon))
}

// begins lets a pod start that is bound.
func (f *Fleet) begins(p podRef) {
	if p.Phase == podorder.Running { // started before
		f.becomesReady(p)
		return
	}
	i := image{p.NodeName, f.w.store.templateOf(p).ID}
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

// launched is when the containers of a pod run.
func (f *Fleet) launched(p podRef) {
	if p.Phase == podorder.Running {
		return
	}
	r := by(NodeAgent)
	r.stage = Started
	f.w.changePod(p, r, func(p *podorder.Pod) { p.Phase = podorder.Running })
	f.becomesReady(f.w.store.podAt(p.number, p.daemon))
}

// becomesReady enters the instant at which a pod that runs is ready.
func (f *Fleet) becomesReady(p podRef) {
	w := f.w
	if f.cfg.NeverReady != nil && f.cfg.NeverReady(p.Pod, w.store.templateOf(p)) {
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
