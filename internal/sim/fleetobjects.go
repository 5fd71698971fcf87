// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// put creates an object, or makes it the wanted state as applying a manifest does: keep takes
// over what is not wanted but found.
func put[T any](f *Fleet, t *table[T], o *T, keep func(old *T)) error {
	r := by(User)
	r.name = *t.key(o).name
	if r.name == "" {
		return fmt.Errorf("a %v without a name", t.kind)
	}
	if t.named(r.name) == nil {
		c := *o
		create(f.w, t, r, &c)
		return nil
	}
	update(f.w, t, r, func(old *T) {
		keep(old)
		*old = *o
	})
	return nil
}

// PutDeployment makes d the wanted state. One that a Rollout releases is admitted.
func (f *Fleet) PutDeployment(d deploy.Deployment) error {
	w := f.w
	f.wants(DeploymentController)
	f.wants(ReplicaSetController)
	old := w.store.deployments.named(d.Name)
	if old == nil {
		d.Generation = max(d.Generation, 1)
		return put(f, &w.store.deployments, &Deployment{Deployment: d, CreatedAt: w.now}, nil)
	}
	if len(w.store.rollouts.all()) > 0 {
		f.admit(old, &d)
		return nil
	}
	c := Cluster{Deployment: old.Deployment}
	c.Update(d)
	stored := *old
	version := stored.ResourceVersion
	stored.Deployment = c.Deployment
	stored.ResourceVersion = version
	if reflect.DeepEqual(&stored, old) {
		return nil
	}
	return put(f, &w.store.deployments, &stored, func(*Deployment) {})
}

// admit changes a Deployment as far as admission lets the change through.
func (f *Fleet) admit(old *Deployment, d *deploy.Deployment) {
	ref := workload.Ref{APIVersion: "apps/v1", Kind: deploy.Kind, Name: d.Name}
	f.w.admitOf(ref, func(o *workload.Workload) {
		o.Replicas, o.Template, o.MinReadySeconds, o.ProgressDeadlineSeconds = d.Replicas, d.Template, d.MinReadySeconds, d.ProgressDeadlineSeconds
	})
}

// PutReplicaSet makes rs the wanted state.
func (f *Fleet) PutReplicaSet(rs replicaset.ReplicaSet) error {
	f.wants(ReplicaSetController)
	rs.Generation = max(rs.Generation, 1)
	return put(f, &f.w.store.replicaSets, &rs, func(old *replicaSet) {
		rs.UID, rs.Status, rs.Generation = old.UID, old.Status, old.Generation+1
		rs.CreationTimestamp = old.CreationTimestamp
		rs.ControllerKind, rs.ControllerName, rs.ControllerUID = old.ControllerKind, old.ControllerName, old.ControllerUID
	})
}

// PutDaemonSet makes d the wanted state. The template of one that a Rollout releases is
// admitted.
func (f *Fleet) PutDaemonSet(d daemonset.DaemonSet) error {
	f.wants(DaemonSetController)
	w := f.w
	w.keepDaemonTemplate(&d)
	if old := w.store.daemonSets.named(d.Name); old != nil && f.releases(daemonset.Kind, d.Name) {
		w.admitOf(w.refOfDaemonSet(d.Name), func(o *workload.Workload) {
			o.Template, o.MinReadySeconds = revision.Template{ID: d.Template.Hash, Hash: d.Template.Hash}, d.MinReadySeconds
		})
		return nil
	}
	d.Generation = max(d.Generation, 1)
	o := DaemonSet{DaemonSet: d}
	return put(f, &w.store.daemonSets, &o, func(old *DaemonSet) {
		o.UID, o.Status, o.Generation, o.Labels = old.UID, old.Status, old.Generation+1, old.Labels
	})
}

// keepDaemonTemplate notes what the hash of a template of a DaemonSet stands for.
func (w *World) keepDaemonTemplate(d *daemonset.DaemonSet) {
	if w.daemonTemplates == nil {
		w.daemonTemplates = map[string]daemonset.Template{}
	}
	w.daemonTemplates[w.daemonTemplate(d.Name, d.Template.Hash)] = d.Template
}

// releases reports whether a Rollout releases a workload.
func (f *Fleet) releases(kind, name string) bool {
	return slices.ContainsFunc(f.w.store.rollouts.all(), func(r *Rollout) bool { return r.WorkloadRef.Kind == kind && r.WorkloadRef.Name == name })
}

