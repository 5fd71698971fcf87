// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/apply"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/controllers"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// An intake stores objects in a world, as kubectl apply does.
type intake struct {
	server *apiserver.Server
	env    *controllers.Env
}

func (w *intake) put(object any) error {
	switch o := object.(type) {
	case deploy.Deployment:
		return w.putDeployment(o)
	case replicaset.ReplicaSet:
		return w.putReplicaSet(o)
	case daemonset.DaemonSet:
		return w.putDaemonSet(store.DaemonSet{DaemonSet: o})
	case cluster.AdvancedDaemonSet:
		return w.putDaemonSet(store.DaemonSet{DaemonSet: o.DaemonSet, Advanced: true})
	case kruise.Rollout:
		return w.putRollout(o)
	case cluster.ArgoRollout:
		return w.putArgoRollout(o)
	case cluster.Set:
		return w.putSet(o)
	case cluster.Object:
		return w.putObject(o)
	case cluster.Node:
		return w.putNode(o)
	case cluster.Budget:
		w.server.Budgets.Put(o)
		return nil
	case cluster.Quota:
		if o.Name == "" {
			return errors.New("a quota without a name")
		}
		w.server.Quotas.Put(o)
		return nil
	case podorder.Pod:
		return w.putPod(store.Pod{Pod: daemonset.Pod{Pod: o}})
	case daemonset.Pod:
		return w.putPod(store.Pod{Pod: o, OfDaemonSet: true})
	}
	return fmt.Errorf("no object of a world: %T", object)
}

// put creates an object, or replaces the object with the same name: keep copies the fields of the
// stored object that are not part of the wanted state.
func put[T any](w *intake, t *store.Table[T], o T, keep func(o *T, old T)) error {
	r := apiserver.By(store.User, *t.Meta(&o).Name)
	if r.Name == "" {
		return fmt.Errorf("a %v without a name", t.Kind())
	}
	if t.Get(r.Name) == nil {
		apiserver.Create(w.server, t, r, &o)
		return nil
	}
	apiserver.Update(w.server, t, r, func(old *T) {
		keep(&o, *old)
		*old = o
	})
	return nil
}

// deploymentRef returns the reference of a Rollout to a Deployment.
func deploymentRef(name string) workload.Ref {
	return workload.Ref{APIVersion: "apps/v1", Kind: deploy.Kind, Name: name}
}

func (w *intake) putDeployment(d deploy.Deployment) error {
	old := w.server.Deployments.Get(d.Name)
	if old == nil {
		d.Generation = max(d.Generation, 1)
		return put(w, &w.server.Deployments, store.Deployment{Deployment: d, CreatedAt: w.server.Agenda.Now()}, nil)
	}
	if ref := deploymentRef(d.Name); w.env.Releases(ref) {
		w.env.Admit(ref, func(o *workload.Workload) {
			o.Replicas, o.Template, o.MinReadySeconds, o.ProgressDeadlineSeconds = d.Replicas, d.Template, d.MinReadySeconds, d.ProgressDeadlineSeconds
		})
		return nil
	}
	d.UID, d.Generation, d.ResourceVersion, d.Status = old.UID, old.Generation, old.ResourceVersion, old.Status
	if number, ok := old.Annotations[revision.AnnotationRevision]; ok {
		d.Annotations = apply.With(d.Annotations, map[string]string{revision.AnnotationRevision: number})
	}
	if apiserver.Same(d, old.Deployment) {
		return nil
	}
	d.Generation++
	return put(w, &w.server.Deployments, *old, func(o *store.Deployment, _ store.Deployment) { o.Deployment = d })
}

func (w *intake) putReplicaSet(rs replicaset.ReplicaSet) error {
	rs.Generation = max(rs.Generation, 1)
	return put(w, w.server.ReplicaTable(rs.Kind), rs, func(rs *replicaset.ReplicaSet, old replicaset.ReplicaSet) {
		rs.UID, rs.Status, rs.Generation = old.UID, old.Status, old.Generation+1
		rs.CreationTimestamp = old.CreationTimestamp
		rs.ControllerKind, rs.ControllerName, rs.ControllerUID = old.ControllerKind, old.ControllerName, old.ControllerUID
	})
}

func (w *intake) putDaemonSet(d store.DaemonSet) error {
	w.env.KeepDaemonTemplate(&d.DaemonSet)
	old := w.server.DaemonSets.Get(d.Name)
	if ref := w.env.RefOfDaemonSet(d.Name); old != nil && w.env.Releases(ref) {
		w.env.Admit(ref, func(o *workload.Workload) {
			o.Template, o.MinReadySeconds = revision.Template{ID: d.Template.Hash, Hash: d.Template.Hash}, d.MinReadySeconds
		})
		return nil
	}
	if old == nil {
		d.Generation = max(d.Generation, 1)
		return put(w, &w.server.DaemonSets, d, nil)
	}
	d.UID, d.Generation, d.Status = old.UID, old.Generation, old.Status
	if apiserver.Same(d.DaemonSet, old.DaemonSet) {
		return nil
	}
	d.Generation++
	return put(w, &w.server.DaemonSets, *old, func(o *store.DaemonSet, _ store.DaemonSet) { o.DaemonSet = d.DaemonSet })
}

