// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// A View is what somebody sees of a [World]: all as it is, from [World.View], or what a
// controller's caches show. It is valid until time passes or the world is changed. What it
// returns must not be changed: Deployments and ReplicaSets may be kept, other objects are valid
// as long as it is.
type View struct{ v *sim.View }

// Now is the time by the clock of whoever looks.
func (v View) Now() time.Time {
	if v.v == nil {
		return time.Time{}
	}
	return v.v.Now()
}

// list returns what the objects of a kind are to users.
func list[T, U any](v View, rows func(sim.View) []*T, of func(*T) *U) []*U {
	if v.v == nil {
		return nil
	}
	from := rows(*v.v)
	to := make([]*U, len(from))
	for i, o := range from {
		to[i] = of(o)
	}
	return to
}

// one returns what an object is to users, nil if it is not there.
func one[T, U any](v View, name string, get func(sim.View, string) *T, of func(*T) *U) *U {
	if v.v == nil {
		return nil
	}
	o := get(*v.v, name)
	if o == nil {
		return nil
	}
	return of(o)
}

func same[T any](o *T) *T { return o }

// Deployments returns all of them, in the order of their creation, as the others do.
func (v View) Deployments() []*deploy.Deployment {
	return list(v, sim.View.Deployments, func(d *sim.Deployment) *deploy.Deployment { return &d.Deployment })
}

// Deployment returns the one with a name, or nil.
func (v View) Deployment(name string) *deploy.Deployment {
	return one(v, name, sim.View.Deployment, func(d *sim.Deployment) *deploy.Deployment { return &d.Deployment })
}

// ReplicaSets returns all of them.
func (v View) ReplicaSets() []*replicaset.ReplicaSet {
	return list(v, sim.View.ReplicaSets, same)
}

// ReplicaSet returns the one with a name, or nil.
func (v View) ReplicaSet(name string) *replicaset.ReplicaSet {
	return one(v, name, sim.View.ReplicaSet, same)
}

// ReplicaSetsOf returns those that the owner with this UID controls; with "" the orphans.
func (v View) ReplicaSetsOf(uid string) []replicaset.ReplicaSet {
	if v.v == nil {
		return nil
	}
	return v.v.ReplicaSetsOf(uid)
}

// Pods returns all that belong to no DaemonSet.
func (v View) Pods() []*podorder.Pod { return list(v, sim.View.Pods, same) }

// Pod returns the one with a name, or nil.
func (v View) Pod(name string) *podorder.Pod { return one(v, name, sim.View.Pod, same) }

// PodsOf returns the pods that the owner with this UID controls; with "" the orphans. To ask
// for those of an owner is quicker than to look for them among all.
func (v View) PodsOf(uid string) []podorder.Pod {
	if v.v == nil {
		return nil
	}
	return v.v.PodsOf(uid)
}

// DaemonSets returns all of them.
func (v View) DaemonSets() []*daemonset.DaemonSet {
	return list(v, sim.View.DaemonSets, func(d *sim.DaemonSet) *daemonset.DaemonSet { return &d.DaemonSet })
}

// DaemonSet returns the one with a name, or nil.
func (v View) DaemonSet(name string) *daemonset.DaemonSet {
	return one(v, name, sim.View.DaemonSet, func(d *sim.DaemonSet) *daemonset.DaemonSet { return &d.DaemonSet })
}

// DaemonPods returns the pods of DaemonSets.
func (v View) DaemonPods() []*daemonset.Pod { return list(v, sim.View.DaemonPods, same) }

// DaemonPodsOf returns the pods that the DaemonSet with this UID controls; with "" the orphans.
func (v View) DaemonPodsOf(uid string) []daemonset.Pod {
	if v.v == nil {
		return nil
	}
	return v.v.DaemonPodsOf(uid)
}

// RevisionsOf returns the revisions that the owner with this UID controls; with "" the orphans.
func (v View) RevisionsOf(uid string) []revision.ControllerRevision {
	if v.v == nil {
		return nil
	}
	return v.v.RevisionsOf(uid)
}

// Nodes returns all of them, without what room is left, which a scheduler is told.
func (v View) Nodes() []*Node {
	return list(v, sim.View.Nodes, func(n *sim.Node) *Node {
		return &Node{Node: n.Node, Zone: n.Zone, Cordoned: n.Cordoned, NotReady: n.NotReady}
	})
}

// Sets returns the CloneSets and StatefulSets.
func (v View) Sets() []*Set {
	return list(v, sim.View.Sets, setOf)
}

// Set returns the one with a name, or nil.
func (v View) Set(name string) *Set { return one(v, name, sim.View.Set, setOf) }

func setOf(s *sim.Set) *Set {
	o := Set(s.Set)
	return &o
}

// Rollouts returns all of them.
func (v View) Rollouts() []*kruise.Rollout {
	return list(v, sim.View.Rollouts, func(r *sim.Rollout) *kruise.Rollout { return &r.Rollout })
}

// ArgoRollouts returns the Rollouts of Argo.
func (v View) ArgoRollouts() []*ArgoRollout {
	return list(v, sim.View.ArgoRollouts, func(r *sim.ArgoRollout) *ArgoRollout { o := ArgoRollout(*r); return &o })
}

// Objects returns those of a kind of your own; with "" of all of them.
func (v View) Objects(k Kind) (objects []*Object) {
	for _, o := range list(v, sim.View.Things, objectOf) {
		if k == "" || o.Kind == string(k) {
			objects = append(objects, o)
		}
	}
	return objects
}

// Object returns the one of any kind of your own with a name, or nil.
func (v View) Object(name string) *Object { return one(v, name, sim.View.Thing, objectOf) }

func objectOf(t *sim.Thing) *Object {
	o := Object(*t)
	return &o
}