// PutSet makes o, a CloneSet or a StatefulSet, the wanted state.
func (f *Fleet) PutSet(o Set) error {
	f.wants(SetController)
	o.Generation = max(o.Generation, 1)
	if old := f.w.store.sets.named(o.Name); old != nil && len(f.w.store.rollouts.all()) > 0 {
		f.w.admitOf(old.Ref, func(w *workload.Workload) { w.Replicas, w.Template = o.Replicas, o.Template })
		return nil
	}
	return put(f, &f.w.store.sets, &o, func(old *Set) {
		o.UID, o.Status, o.Generation = old.UID, old.Status, old.Generation+1
		o.StableRevision, o.UpdateRevision = old.StableRevision, old.UpdateRevision
	})
}

// PutRollout makes r the wanted state.
func (f *Fleet) PutRollout(r kruise.Rollout) error {
	f.wants(RolloutController)
	f.wants(BatchController)
	if r.WorkloadRef.Kind == daemonset.Kind && r.WorkloadRef.Group() == "apps" {
		f.wants(DaemonHelper)
	}
	r.Generation = max(r.Generation, 1)
	o := Rollout{Rollout: r}
	return put(f, &f.w.store.rollouts, &o, func(old *Rollout) {
		o.UID, o.Status, o.Generation, o.Finalizers = old.UID, old.Status, old.Generation+1, old.Finalizers
	})
}

// PutThing makes o the wanted state.
func (f *Fleet) PutThing(o Thing) error {
	o.Generation = max(o.Generation, 1)
	return put(f, &f.w.store.things, &o, func(old *Thing) {
		o.UID, o.Status, o.Generation, o.CreationTimestamp = old.UID, old.Status, old.Generation, old.CreationTimestamp
		if !maps.Equal(o.Spec, old.Spec) {
			o.Generation++
		}
	})
}

// PutRevision stores a revision as it is.
func (f *Fleet) PutRevision(r revision.ControllerRevision) error {
	return put(f, &f.w.store.revisions, &r, func(*revision.ControllerRevision) {})
}

// PutBatchRelease stores a BatchRelease as it is.
func (f *Fleet) PutBatchRelease(r batchrelease.Release) error {
	f.wants(RolloutController)
	return put(f, &f.w.store.batchReleases, &BatchRelease{Release: r}, func(*BatchRelease) {})
}

// PutService stores a Service as it is.
func (f *Fleet) PutService(o traffic.Service) error {
	return put(f, &f.w.store.services, &Service{Service: o}, func(*Service) {})
}

// PutRoute stores a route as it is.
func (f *Fleet) PutRoute(o traffic.Route) error {
	return put(f, &f.w.store.routes, &o, func(*traffic.Route) {})
}

// PutIngress stores an Ingress as it is.
func (f *Fleet) PutIngress(o traffic.Ingress) error {
	return put(f, &f.w.store.ingresses, &o, func(*traffic.Ingress) {})
}

// PutNode makes n what is known of a node.
func (f *Fleet) PutNode(n Node) error {
	err := put(f, &f.w.store.nodes, &n, func(old *Node) { n.UID = old.UID })
	f.Room()
	return err
}

// Cordon lets a node take no new pods, or lets it take some again.
func (f *Fleet) Cordon(name string, on bool) {
	n := f.w.store.nodes.named(name)
	if n == nil || n.Cordoned == on {
		return
	}
	f.cordoned[name] = on
	f.w.cordon(n)
	f.Room()
}

// Answers lets a node answer, or not.
func (f *Fleet) Answers(name string, on bool) {
	n := f.w.store.nodes.named(name)
	switch {
	case n == nil || n.NotReady != on:
	case on:
		f.w.nodeAnswers(name)
		f.Room()
	default:
		f.w.stopAnswering(n)
	}
}

// PutPod stores a pod as it is, whose life goes on.
func (f *Fleet) PutPod(p podorder.Pod) error {
	if f.w.store.pods.named(p.Name) != nil {
		return fmt.Errorf("pod %s exists", p.Name)
	}
	f.given = f.given || p.UID != ""
	create(f.w, &f.w.store.pods, by(User), &p)
	f.goesOn(f.w.store.podNamed(p.Name, false))
	return nil
}

// PutDaemonPod stores a pod of a DaemonSet as it is, whose life goes on.
func (f *Fleet) PutDaemonPod(p daemonset.Pod) error {
	if f.w.store.daemons.named(p.Name) != nil {
		return fmt.Errorf("pod %s exists", p.Name)
	}
	create(f.w, &f.w.store.daemons, by(User), &p)
	f.goesOn(f.w.store.podNamed(p.Name, true))
	return nil
}

