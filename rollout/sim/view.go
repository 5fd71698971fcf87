// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/controllers"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// A View shows a [World]: its present state, from [World.View], or the caches of a controller. It
// is valid until time passes or the world is changed. The returned objects must not be changed, and
// may be kept.
type View struct{ v controllers.View }

// Now is the time by the clock of the reader.
func (v View) Now() time.Time { return v.v.Now }

// all returns a part of each object of a table, as of the view.
func all[T, U any](v View, table func(*store.Store) *store.Table[T], part func(*T) *U) (list []*U) {
	if v.v.Store == nil {
		return nil
	}
	t := table(v.v.Store)
	for _, o := range t.AllAt(v.v.At[t.Kind()]) {
		if u := part(o); u != nil {
			list = append(list, u)
		}
	}
	return list
}

// one returns a part of an object, nil if it is not there.
func one[T, U any](v View, table func(*store.Store) *store.Table[T], name string, part func(*T) *U) *U {
	if v.v.Store == nil {
		return nil
	}
	t := table(v.v.Store)
	if o := t.GetAt(v.v.At[t.Kind()], name); o != nil {
		return part(o)
	}
	return nil
}

// of returns a part of each object of an owner.
func of[T, U any](v View, table func(*store.Store) *store.Table[T], owner string, part func(*T) *U) (list []U) {
	if v.v.Store == nil {
		return nil
	}
	t := table(v.v.Store)
	for _, o := range t.OfAt(v.v.At[t.Kind()], owner) {
		if u := part(o); u != nil {
			list = append(list, *u)
		}
	}
	return list
}

func deployments(s *store.Store) *store.Table[store.Deployment]      { return &s.Deployments }
func replicaSets(s *store.Store) *store.Table[replicaset.ReplicaSet] { return &s.ReplicaSets }
func controllersOf(s *store.Store) *store.Table[replicaset.ReplicaSet] {
	return &s.ReplicationControllers
}
func pods(s *store.Store) *store.Table[store.Pod]                        { return &s.Pods }
func daemonSets(s *store.Store) *store.Table[store.DaemonSet]            { return &s.DaemonSets }
func sets(s *store.Store) *store.Table[store.Set]                        { return &s.Sets }
func ownObjects(s *store.Store) *store.Table[cluster.Object]             { return &s.Objects }
func revisions(s *store.Store) *store.Table[revision.ControllerRevision] { return &s.Revisions }

func same[T any](o *T) *T                               { return o }
func deployment(d *store.Deployment) *deploy.Deployment { return &d.Deployment }
func daemonSet(d *store.DaemonSet) *daemonset.DaemonSet { return &d.DaemonSet }
func set(o *store.Set) *cluster.Set                     { return &o.Set }

// pod and daemonPod return a pod if it does not, or does, belong to a DaemonSet, else nil.
func pod(p *store.Pod) *podorder.Pod {
	if p.OfDaemonSet {
		return nil
	}
	return p.Plain()
}

func daemonPod(p *store.Pod) *daemonset.Pod {
	if !p.OfDaemonSet {
		return nil
	}
	return &p.Pod
}

// Deployments returns all Deployments, in the order of their creation. The other lists have the
// same order.
func (v View) Deployments() []*deploy.Deployment { return all(v, deployments, deployment) }

// Deployment returns the one with a name, or nil.
func (v View) Deployment(name string) *deploy.Deployment {
	return one(v, deployments, name, deployment)
}

// ReplicaSets returns all of them.
func (v View) ReplicaSets() []*replicaset.ReplicaSet { return all(v, replicaSets, same) }

// ReplicaSet returns the one with a name, or nil.
func (v View) ReplicaSet(name string) *replicaset.ReplicaSet { return one(v, replicaSets, name, same) }

// ReplicaSetsOf returns the ReplicaSets that the owner with this UID controls; with "" the orphans.
func (v View) ReplicaSetsOf(uid string) []replicaset.ReplicaSet { return of(v, replicaSets, uid, same) }

// ReplicationControllers returns all of them. Their Kind is replicaset.KindController.
func (v View) ReplicationControllers() []*replicaset.ReplicaSet { return all(v, controllersOf, same) }

// ReplicationController returns the one with a name, or nil.
func (v View) ReplicationController(name string) *replicaset.ReplicaSet {
	return one(v, controllersOf, name, same)
}

// Pods returns all pods that do not belong to a DaemonSet.
func (v View) Pods() []*podorder.Pod { return all(v, pods, pod) }

// Pod returns the one with a name, or nil.
func (v View) Pod(name string) *podorder.Pod { return one(v, pods, name, pod) }

// PodsOf returns the pods that the owner with this UID controls; with "" the orphans.
func (v View) PodsOf(uid string) []podorder.Pod { return of(v, pods, uid, pod) }

// Held returns the hold of the pod with a name, of a DaemonSet or not.
func (v View) Held(name string) (h cluster.PodHold) {
	if p := one(v, pods, name, same); p != nil {
		h = p.Hold
	}
	return h
}

// DaemonSets returns all of them, including DaemonSets of OpenKruise.
func (v View) DaemonSets() []*daemonset.DaemonSet { return all(v, daemonSets, daemonSet) }

// DaemonSet returns the one with a name, or nil.
func (v View) DaemonSet(name string) *daemonset.DaemonSet { return one(v, daemonSets, name, daemonSet) }

// DaemonPods returns the pods of DaemonSets.
func (v View) DaemonPods() []*daemonset.Pod { return all(v, pods, daemonPod) }

// DaemonPodsOf returns the pods that the DaemonSet with this UID controls; with "" the orphans.
func (v View) DaemonPodsOf(uid string) []daemonset.Pod { return of(v, pods, uid, daemonPod) }

// RevisionsOf returns the revisions that the owner with this UID controls; with "" the orphans.
func (v View) RevisionsOf(uid string) []revision.ControllerRevision {
	return of(v, revisions, uid, same)
}

// Nodes returns all of them.
func (v View) Nodes() []*cluster.Node {
	return all(v, func(s *store.Store) *store.Table[store.Node] { return &s.Nodes }, func(n *store.Node) *cluster.Node { return &n.Node })
}

// Sets returns the CloneSets and StatefulSets.
func (v View) Sets() []*cluster.Set { return all(v, sets, set) }

// Set returns the one with a name, or nil.
func (v View) Set(name string) *cluster.Set { return one(v, sets, name, set) }

// Rollouts returns all of them.
func (v View) Rollouts() []*kruise.Rollout {
	return all(v, func(s *store.Store) *store.Table[store.Rollout] { return &s.Rollouts }, func(r *store.Rollout) *kruise.Rollout { return &r.Rollout })
}

// ArgoRollouts returns the Rollouts of Argo.
func (v View) ArgoRollouts() []*cluster.ArgoRollout {
	return all(v, func(s *store.Store) *store.Table[cluster.ArgoRollout] { return &s.ArgoRollouts }, same)
}

// Objects returns the objects of a kind of the caller; with "" of all such kinds.
func (v View) Objects(k Kind) []*cluster.Object {
	return all(v, ownObjects, func(o *cluster.Object) *cluster.Object {
		if k != "" && o.Kind != string(k) {
			return nil
		}
		return o
	})
}

// Object returns the object with a name, of any kind of the caller, or nil.
func (v View) Object(name string) *cluster.Object { return one(v, ownObjects, name, same) }
