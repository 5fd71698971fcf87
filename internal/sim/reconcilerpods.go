// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

// updateDaemonSet takes over what is wanted of a DaemonSet, or its status.
func updateDaemonSet(stored, o *DaemonSet, v Verb) {
	if v == UpdateStatus {
		stored.Status = o.Status
		return
	}
	o.UID, o.Status, o.Generation, o.Labels = stored.UID, stored.Status, stored.Generation+1, stored.Labels
	o.ResourceVersion = stored.ResourceVersion
	*stored = *o
}

// updateSet does so for a set, whose revisions its controller finds.
func updateSet(stored, o *Set, v Verb) {
	if v == UpdateStatus {
		stored.Status, stored.StableRevision, stored.UpdateRevision = o.Status, o.StableRevision, o.UpdateRevision
		return
	}
	o.UID, o.Status, o.Generation, o.ResourceVersion = stored.UID, stored.Status, stored.Generation+1, stored.ResourceVersion
	o.StableRevision, o.UpdateRevision = stored.StableRevision, stored.UpdateRevision
	*stored = *o
}

// updateRevision takes over all of a revision but its data, which the API server lets nobody change.
func updateRevision(stored, o *revision.ControllerRevision, _ Verb) {
	o.UID, o.CreationTimestamp, o.ResourceVersion = stored.UID, stored.CreationTimestamp, stored.ResourceVersion
	o.Data = stored.Data
	*stored = *o
}

// writeDaemonPod is writePod for a pod of a DaemonSet, which may be updated in place.
func (f *Fleet) writeDaemonPod(r request, p daemonset.Pod) answer {
	w := f.w
	if r.verb != Create {
		closed := false
		_, a := update(w, &w.store.daemons, r, func(o *daemonset.Pod) {
			takeOver(&o.Pod, &p.Pod)
			closed = w.inPlace(o, &p)
		})
		if closed {
			w.schedulePod(w.store.podNamed(r.name, true), pull, w.delay(w.pace.start))
		}
		return a
	}
	if f.newborn(&p.Pod); !f.allows(p.Name) {
		return w.answered(forbidden)
	}
	if _, a := create(w, &w.store.daemons, r, &p); a != done {
		return a
	}
	w.beginPod(w.store.podNamed(p.Name, true))
	return done
}

// takeOver takes over what is no part of a pod's life.
func takeOver(stored, p *podorder.Pod) {
	stored.Labels, stored.Annotations = p.Labels, p.Annotations
	stored.ControllerKind, stored.ControllerName, stored.ControllerUID = p.ControllerKind, p.ControllerName, p.ControllerUID
}

// newborn makes a pod one that was just created, with a name of its own if it has none.
func (f *Fleet) newborn(p *podorder.Pod) {
	if p.Name == "" {
		p.Name = f.w.podName(p.ControllerName)
	}
	p.UID, p.CreationTimestamp, p.Ready, p.Phase = "", f.w.now, false, podorder.Pending
}

// inPlace takes over what an update in place changes, and reports whether the gate of the pod is
// closed, so that the node has to pull images. Once it is opened, nothing else keeps the pod from
// being ready whose containers are.
func (w *World) inPlace(stored, p *daemonset.Pod) (closed bool) {
	wasOpen := stored.InPlace != nil && stored.InPlace.True
	containers := slices.Clone(p.Containers)
	for i := range containers {
		containers[i].Status = nil // which is the node's
		for _, c := range stored.Containers {
			if c.Name == containers[i].Name {
				containers[i].Status = c.Status
			}
		}
	}
	stored.ReadinessGates, stored.Containers, stored.InPlace = p.ReadinessGates, containers, p.InPlace
	closed = p.InPlace != nil && !p.InPlace.True
	opens := !wasOpen && p.InPlace != nil && p.InPlace.True && containersReady(stored)
	if closed && stored.Ready || opens && !stored.Ready {
		stored.Ready, stored.ReadySince = opens, w.now
	}
	return closed
}
