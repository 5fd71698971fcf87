// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

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
func (s *simulation) beforeDeployment(r *manifest.Rollout, old *manifest.Workload) (*release, error) {
	old.Open()
	partial, err := deploymentRolledOut(old)
	if err != nil {
		return nil, err
	}
	seen := *old
	seen.ReplicaSets, seen.Pods = nil, nil
	j, err := deploymentJob(&seen, r.Deployment, s.now.Time)
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
func (s *simulation) beforeSet(r *manifest.Rollout, old *manifest.PodSet) (*release, error) {
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
	of := &release{job: job{now: s.now.Time, around: r.Around()}}
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
func (s *simulation) beforeDaemonSet(r *manifest.Rollout, old *manifest.DaemonSet) (*release, error) {
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
	of := &release{job: job{now: s.now.Time, objects: []kube.Object{first, next}, around: r.Around(), own: uidsOf(old.Controlled(), r.DaemonSet.Controlled()), apart: len(nodes) > 0}}
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

// goesOn returns a release that is under way, with the given objects.
func (s *simulation) goesOn(r *manifest.Rollout, objects []kube.Object) *release {
	of := &release{job: job{now: s.now.Time, objects: objects, around: r.Around()}}
	if of.now.IsZero() {
		of.now = latestOfRelease(r)
	}
	return of
}

// stands begins a release in its current state, in the cluster with its objects.
func stands(b *world.Beginning, r *manifest.Rollout, namespace string) {
	kubekruise.AddToWorld(&b.Snapshot, namespace, r.Snapshot)
	b.BeginRollout(namespace, r.Snapshot.Rollout.Name)
}

// deploymentUnderWay returns the release of a Deployment in its current state.
func (s *simulation) deploymentUnderWay(r *manifest.Rollout) (*release, error) {
	if err := checkUnderWay(r); err != nil {
		return nil, err
	}
	var objects []kube.Object
	parts := []*manifest.Workload{r.Deployment}
	for i := range r.Canaries {
		parts = append(parts, &r.Canaries[i])
	}
	for _, w := range parts {
		if err := check(w, s.now.Time); err != nil {
			return nil, err
		}
		objects = append(objects, w.Deployment)
		for _, rs := range w.ReplicaSets {
			objects = append(objects, rs)
		}
		for _, p := range w.Pods {
			objects = append(objects, p)
		}
	}
	of := s.goesOn(r, objects)
	of.replicas, of.budget = replicasOf(&r.Workload), s.deploymentBudget(r, limitsOf(&r.Workload))
	of.begin = func(b *world.Beginning) error {
		stands(b, r, r.Deployment.Deployment.Namespace)
		b.Template = b.Deployment().Template.ID
		return nil
	}
	of.prepare = func(b *world.Beginning, _ *sim.Config) error {
		of.assumed, _ = s.environment(r.Deployment, nil, b)
		return nil
	}
	return of, nil
}

// setUnderWay returns the release of a CloneSet or a StatefulSet in its current state.
func (s *simulation) setUnderWay(r *manifest.Rollout) (*release, error) {
	set := &r.Set.Set // with its own revisions: the Rollout may use other names
	switch status := &set.Status; {
	case status.ObservedGeneration < set.Generation:
		return nil, r.Set.Invalid(notSeen(status.ObservedGeneration, set.Generation))
	case set.UpdateRevision == "":
		return nil, r.Set.Invalid(badField("status.updateRevision", "", "must be set, because a release is under way"))
	case len(r.Set.Pods) == 0 && status.Replicas > 0:
		return nil, r.Set.Invalid(errNoPods)
	}
	if err := checkProgress(r); err != nil {
		return nil, err
	}
	objects := []kube.Object{r.Set.Object.(kube.Object)}
	for _, p := range r.Set.Pods {
		objects = append(objects, p)
	}
	of := s.goesOn(r, objects)
	of.replicas = set.DesiredReplicas()
	of.begin = func(b *world.Beginning) error {
		stands(b, r, r.Set.Object.GetNamespace())
		if b.Set().InPlace {
			of.assumed = append(of.assumed, "pods are updated in place, as if no more than images had changed")
		}
		b.Template, of.budget = b.Set().Template.Hash, setBudget(b.Set())
		return nil
	}
	of.prepare = func(b *world.Beginning, _ *sim.Config) error {
		of.assumed = append(of.assumed, s.believed(r.Nodes(), b)...)
		return nil
	}
	return of, nil
}

// daemonSetUnderWay returns the release of a DaemonSet in its current state.
func (s *simulation) daemonSetUnderWay(r *manifest.Rollout) (*release, error) {
	d := r.DaemonSet
	if err := checkProgress(r); err != nil {
		return nil, err
	}
	assumed := s.assumeNodes(d, nil)
	if len(d.Nodes) == 0 {
		return nil, r.Invalid(manifest.ErrNoNode)
	}
	pods := d.Controlled()
	objects := []kube.Object{d.Object}
	for _, p := range pods {
		objects = append(objects, p)
	}
	for _, v := range d.Revisions {
		objects = append(objects, v)
	}
	of := s.goesOn(r, objects)
	of.assumed, of.apart = assumed, len(assumed) > 0
	limits := limitsOf(&r.Workload)
	of.replicas = replicasOf(&r.Workload)
	of.budget = rollout.ResolveExact(of.replicas, limits.MaxSurge, limits.MaxUnavailable)
	of.begin = func(b *world.Beginning) error {
		stands(b, r, d.Object.Namespace)
		b.Template = b.HashOfRevision()
		switch status := &d.Object.Status; {
		case b.Template == "" && status.ObservedGeneration < d.Object.Generation:
			return d.Invalid(notSeen(status.ObservedGeneration, d.Object.Generation))
		case len(pods) == 0 && status.CurrentNumberScheduled > 0:
			return d.Invalid(errNoPods)
		case b.Template == "":
			return d.Invalid(errors.New("the ControllerRevision of its template is not in the input"))
		}
		if d.Advanced != nil {
			if err := kubekruise.Advance(&b.Snapshot, d.Object, *d.Advanced); err != nil {
				return d.Invalid(err)
			}
		}
		return nil
	}
	of.prepare = func(b *world.Beginning, _ *sim.Config) error {
		of.assumed = append(of.assumed, s.believed(r.Nodes(), b)...)
		return nil
	}
	return of, nil
}

// notSeen is the error of a workload whose controller has not named its latest template yet.
func notSeen(observed, generation int64) error {
	return badField("status.observedGeneration", observed,
		fmt.Sprintf("its controller has yet to see generation %d, and to name its template; that takes seconds", generation))
}

// errNoPods is the error of a workload with an unknown state of its pods.
var errNoPods = errors.New("its pods are not in the input")

// latestOfRelease returns the latest time in the objects of a release.
func latestOfRelease(r *manifest.Rollout) time.Time {
	last := latestOf(time.Time{}, r.Pods)
	if r.Deployment != nil {
		last = later(last, latest(r.Deployment))
	}
	for i := range r.Canaries {
		last = later(last, latest(&r.Canaries[i]))
	}
	conditions := r.Snapshot.Rollout.Status.Conditions
	if sub := r.Snapshot.Rollout.Status.Sub; sub != nil {
		last = later(last, sub.LastUpdateTime)
	}
	if br := r.Snapshot.BatchRelease; br != nil {
		last = later(last, br.Status.Current.BatchReadyTime)
		conditions = slices.Concat(conditions, br.Status.Conditions)
	}
	for _, c := range conditions {
		last = later(later(last, c.LastUpdateTime), c.LastTransitionTime)
	}
	return last.UTC()
}
