// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// beforeDeployment returns the release from an old Deployment to that of the Rollout.
func (s *simulation) beforeDeployment(r *manifest.Rollout, old *manifest.Workload) (of release, err error) {
	old.Open()
	if of.assumed, err = deploymentRolledOut(old); err != nil {
		return of, err
	}
	seen := *old
	seen.ReplicaSets, seen.Pods = nil, nil
	b, err := beginningOf(&seen, r.Deployment, s.now.Time, r.Deployment.Around(podsIn(old)))
	if err != nil {
		return of, err
	}
	next := b.Wanted()
	d, limits := released(b.Deployments[0], &next)
	if d.Template.Same(next.Template) {
		return of, r.Invalid(nothingNew("Deployment"))
	}
	d.Annotations, d.Status, d.Generation, d.Paused = nil, deploy.Status{}, 1, false
	b.Deployments, b.Meta = []deploy.Deployment{d}, nil
	of.budget, of.replicas = s.deploymentBudget(r, &limits), replicasOf(&r.Workload)
	if of.Beginning, err = ofRollout(b, r); err != nil {
		return of, err
	}
	notes, _ := s.environment(r.Deployment, &seen, &of.Beginning)
	of.assumed = slices.Concat(of.assumed, asFinished(old.Pods), notes)
	return of, nil
}

func nothingNew(kind string) error {
	return fmt.Errorf("the template of its %s is that of --from, and %w", kind, errNoRelease)
}

// asFinished says that a release begins with available pods, if not all are.
func asFinished(pods []*corev1.Pod) []string {
	if slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return !kube.Pod(p).Ready }) {
		return []string{"all pods become ready before the release begins"}
	}
	return nil
}

// released returns the Deployment before the release with what the new one has beside
// the template, and its limits. They have the defaults of the API server, which come
// before the admission of Rollouts.
func released(d deploy.Deployment, wanted *deploy.Deployment) (deploy.Deployment, partition.RollingUpdate) {
	limits := partition.RollingUpdate{
		MaxSurge: cmp.Or(wanted.MaxSurge, rollout.Percent(25)), MaxUnavailable: cmp.Or(wanted.MaxUnavailable, rollout.Percent(25)),
	}
	d.Strategy = cmp.Or(d.Strategy, deploy.RollingUpdate)
	d.Replicas, d.MinReadySeconds = wanted.Replicas, wanted.MinReadySeconds
	d.MaxSurge, d.MaxUnavailable = limits.MaxSurge, limits.MaxUnavailable
	return d, limits
}

// ofRollout makes a beginning one of a release that has yet to begin.
func ofRollout(b world.Beginning, r *manifest.Rollout) (world.Beginning, error) {
	next, leads := r.Snapshot.Rollout, r.Snapshot.Traffic
	next.Status, next.Finalizers, next.Generation = kruise.Status{}, nil, 1
	leads.Canary, leads.CanaryIngress = nil, nil
	kubekruise.AddToWorld(&b.Snapshot, b.Namespace, kruise.Snapshot{Rollout: next, Traffic: leads})
	b.Kind, b.Name = sim.KindRollout, b.Rollouts[0].Name
	b, err := b.Released()
	if err != nil {
		return b, r.Invalid(err)
	}
	b.Place()
	return b, nil
}

// beforeSet returns the release from an old CloneSet or StatefulSet to the one of the Rollout. Both are alike
// except for the template.
func (s *simulation) beforeSet(r *manifest.Rollout, old *manifest.PodSet) (of release, err error) {
	if r.Workload.Template.Same(old.Set.Template) {
		return of, r.Invalid(nothingNew(r.Workload.Kind))
	}
	if of.assumed, err = setRolledOut(old); err != nil {
		return of, err
	}
	inPlace, err := r.Set.InPlace(old)
	if err != nil {
		return of, err
	}
	b := world.Beginning{Namespace: r.Set.Object.GetNamespace()}
	if b.Snapshot, err = kube.WorldAt(s.now.Time, []kube.Object{fresh(old.Object, ""), fresh(r.Set.Object, "/"+wantedUID)}); err != nil {
		return of, r.Invalid(err)
	}
	first, next := b.Sets[0], b.Sets[1]
	next.Name, next.UID, next.InPlace, next.Annotations, next.Labels = first.Name, first.UID, inPlace, nil, nil
	next.Partition, next.Paused, next.Generation = rollout.IntOrPercent{}, false, 1
	of.budget, of.replicas = setBudget(&next), next.DesiredReplicas()
	template, labels := first.Template, first.TemplateLabels
	first = next
	first.Template, first.TemplateLabels = template, labels
	b.Sets, b.Applied, b.Template = []cluster.Set{first}, []any{next}, next.Template.Hash
	if of.Beginning, err = ofRollout(b, r); err != nil {
		return of, err
	}
	of.assumed = slices.Concat(of.assumed, asFinished(old.Pods), s.believed(&of.Beginning))
	return of, nil
}

