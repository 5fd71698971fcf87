// SPDX-License-Identifier: Apache-2.0

package sim

import (
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
	w.changePod(p, r, func(o *podorder.Pod) { o.DeletionTimestamp = w.now })
	switch {
	case !w.fair && w.chance(Termination, 0.04):
		w.count(TerminationStuck) // until the fair phase
	case !w.fair && w.chance(Termination, 0.06):
		w.count(TerminationLong)
		w.schedulePod(p, end, w.delay(w.pace.long))
	default:
		w.schedulePod(p, end, w.delay(w.pace.end))
	}
	return done
}

func (w *World) removePod(p podRef) { w.erasePod(p, by(NodeAgent)) }

func (w *World) erasePod(p podRef, r request) {
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
