// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"cmp"
	"time"

	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
)

// deletePod asks for the end of a pod: it is marked, and ends later. One without a
// node is gone at once.
func (w *World) deletePod(p podRef, r request) answer {
	r.verb, r.name = Delete, p.Name
	if a := r.pre.met(&p.UID, &p.ResourceVersion); a != done {
		return w.refused(&r, a)
	}
	if p.NodeName == "" {
		w.erasePod(p, r)
		return done
	}
	if !p.DeletionTimestamp.IsZero() {
		return done
	}
	r.stage = cmp.Or(r.stage, Terminating)
	w.changePod(p, r, func(o *podorder.Pod) { o.DeletionTimestamp = w.now })
	switch {
	case !w.fair && w.chance(Termination, 0.04):
		w.count(TerminationStuck) // until the fair phase
	case !w.fair && w.chance(Termination, 0.06):
		w.count(TerminationLong)
		w.schedulePod(p, end, w.delay(w.pace.long))
	case w.fleet != nil:
		w.schedulePod(p, end, w.fleet.takes(p, Gone))
	default:
		w.schedulePod(p, end, w.delay(w.pace.end))
	}
	return done
}

func (w *World) removePod(p podRef) { w.erasePod(p, by(NodeAgent)) }

func (w *World) erasePod(p podRef, r request) {
	if w.fleet != nil {
		r.stage = Gone
		defer w.fleet.freed(p.UID, p.NodeName)
	}
	if w.room != nil || w.rationed() {
		defer w.freed(podRef{ptr.To(*p.Pod), p.number, p.daemon})
	}
	if p.daemon {
		erase(w, &w.store.daemons, &r, p.number)
	} else {
		erase(w, &w.store.pods, &r, p.number)
	}
}

// freed lets those go on that a pod has stood in the way of.
func (w *World) freed(p podRef) {
	for _, o := range w.room.give(p) {
		w.schedulePod(o, bind, w.delay(w.pace.schedule))
	}
	if !w.rationed() {
		return
	}
	for _, c := range w.controllers {
		switch c.Role {
		case ReplicaSetController, SetController:
			c.resync()
		}
	}
}

// freed gives back the room of a pod that is gone.
func (f *Fleet) freed(uid, node string) {
	if f.cfg.Left != nil && node != "" {
		f.cfg.Left(uid)
	}
	f.Room()
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
		p := w.store.podAt(number>>1, number&1 == 1)
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
