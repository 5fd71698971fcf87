// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim"
)

// underWayAt returns where a release that is under way stands.
func (s *simulation) underWayAt(r *manifest.Rollout, namespace string, objects []kube.Object) (b world.Beginning, err error) {
	now := s.now.Time
	if now.IsZero() {
		now = latestOfRelease(r)
	}
	if b.Snapshot, err = kube.WorldAt(now, objects); err != nil {
		return b, r.Invalid(err)
	}
	kubekruise.AddToWorld(&b.Snapshot, namespace, r.Snapshot)
	b.Kind, b.Namespace, b.Name = sim.KindRollout, namespace, b.Rollouts[0].Name
	return b, nil
}

// deploymentUnderWay returns the release of a Deployment as it stands.
func (s *simulation) deploymentUnderWay(r *manifest.Rollout) (of release, err error) {
	if err = checkUnderWay(r); err != nil {
		return of, err
	}
	own, objects := podsIn(r.Deployment), []kube.Object(nil)
	parts := []*manifest.Workload{r.Deployment}
	for i := range r.Canaries {
		parts = append(parts, &r.Canaries[i])
	}
	for _, w := range parts {
		if err = check(w, s.now.Time); err != nil {
			return of, err
		}
		objects = append(objects, w.Deployment)
		for _, rs := range w.ReplicaSets {
			objects = append(objects, rs)
		}
		for _, p := range w.Pods {
			objects, own[p.UID] = append(objects, p), true
		}
	}
	objects = append(objects, r.Deployment.Around(own)...)
	if of.Beginning, err = s.underWayAt(r, r.Deployment.Deployment.Namespace, objects); err != nil {
		return of, err
	}
	of.Template = of.Deployments[0].Template.ID
	of.replicas, of.budget = replicasOf(&r.Workload), s.deploymentBudget(r, limitsOf(&r.Workload))
	of.assumed, _ = s.environment(r.Deployment, nil, &of.Beginning)
	return of, nil
}

// setUnderWay returns the release of a CloneSet or a StatefulSet as it stands.
func (s *simulation) setUnderWay(r *manifest.Rollout) (of release, err error) {
	set := &r.Set.Set // by its own words: the Rollout may know the revisions by other names
	switch status := &set.Status; {
	case status.ObservedGeneration < set.Generation:
		return of, r.Set.Invalid(notSeen(status.ObservedGeneration, set.Generation))
	case set.UpdateRevision == "":
		return of, r.Set.Invalid(badField("status.updateRevision", "", "must be set, because a release is under way"))
	case len(r.Set.Pods) == 0 && status.Replicas > 0:
		return of, r.Set.Invalid(errNoPods)
	}
	if err = checkProgress(r); err != nil {
		return of, err
	}
	objects := []kube.Object{r.Set.Object.(kube.Object)}
	for _, p := range r.Set.Pods {
		objects = append(objects, p)
	}
	if of.Beginning, err = s.underWayAt(r, r.Set.Object.GetNamespace(), objects); err != nil {
		return of, err
	}
	if of.Sets[0].InPlace {
		of.assumed = append(of.assumed, "pods are updated in place, as if no more than images had changed")
	}
	of.Template, of.replicas, of.budget = of.Sets[0].Template.Hash, set.DesiredReplicas(), setBudget(&of.Sets[0])
	of.assumed = append(of.assumed, s.believed(&of.Beginning)...)
	return of, nil
}

// daemonSetUnderWay returns the release of a DaemonSet as it stands.
func (s *simulation) daemonSetUnderWay(r *manifest.Rollout) (of release, err error) {
	d := r.DaemonSet
	if err = checkProgress(r); err != nil {
		return of, err
	}
	of.assumed = s.assumeNodes(d, nil)
	if len(d.Nodes) == 0 {
		return of, r.Invalid(manifest.ErrNoNode)
	}
	pods := d.Controlled()
	objects := append(nodesOf(d), d.Object)
	for _, p := range pods {
		objects = append(objects, p)
	}
	for _, v := range d.Revisions {
		objects = append(objects, v)
	}
	if of.Beginning, err = s.underWayAt(r, d.Object.Namespace, objects); err != nil {
		return of, err
	}
	template, hash := of.DaemonSets[0].Template, ""
	for _, v := range of.Revisions {
		if string(v.Data) == string(template.Data) {
			hash, _ = revision.RevisionHash(v)
		}
	}
	switch status := &d.Object.Status; {
	case hash == "" && status.ObservedGeneration < d.Object.Generation:
		return of, d.Invalid(notSeen(status.ObservedGeneration, d.Object.Generation))
	case len(pods) == 0 && status.CurrentNumberScheduled > 0:
		return of, d.Invalid(errNoPods)
	case hash == "":
		return of, d.Invalid(errors.New("the ControllerRevision of its template is not in the input"))
	}
	if d.Advanced != nil {
		if err = kubekruise.Advance(&of.Snapshot, d.Object, *d.Advanced); err != nil {
			return of, d.Invalid(err)
		}
	}
	limits := limitsOf(&r.Workload)
	of.Template, of.replicas = hash, replicasOf(&r.Workload)
	of.budget = rollout.ResolveExact(of.replicas, limits.MaxSurge, limits.MaxUnavailable)
	of.assumed = append(of.assumed, s.believed(&of.Beginning)...)
	return of, nil
}

// notSeen tells that nobody knows the name of a template that came last.
func notSeen(observed, generation int64) error {
	return badField("status.observedGeneration", observed,
		fmt.Sprintf("its controller has yet to see generation %d, and to name its template; that takes seconds", generation))
}

// errNoPods tells that nobody knows how the pods of a workload are.
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