// fresh returns a copy of a set without its status, with a suffix to its name.
func fresh(o metav1.Object, more string) kube.Object {
	c := o.(kube.Object).DeepCopyObject().(kube.Object)
	c.SetName(o.GetName() + more)
	switch c := c.(type) {
	case *appsv1.StatefulSet:
		c.Status = appsv1.StatefulSetStatus{}
	case *kubekruise.CloneSetObject:
		c.Status = kubekruise.CloneSetObject{}.Status
	case *kubekruise.AdvancedStatefulSetObject:
		c.Status = kubekruise.AdvancedStatefulSetObject{}.Status
	}
	return c
}

// beforeDaemonSet returns the release from an old DaemonSet to that of the Rollout. It has as many replicas
// as nodes run a pod of it.
func (s *simulation) beforeDaemonSet(r *manifest.Rollout, old *manifest.DaemonSet) (of release, err error) {
	if of.assumed, err = daemonRolledOut(old); err != nil {
		return of, err
	}
	of.assumed = append(s.assumeNodes(r.DaemonSet, old), of.assumed...)
	if len(r.DaemonSet.Nodes) == 0 {
		return of, r.Invalid(manifest.ErrNoNode)
	}
	first, next := statusless(old.Object, ""), statusless(r.DaemonSet.Object, "/"+wantedUID)
	b := world.Beginning{Namespace: r.DaemonSet.Object.Namespace}
	if b.Snapshot, err = kube.WorldAt(s.now.Time, append(nodesOf(r.DaemonSet), first, next)); err != nil {
		return of, r.Invalid(err)
	}
	before, wanted := b.DaemonSets[0], b.DaemonSets[1]
	if before.Template.Hash == wanted.Template.Hash {
		return of, r.Invalid(nothingNew(daemonset.Kind))
	}
	wanted.Name, wanted.UID = before.Name, before.UID
	b.Template, b.DaemonSets = wanted.Template.Hash, []daemonset.DaemonSet{wanted}
	b.DaemonSets[0].Template = before.Template
	b.Applied = []any{wanted}
	if a := r.DaemonSet.Advanced; a != nil {
		free := *a // as it is when nothing is released
		free.Partition, free.Paused = nil, false
		if err = kubekruise.Advance(&b.Snapshot, first, free); err != nil {
			return of, r.Invalid(err)
		}
		advanced := b.AdvancedDaemonSets[0]
		advanced.Template = wanted.Template
		b.Applied = []any{advanced}
	}
	if of.Beginning, err = ofRollout(b, r); err != nil {
		return of, err
	}
	of.replicas = of.DaemonSet().Status.DesiredNumberScheduled
	of.budget = rollout.ResolveExact(of.replicas, wanted.MaxSurge, cmp.Or(wanted.MaxUnavailable, rollout.Int(1)))
	of.assumed = slices.Concat(of.assumed, asFinished(old.Controlled()), s.believed(&of.Beginning))
	return of, nil
}

// statusless returns a copy of a DaemonSet without status and annotations, with a suffix to its name.
func statusless(o *appsv1.DaemonSet, more string) *appsv1.DaemonSet {
	c := o.DeepCopy()
	c.Name, c.Annotations, c.Labels, c.Status, c.Generation = o.Name+more, nil, nil, appsv1.DaemonSetStatus{}, 1
	return c
}

func nodesOf(d *manifest.DaemonSet) (objects []kube.Object) {
	for _, n := range d.Nodes {
		objects = append(objects, n)
	}
	return objects
}
