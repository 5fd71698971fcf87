// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// beforeRelease returns where a release of a Deployment begins: with what ran before, available, and with
// the new one that is applied to it.
func (s *simulation) beforeRelease(r *manifest.Rollout, old *manifest.Workload) (b world.Beginning, err error) {
	seen := *old
	seen.ReplicaSets, seen.Pods = nil, nil
	if b, err = beginningOf(&seen, r.Deployment, s.now.Time, r.Deployment.Around(podsIn(old))); err != nil {
		return b, err
	}
	next := b.Wanted()
	d, _ := released(b.Deployments[0], &next)
	if d.Template.Same(next.Template) {
		return b, r.Invalid(fmt.Errorf("the template of its Deployment is that of --from, and %w", errNoRelease))
	}
	d.Annotations, d.Status, d.Generation, d.Paused = nil, deploy.Status{}, 1, false
	b.Deployments, b.Meta = []deploy.Deployment{d}, nil
	return ofRollout(b, r)
}

// ofRollout makes a beginning one of a release that has yet to begin.
func ofRollout(b world.Beginning, r *manifest.Rollout) (world.Beginning, error) {
	next := r.Snapshot.Rollout
	next.Status, next.Finalizers, next.Generation = kruise.Status{}, nil, 1
	t := r.Snapshot.Traffic
	t.Canary, t.CanaryIngress = nil, nil
	kubekruise.AddToWorld(&b.Snapshot, b.Namespace, kruise.Snapshot{Rollout: next, Traffic: t})
	b.Kind, b.Name = sim.KindRollout, b.Rollouts[0].Name
	b, err := b.Released()
	if err != nil {
		return b, r.Invalid(err)
	}
	b.Place()
	return b, nil
}

// beforeSetRelease returns that of a CloneSet or a StatefulSet, which has all but the template of the new one.
func (s *simulation) beforeSetRelease(r *manifest.Rollout, old *manifest.PodSet) (b world.Beginning, err error) {
	inPlace, err := r.Set.InPlace(old)
	if err != nil {
		return b, err
	}
	now := s.now.Time
	if b.Snapshot, err = kube.WorldAt(now, []kube.Object{statusless(old.Object, ""), statusless(r.Set.Object, "/"+wantedUID)}); err != nil {
		return b, r.Invalid(err)
	}
	before, next := b.Sets[0], b.Sets[1]
	if before.Template.Same(next.Template) {
		return b, r.Invalid(fmt.Errorf("the template of its %s is that of --from, and %w", r.Workload.Kind, errNoRelease))
	}
	next.Name, next.UID, next.InPlace, next.Annotations, next.Labels = before.Name, before.UID, inPlace, nil, nil
	next.Partition, next.Paused, next.Generation = rollout.IntOrPercent{}, false, 1
	first := next
	first.Template, first.TemplateLabels = before.Template, before.TemplateLabels
	b.Sets, b.Applied, b.Template = []cluster.Set{first}, []any{next}, next.Template.Hash
	b.Namespace = r.Set.Object.GetNamespace()
	return ofRollout(b, r)
}

// statusless returns a set without its status, with something behind its name.
func statusless(o metav1.Object, more string) kube.Object {
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

// deploymentUnderWay returns where the release of a Deployment stands.
func (s *simulation) deploymentUnderWay(r *manifest.Rollout) (b world.Beginning, err error) {
	if err = checkUnderWay(r); err != nil {
		return b, err
	}
	own := podsIn(r.Deployment)
	var objects []kube.Object
	for _, w := range append([]*manifest.Workload{r.Deployment}, each(r.Canaries)...) {
		if err = check(w, s.now.Time); err != nil {
			return b, err
		}
		objects = append(objects, kube.Default(w.Deployment))
		for _, rs := range w.ReplicaSets {
			objects = append(objects, rs)
		}
		for _, p := range w.Pods {
			objects, own[p.UID] = append(objects, p), true
		}
	}
	objects = append(objects, r.Deployment.Around(own)...)
	if b, err = s.underWayAt(r, r.Deployment.Deployment.Namespace, objects); err != nil {
		return b, err
	}
	for i := range b.Deployments {
		if d := &b.Deployments[i]; d.Name == b.Rollouts[0].WorkloadRef.Name {
			b.Template = d.Template.ID
		}
	}
	return b, nil
}

// each returns pointers to the elements of a list.
func each[T any](list []T) (pointers []*T) {
	for i := range list {
		pointers = append(pointers, &list[i])
	}
	return pointers
}

// setUnderWay returns where the release of a CloneSet or a StatefulSet stands.
func (s *simulation) setUnderWay(r *manifest.Rollout) (b world.Beginning, err error) {
	set := &r.Set.Set
	switch status := &set.Status; {
	case status.ObservedGeneration < set.Generation:
		return b, r.Set.Invalid(notSeen(status.ObservedGeneration, set.Generation))
	case set.UpdateRevision == "":
		return b, r.Set.Invalid(badField("status.updateRevision", "", "must be set, because a release is under way"))
	case len(r.Set.Pods) == 0 && status.Replicas > 0:
		return b, r.Set.Invalid(errNoPods)
	}
	if err = checkProgress(r); err != nil {
		return b, err
	}
	objects := []kube.Object{r.Set.Object.(kube.Object)}
	for _, p := range r.Set.Pods {
		objects = append(objects, p)
	}
	if b, err = s.underWayAt(r, r.Set.Object.GetNamespace(), objects); err != nil {
		return b, err
	}
	b.Template = b.Sets[0].Template.Hash
	return b, nil
}
