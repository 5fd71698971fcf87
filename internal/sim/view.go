// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// A View is what somebody sees of a fleet. What it returns must not be changed. Deployments and
// ReplicaSets stay what they are, others only until the fleet goes on.
type View struct {
	w    *World
	view [kinds]int64
	now  time.Time
}

// View is what there is.
func (f *Fleet) View() View { return View{f.w, *f.w.latest(), f.w.now} }

// Now is the time by the clock of whoever looks.
func (v View) Now() time.Time { return v.now }

// Deployments returns all of them, in the order of their creation.
func (v View) Deployments() []*Deployment { return kept(&v, &v.w.store.deployments) }

// ReplicaSets returns all of them.
func (v View) ReplicaSets() []*replicaset.ReplicaSet { return kept(&v, &v.w.store.replicaSets) }

// Pods returns all that belong to no DaemonSet.
func (v View) Pods() []*podorder.Pod { return rows(&v, &v.w.store.pods) }

// DaemonSets returns all of them.
func (v View) DaemonSets() []*DaemonSet { return rows(&v, &v.w.store.daemonSets) }

// DaemonPods returns the pods of DaemonSets.
func (v View) DaemonPods() []*daemonset.Pod { return rows(&v, &v.w.store.daemons) }

// Nodes returns all of them.
func (v View) Nodes() []*Node { return rows(&v, &v.w.store.nodes) }

// Sets returns the CloneSets and StatefulSets.
func (v View) Sets() []*Set { return rows(&v, &v.w.store.sets) }

// Rollouts returns all of them.
func (v View) Rollouts() []*Rollout { return rows(&v, &v.w.store.rollouts) }

// Things returns the objects of other kinds.
func (v View) Things() []*Thing { return rows(&v, &v.w.store.things) }

func rows[T any](v *View, t *table[T]) []*T { return slices.Clip(t.at(v.view[t.kind])) }

// kept is rows for whoever keeps the objects, as they are not to change then.
func kept[T any](v *View, t *table[T]) []*T {
	rows := slices.Clone(rows(v, t))
	for i, o := range rows {
		rows[i] = ptr.To(*o)
	}
	return rows
}

// one returns an object for whoever keeps it, or nil.
func one[T any](v *View, t *table[T], name string) *T {
	if o := t.namedAt(v.view[t.kind], name); o != nil {
		return ptr.To(*o)
	}
	return nil
}

// Deployment returns the one with a name, or nil.
func (v View) Deployment(name string) *Deployment {
	return one(&v, &v.w.store.deployments, name)
}

// ReplicaSet returns the one with a name, or nil.
func (v View) ReplicaSet(name string) *replicaset.ReplicaSet {
	return one(&v, &v.w.store.replicaSets, name)
}

// Thing returns the one with a name, or nil.
func (v View) Thing(name string) *Thing {
	return v.w.store.things.namedAt(v.view[KindThing], name)
}

// Pod returns the one with a name, or nil.
func (v View) Pod(name string) *podorder.Pod {
	return v.w.store.pods.namedAt(v.view[KindPod], name)
}

// PodsOf returns the pods that an owner controls, or those that nobody does.
func (v View) PodsOf(uid string) []podorder.Pod {
	return v.w.store.pods.appendOf(nil, uid, v.view[KindPod])
}

// ReplicaSetsOf returns the ReplicaSets that an owner controls.
func (v View) ReplicaSetsOf(uid string) []replicaset.ReplicaSet {
	return v.w.store.replicaSets.appendOf(nil, uid, v.view[KindReplicaSet])
}

// DaemonSet returns the one with a name, or nil.
func (v View) DaemonSet(name string) *DaemonSet {
	return v.w.store.daemonSets.namedAt(v.view[KindDaemonSet], name)
}

// DaemonPodsOf returns the pods that a DaemonSet controls, or those that nobody does.
func (v View) DaemonPodsOf(uid string) []daemonset.Pod {
	return v.w.store.daemons.appendOf(nil, uid, v.view[KindDaemon])
}

// RevisionsOf returns the revisions that an owner controls, or those that nobody does.
func (v View) RevisionsOf(uid string) []revision.ControllerRevision {
	return v.w.store.revisions.appendOf(nil, uid, v.view[KindRevision])
}

// Set returns the one with a name, or nil.
func (v View) Set(name string) *Set {
	return v.w.store.sets.namedAt(v.view[KindSet], name)
}