func (f *Fleet) goesOn(p podRef) {
	w := f.w
	switch {
	case !p.DeletionTimestamp.IsZero():
		w.schedulePod(p, end, f.takes(p, Gone))
	case p.Finished() || p.Ready:
	case p.NodeName == "":
		w.beginPod(p)
	default:
		f.begins(p)
	}
}

// Delete deletes an object of a kind, and in time what it owns. It reports whether it was
// there.
func (f *Fleet) Delete(k Kind, name string) bool {
	w, s, r := f.w, f.w.store, by(User)
	r.name = name
	switch k {
	case KindDeployment:
		return remove(w, &s.deployments, r) == done
	case KindReplicaSet:
		return remove(w, &s.replicaSets, r) == done
	case KindDaemonSet:
		return remove(w, &s.daemonSets, r) == done
	case KindSet:
		return remove(w, &s.sets, r) == done
	case KindThing:
		return remove(w, &s.things, r) == done
	case KindArgoRollout:
		return remove(w, &s.argos, r) == done
	case KindNode:
		return remove(w, &s.nodes, r) == done
	case KindRollout:
		return f.deleteRollout(r)
	case KindPod, KindDaemon:
		p := f.pod(name)
		return p.Pod != nil && w.deletePod(p, r) == done
	}
	return false
}

// deleteRollout marks a Rollout that has finalizers, and removes others.
func (f *Fleet) deleteRollout(r request) bool {
	o := f.w.store.rollouts.named(r.name)
	if o == nil {
		return false
	}
	if len(o.Finalizers) == 0 {
		return remove(f.w, &f.w.store.rollouts, r) == done
	}
	r.verb = Delete
	_, a := update(f.w, &f.w.store.rollouts, r, func(r *Rollout) { r.DeletionTimestamp = f.w.now; r.Generation++ })
	return a == done
}

// pod returns the pod with a name, of either table.
func (f *Fleet) pod(name string) podRef {
	if p := f.w.store.podNamed(name, false); p.Pod != nil {
		return p
	}
	return f.w.store.podNamed(name, true)
}

// EvictPod deletes a pod as an eviction does. It reports whether there was one to delete.
func (f *Fleet) EvictPod(name string) bool {
	p := f.pod(name)
	if p.Pod == nil || !p.DeletionTimestamp.IsZero() {
		return false
	}
	r := by(User)
	r.stage = Evicted
	return f.w.deletePod(p, r) == done
}

// FailPod lets a pod fail that runs.
func (f *Fleet) FailPod(name string) bool {
	p := f.pod(name)
	if p.Pod == nil || p.Finished() || p.NodeName == "" {
		return false
	}
	r := by(NodeAgent)
	r.stage = Failed
	f.w.changePod(p, r, func(p *podorder.Pod) { p.Phase, p.Ready, p.ReadySince = podorder.Failed, false, f.w.now })
	return true
}

// Scale makes n the wanted size of a Deployment, ReplicaSet or set.
func (f *Fleet) Scale(k Kind, name string, n int32, who Role) bool {
	w, s, r := f.w, f.w.store, by(who)
	r.name = name
	a := notFound
	switch k {
	case KindDeployment:
		if d := s.deployments.named(name); d != nil && len(s.rollouts.all()) > 0 {
			return w.admitOf(workload.Ref{APIVersion: "apps/v1", Kind: deploy.Kind, Name: name}, func(o *workload.Workload) { o.Replicas = &n })
		}
		_, a = update(w, &s.deployments, r, func(d *Deployment) { d.Replicas, d.Generation = &n, d.Generation+1 })
	case KindReplicaSet:
		_, a = update(w, &s.replicaSets, r, func(rs *replicaSet) { rs.Replicas, rs.Generation = &n, rs.Generation+1 })
	case KindArgoRollout:
		_, a = update(w, &s.argos, r, func(o *ArgoRollout) { o.Replicas, o.Generation = &n, o.Generation+1 })
	case KindSet:
		_, a = update(w, &s.sets, r, func(o *Set) { o.Replicas, o.Generation = &n, o.Generation+1 })
	}
	return a == done
}

// Approve lets Rollouts go on that wait for a person. It reports whether there was one.
func (f *Fleet) Approve() bool { return f.w.approve() || f.approveArgo() }

// Nodes returns the nodes, in the order of their creation.
func (f *Fleet) Nodes() []*Node { return slices.Clone(f.w.store.nodes.all()) }
