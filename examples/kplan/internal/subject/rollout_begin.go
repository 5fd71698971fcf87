// SPDX-License-Identifier: Apache-2.0

package subject

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
)

// beforeDeployment returns the release from an old Deployment to the Deployment of the Rollout.
func (s *Settings) beforeDeployment(r *manifest.Rollout, old *manifest.Workload) (*release, error) {
	old.Open()
	partial, err := deploymentRolledOut(old)
	if err != nil {
		return nil, err
	}
	seen := *old
	seen.ReplicaSets, seen.Pods = nil, nil
	j, err := deploymentJob(&seen, r.Deployment, s.Begin)
	if err != nil {
		return nil, err
	}
	of := &release{job: *j, replicas: replicasOf(&r.Workload)}
	of.own = podsIn(old)
	of.begin = func(b *world.Beginning) error {
		if err := j.begin(b); err != nil {
			return err
		}
		next := b.Wanted()
		d, limits := released(*b.Deployment(), &next)
		if d.Template.Same(next.Template) {
			return r.Invalid(nothingNew("Deployment"))
		}
		d.Annotations, d.Status, d.Generation, d.Paused = nil, deploy.Status{}, 1, false
		b.Replace(d)
		of.budget = s.deploymentBudget(r, &limits)
		ofRollout(b, r)
		return nil
	}
	of.prepare = func(b *world.Beginning, _ *sim.Config) error {
		notes, _ := s.environment(r.Deployment, &seen, b)
		of.assumed = slices.Concat(partial, asFinished(old.Pods), notes)
		return nil
	}
	return of, nil
}

func nothingNew(kind string) error {
	return fmt.Errorf("the template of its %s is that of --from, and %w", kind, errNoRelease)
}

// asFinished returns the note that a release begins with available pods, if some are not ready.
func asFinished(pods []*corev1.Pod) []string {
	if slices.ContainsFunc(pods, func(p *corev1.Pod) bool { return !kube.Pod(p).Ready }) {
		return []string{"all pods become ready before the release begins"}
	}
	return nil
}

// released returns the Deployment before the release, with all fields of the new one except the
// template, and its limits. Unset limits get the defaults of the API server, which sets them
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

// ofRollout adds a Rollout that has not begun its release.
func ofRollout(b *world.Beginning, r *manifest.Rollout) {
	next, leads := r.Snapshot.Rollout, r.Snapshot.Traffic
	next.Status, next.Finalizers, next.Generation = kruise.Status{}, nil, 1
	leads.Canary, leads.CanaryIngress = nil, nil
	kubekruise.AddToWorld(&b.Snapshot, b.Namespace, kruise.Snapshot{Rollout: next, Traffic: leads})
	b.BeginRollout(b.Namespace, next.Name)
	b.Earlier = true
}

// beforeSet returns the release from an old CloneSet or StatefulSet to the set of the Rollout.
// Only the templates differ.
func (s *Settings) beforeSet(r *manifest.Rollout, old *manifest.PodSet) (*release, error) {
	if r.Workload.Template.Same(old.Set.Template) {
		return nil, r.Invalid(nothingNew(r.Workload.Kind))
	}
	partial, err := setRolledOut(old)
	if err != nil {
		return nil, err
	}
	inPlace, err := r.Set.InPlace(old)
	if err != nil {
		return nil, err
	}
	of := &release{job: job{now: s.Begin, around: r.Around()}}
	of.replaces(old, r.Set)
	of.begin = func(b *world.Beginning) error {
		next := b.BeginSet(r.Set.Object.GetNamespace(), r.Set.Object.GetName(), inPlace)
		of.budget, of.replicas = setBudget(next), next.DesiredReplicas()
		ofRollout(b, r)
		return nil
	}
	of.prepare = func(b *world.Beginning, _ *sim.Config) error {
		of.assumed = slices.Concat(partial, asFinished(old.Pods), s.believed(r.Nodes(), b))
		return nil
	}
	return of, nil
}

// replaces sets the objects of a job to a set and the next set to apply, both without pods.
func (j *job) replaces(old, next *manifest.PodSet) {
	j.objects = []kube.Object{fresh(old.Object, next.Object, ""), fresh(next.Object, next.Object, world.Next)}
	j.own = uidsOf(old.Pods, next.Pods)
}

// fresh returns a copy of a set without its status, with the name of another set and a suffix.
func fresh(o, as metav1.Object, more string) kube.Object {
	c := o.(kube.Object).DeepCopyObject().(kube.Object)
	c.SetNamespace(as.GetNamespace())
	c.SetName(as.GetName() + more)
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

// beforeDaemonSet returns the release from an old DaemonSet to the DaemonSet of the Rollout. Its
// replicas are the desired number of scheduled pods.
func (s *Settings) beforeDaemonSet(r *manifest.Rollout, old *manifest.DaemonSet) (*release, error) {
	partial, err := daemonRolledOut(old)
	if err != nil {
		return nil, err
	}
	nodes := s.assumeNodes(r.DaemonSet, old)
	partial = append(nodes, partial...)
	if len(r.DaemonSet.Nodes) == 0 {
		return nil, r.Invalid(manifest.ErrNoNode)
	}
	first, next := statusless(old.Object, r.DaemonSet.Object.Namespace, ""), statusless(r.DaemonSet.Object, r.DaemonSet.Object.Namespace, world.Next)
	of := &release{job: job{now: s.Begin, objects: []kube.Object{first, next}, around: r.Around(), own: uidsOf(old.Controlled(), r.DaemonSet.Controlled()), apart: len(nodes) > 0}}
	of.begin = func(b *world.Beginning) error {
		if a := r.DaemonSet.Advanced; a != nil {
			free := *a // as outside a release
			free.Partition, free.Paused = nil, false
			for _, o := range []*appsv1.DaemonSet{first, next} {
				if err := kubekruise.Advance(&b.Snapshot, o, free); err != nil {
					return r.Invalid(err)
				}
			}
		}
		if b.BeginDaemonSet(first.Namespace, first.Name, true); b.DaemonSet().Template.Hash == b.Template {
			return r.Invalid(nothingNew(daemonset.Kind))
		}
		b.OnlyTemplate()
		ofRollout(b, r)
		return nil
	}
	of.prepare = func(b *world.Beginning, _ *sim.Config) error {
		wanted := b.WantedDaemonSet()
		of.replicas = b.DaemonSet().Status.DesiredNumberScheduled
		of.budget = rollout.ResolveExact(of.replicas, wanted.MaxSurge, cmp.Or(wanted.MaxUnavailable, rollout.Int(1)))
		of.assumed = slices.Concat(partial, asFinished(old.Controlled()), s.believed(r.Nodes(), b))
		return nil
	}
	return of, nil
}

// statusless returns a copy of a DaemonSet without status, labels and annotations, in a namespace
// and with a suffix to its name.
func statusless(o *appsv1.DaemonSet, namespace, more string) *appsv1.DaemonSet {
	c := o.DeepCopy()
	c.Namespace = namespace
	c.Name, c.Annotations, c.Labels, c.Status, c.Generation = o.Name+more, nil, nil, appsv1.DaemonSetStatus{}, 1
	return c
}