func (w *intake) putSet(o cluster.Set) error {
	o.Generation = max(o.Generation, 1)
	if old := w.server.Sets.Get(o.Name); old != nil && w.env.Releases(old.Ref) {
		w.env.Admit(old.Ref, func(w *workload.Workload) { w.Replicas, w.Template = o.Replicas, o.Template })
		return nil
	}
	return put(w, &w.server.Sets, store.Set{Set: o}, func(o *store.Set, old store.Set) {
		o.UID, o.Status, o.Generation = old.UID, old.Status, old.Generation+1
		o.StableRevision, o.UpdateRevision = old.StableRevision, old.UpdateRevision
	})
}

func (w *intake) putRollout(r kruise.Rollout) error {
	r.Generation = max(r.Generation, 1)
	return put(w, &w.server.Rollouts, store.Rollout{Rollout: r}, func(o *store.Rollout, old store.Rollout) {
		o.UID, o.Status, o.Generation, o.Finalizers = old.UID, old.Status, old.Generation+1, old.Finalizers
	})
}

func (w *intake) putArgoRollout(r cluster.ArgoRollout) error {
	r.Generation = max(r.Generation, 1)
	return put(w, &w.server.ArgoRollouts, r, func(r *cluster.ArgoRollout, old cluster.ArgoRollout) {
		said := r.Status
		r.UID, r.Status, r.Routes, r.Generation, r.ResourceVersion = old.UID, old.Status, old.Routes, old.Generation, old.ResourceVersion
		if !apiserver.Same(*r, old) {
			r.Generation++
		}
		r.Status.Abort, r.Status.PromoteFull = r.Status.Abort || said.Abort, r.Status.PromoteFull || said.PromoteFull
		if said.Runs != (argo.Runs{}) {
			r.Status.Runs = said.Runs
		}
	})
}

func (w *intake) putNode(o cluster.Node) error {
	if o.NotReady && o.NotReadySince.IsZero() {
		o.NotReadySince = w.server.Agenda.Now()
	}
	return put(w, &w.server.Nodes, store.Node{Node: o}, func(n *store.Node, old store.Node) {
		if n.UID = old.UID; n.NotReady && old.NotReady {
			n.NotReadySince = old.NotReadySince
		}
	})
}

func (w *intake) putObject(o cluster.Object) error {
	o.Generation = max(o.Generation, 1)
	return put(w, &w.server.Objects, o, func(o *cluster.Object, old cluster.Object) {
		o.UID, o.Status, o.Generation, o.CreationTimestamp = old.UID, old.Status, old.Generation, old.CreationTimestamp
		if !maps.Equal(o.Spec, old.Spec) {
			o.Generation++
		}
	})
}

// putPod creates a pod in any stage of its life.
func (w *intake) putPod(p store.Pod) error {
	if w.server.Pods.Get(p.Name) != nil {
		return fmt.Errorf("pod %s exists", p.Name)
	}
	p.Template = w.env.TemplateOf(&p)
	return put(w, &w.server.Pods, p, nil)
}

// load puts all objects of a snapshot into the world.
func (w *intake) load(s *cluster.Snapshot) {
	each(w, s.Nodes, func(o cluster.Node) error { return w.put(o) })
	each(w, s.Services, func(o traffic.Service) error {
		return put(w, &w.server.Services, store.Service{Service: o, OwnerUID: ownerOfService(s, o.Name)}, nil)
	})
	each(w, s.Routes, func(o traffic.Route) error { return put(w, &w.server.Routes, o, nil) })
	each(w, s.Ingresses, func(o traffic.Ingress) error { return put(w, &w.server.Ingresses, o, nil) })
	each(w, s.Deployments, w.putDeployment)
	each(w, s.ArgoRollouts, w.putArgoRollout) // before the objects that they control, as Deployments
	each(w, s.ReplicaSets, w.putReplicaSet)
	each(w, controllersIn(s), w.putReplicaSet)
	each(w, s.DaemonSets, func(o daemonset.DaemonSet) error { return w.put(o) })
	each(w, s.AdvancedDaemonSets, func(o cluster.AdvancedDaemonSet) error { return w.put(o) })
	w.loadMeta(s.Meta)
	each(w, s.Revisions, func(o revision.ControllerRevision) error { return put(w, &w.server.Revisions, o, nil) })
	each(w, s.Sets, w.putSet)
	each(w, s.Rollouts, w.putRollout)
	each(w, s.Releases, func(o batchrelease.Release) error {
		return put(w, &w.server.BatchReleases, store.BatchRelease{Release: o, OwnerUID: ownerOfRelease(s, o.Name)}, nil)
	})
	each(w, s.Objects, w.putObject)
	each(w, s.Pods, func(p podorder.Pod) error {
		return w.putPod(store.Pod{Pod: daemonset.Pod{Pod: p}, Hold: s.Held[p.Name]})
	})
	each(w, s.DaemonPods, func(p daemonset.Pod) error {
		return w.putPod(store.Pod{Pod: p, OfDaemonSet: true, Hold: s.Held[p.Name]})
	})
	w.server.Quotas.Put(s.Quotas...) // which count the usage of the pods
}

// controllersIn returns the ReplicationControllers of a snapshot, with their kind.
func controllersIn(s *cluster.Snapshot) []replicaset.ReplicaSet {
	list := slices.Clone(s.ReplicationControllers)
	for i := range list {
		list[i].Kind = replicaset.KindController
	}
	return list
}

// each puts objects, and ends the world at the first invalid one.
func each[T any](w *intake, objects []T, put func(T) error) {
	for _, o := range objects {
		if err := put(o); err != nil {
			w.server.Fail(fmt.Errorf("%v: %w", err, kplan.ErrInvalid))
		}
	}
}
