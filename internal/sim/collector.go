// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"slices"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// collect removes one object whose owner is gone or, of an owner that is being deleted
// in the foreground, one dependent and at last the owner itself. It reports whether
// there was one.
func (w *World) collect() bool {
	s := w.store
	r := by(Collector)
	for _, rs := range s.replicaSets.all() {
		if w.lost(rs.ControllerUID) || w.leaving(rs.ControllerUID) {
			r.name = rs.Name
			remove(w, &s.replicaSets, r)
			return true
		}
	}
	for _, p := range s.pods.all() {
		if p.DeletionTimestamp.IsZero() && w.lost(p.ControllerUID) {
			w.deletePod(w.store.podNamed(p.Name, false), r)
			return true
		}
	}
	for _, p := range s.daemons.all() {
		if p.DeletionTimestamp.IsZero() && (w.lost(p.ControllerUID) || w.strayed(p)) {
			w.deletePod(w.store.podNamed(p.Name, true), r)
			return true
		}
	}
	for _, o := range s.revisions.all() {
		if w.lost(o.ControllerUID) {
			r.name = o.Name
			remove(w, &s.revisions, r)
			return true
		}
	}
	return w.collectOwners(r)
}

// collectReleased deletes what a Rollout that is gone has made. A BatchRelease of one that was
// deleted in between ends as any other: by its finalizer.
func (w *World) collectReleased(r request) bool {
	for _, br := range w.store.batchReleases.all() {
		if br.DeletionTimestamp.IsZero() && w.lost(br.OwnerUID) {
			r.name, r.verb = br.Name, Delete
			w.deleteBatchRelease(r)
			return true
		}
	}
	for _, s := range w.store.services.all() {
		if w.lost(s.OwnerUID) {
			r.name, r.verb = s.Name, Delete
			remove(w, &w.store.services, r)
			return true
		}
	}
	return false
}

// collectOwners removes an owner that is being deleted, when nothing keeps it.
func (w *World) collectOwners(r request) bool {
	if w.collectReleased(r) {
		return true
	}
	for _, d := range w.store.deployments.all() {
		if !d.DeletionTimestamp.IsZero() && len(d.Finalizers) == 0 {
			r.name = d.Name
			remove(w, &w.store.deployments, r)
			return true
		}
		if d.DeletionTimestamp.IsZero() && w.lost(d.OwnerUID) {
			r.name, r.verb = d.Name, Delete
			update(w, &w.store.deployments, r, func(d *Deployment) { d.DeletionTimestamp = w.now })
			return true
		}
	}
	for _, d := range w.store.daemonSets.all() {
		if !d.DeletionTimestamp.IsZero() {
			r.name = d.Name
			remove(w, &w.store.daemonSets, r)
			return true
		}
	}
	return false
}

// lost reports whether an owner is gone.
func (w *World) lost(uid string) bool { return uid != "" && uid != otherOwner && !w.owned(uid) }

// leaving reports whether an owner is being deleted in the foreground.
func (w *World) leaving(uid string) bool {
	for _, d := range w.store.deployments.all() {
		if d.UID == uid {
			return !d.DeletionTimestamp.IsZero()
		}
	}
	return false
}

// strayed reports whether a pod is bound to a node that does not exist.
func (w *World) strayed(p *daemonset.Pod) bool {
	return p.NodeName != "" && w.store.nodes.named(p.NodeName) == nil
}

// deleteReplicaSet removes a ReplicaSet. Its pods are collected; in a strict world none
// that wants or has pods may be deleted.
func (w *World) deleteReplicaSet(r request) answer {
	if rs := w.store.replicaSets.named(r.name); w.strict && rs != nil && (sizeOf(rs) != 0 || rs.Status.Replicas != 0) {
		w.fail(fmt.Errorf("delete replica set %s: it is not empty", r.name))
	}
	return remove(w, &w.store.replicaSets, r)
}

// orphanDependents takes the owner from all that an owner has, so that it is not collected.
func (w *World) orphanDependents(uid string) {
	r := by(Collector)
	for _, rs := range w.store.replicaSets.all() {
		if rs.ControllerUID == uid {
			r.name = rs.Name
			update(w, &w.store.replicaSets, r, func(rs *replicaset.ReplicaSet) { rs.ControllerKind, rs.ControllerName, rs.ControllerUID = "", "", "" })
		}
	}
	for _, p := range w.store.pods.all() {
		if p.ControllerUID == uid {
			w.changePod(w.store.podNamed(p.Name, false), r, func(p *podorder.Pod) { p.ControllerKind, p.ControllerName, p.ControllerUID = "", "", "" })
		}
	}
	for _, p := range w.store.daemons.all() {
		if p.ControllerUID == uid {
			w.changePod(w.store.podNamed(p.Name, true), r, func(p *podorder.Pod) { p.ControllerKind, p.ControllerName, p.ControllerUID = "", "", "" })
		}
	}
	for _, o := range w.store.revisions.all() {
		if o.ControllerUID == uid {
			r.name = o.Name
			update(w, &w.store.revisions, r, func(o *revision.ControllerRevision) { o.ControllerKind, o.ControllerName, o.ControllerUID = "", "", "" })
		}
	}
}

// deleteOwner deletes a Deployment as a person can: in the background, leaving its
// objects behind, or in the foreground.
func (w *World) deleteDeployment(d *Deployment) (gone bool) {
	r := by(User)
	r.name = d.Name
	switch w.random.IntN(3) {
	case 0:
		w.orphanDependents(d.UID)
	case 1:
		r.verb = Delete
		update(w, &w.store.deployments, r, func(d *Deployment) { d.DeletionTimestamp = w.now; d.Generation++ })
		return false
	}
	remove(w, &w.store.deployments, r)
	return true
}

// deleteBatchRelease marks a BatchRelease that has finalizers, and removes others.
func (w *World) deleteBatchRelease(r request) answer {
	_, o, a := lookup(&w.store.batchReleases, &r)
	switch {
	case a != done:
		return w.answered(a)
	case len(o.Finalizers) == 0:
		return remove(w, &w.store.batchReleases, r)
	case !o.DeletionTimestamp.IsZero():
		return done
	}
	_, a = update(w, &w.store.batchReleases, r, func(br *BatchRelease) { br.DeletionTimestamp = w.now; br.Generation++ })
	return a
}

// owned reports whether a UID is that of an object that owns others.
func (w *World) owned(uid string) bool {
	s := w.store
	return slices.ContainsFunc(s.deployments.all(), func(o *Deployment) bool { return o.UID == uid }) ||
		slices.ContainsFunc(s.replicaSets.all(), func(o *replicaSet) bool { return o.UID == uid }) ||
		slices.ContainsFunc(s.daemonSets.all(), func(o *DaemonSet) bool { return o.UID == uid }) ||
		slices.ContainsFunc(s.sets.all(), func(o *Set) bool { return o.UID == uid }) ||
		slices.ContainsFunc(s.rollouts.all(), func(o *Rollout) bool { return o.UID == uid }) ||
		slices.ContainsFunc(s.batchReleases.all(), func(o *BatchRelease) bool { return o.UID == uid })
}

// otherOwner is the UID of an owner that nobody here controls. It is never collected.
const otherOwner = "other-owner"
