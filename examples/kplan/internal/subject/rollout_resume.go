// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim"
)

// goesOn returns a release that is under way, with the given objects.
func (s *Settings) goesOn(r *manifest.Rollout, objects []kube.Object) *release {
	of := &release{job: job{now: s.Begin, objects: objects, around: r.Around()}}
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
func (s *Settings) deploymentUnderWay(r *manifest.Rollout) (*release, error) {
	if err := checkUnderWay(r); err != nil {
		return nil, err
	}
	var objects []kube.Object
	parts := []*manifest.Workload{r.Deployment}
	for i := range r.Canaries {
		parts = append(parts, &r.Canaries[i])
	}
	for _, w := range parts {
		if err := check(w, s.Begin); err != nil {
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
func (s *Settings) setUnderWay(r *manifest.Rollout) (*release, error) {
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
func (s *Settings) daemonSetUnderWay(r *manifest.Rollout) (*release, error) {
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
		last = Later(last, latest(r.Deployment))
	}
	for i := range r.Canaries {
		last = Later(last, latest(&r.Canaries[i]))
	}
	conditions := r.Snapshot.Rollout.Status.Conditions
	if sub := r.Snapshot.Rollout.Status.Sub; sub != nil {
		last = Later(last, sub.LastUpdateTime)
	}
	if br := r.Snapshot.BatchRelease; br != nil {
		last = Later(last, br.Status.Current.BatchReadyTime)
		conditions = slices.Concat(conditions, br.Status.Conditions)
	}
	for _, c := range conditions {
		last = Later(Later(last, c.LastUpdateTime), c.LastTransitionTime)
	}
	return last.UTC()
}
