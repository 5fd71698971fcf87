// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/workload"
)

// workloadOf finds the workload of a Rollout with its ReplicaSets, revisions and pods. It reports
// whether the workload is in the input.
func (l *loader) workloadOf(r *Rollout) (found bool, err error) {
	ref := r.Snapshot.Rollout.WorkloadRef
	pods, revisions := l.podsOf(r.Namespace), l.revisionsOf(r.Namespace)
	var sets []*appsv1.ReplicaSet
	s := workload.InspectSnapshot{Style: r.Snapshot.Rollout.Style()}
	var object metav1.Object
	var canary *workload.Workload
	switch ref.Group() + "/" + ref.Kind {
	case "apps/Deployment":
		d := l.deployment(r.Namespace, ref.Name)
		if d == nil {
			return false, nil
		}
		sets = l.setsOf(d)
		object, s.Sets = d, kubekruise.Sets(d, sets)
		if s.Workload, err = kubekruise.Deployment(d, sets); err == nil {
			canary, s.CanarySets, err = l.canaryOf(d)
		}
	case "apps.kruise.io/CloneSet":
		c := named(l.cloneSets, r.Namespace, ref.Name)
		if c == nil {
			return false, nil
		}
		object = c
		s.Workload, err = kubekruise.CloneSet(c)
	case "apps/StatefulSet":
		c := named(l.statefuls, r.Namespace, ref.Name)
		if c == nil {
			return false, nil
		}
		object = c
		s.Workload, err = kubekruise.StatefulSet(c, pods)
	case "apps.kruise.io/StatefulSet":
		c := named(l.advanced, r.Namespace, ref.Name)
		if c == nil {
			return false, nil
		}
		object = c
		s.Workload, err = kubekruise.AdvancedStatefulSet(c, pods)
	case "apps/DaemonSet", "apps.kruise.io/DaemonSet":
		d := l.daemonSet(r.Namespace, ref.Name, ref.Group() != "apps")
		if d == nil {
			return false, nil
		}
		object, s.Revisions = d.Object, kubekruise.Revisions(d.Object, revisions)
		s.Workload, err = kubekruise.DaemonSet(d.Object, d.Advanced, revisions, pods)
	default:
		return false, nil
	}
	if err != nil {
		return true, err
	}
	if sets == nil {
		sets = l.setsOf(object)
	}
	l.attach(r, &s, object, sets, pods, canary)
	return true, nil
}

// attach gives a Rollout its workload and the pods of the workload.
func (l *loader) attach(r *Rollout, s *workload.InspectSnapshot, object metav1.Object, sets []*appsv1.ReplicaSet, pods []*corev1.Pod, canary *workload.Workload) {
	ours := s.Workload.Template.Hash
	nameRevision(s, &r.Snapshot.Rollout.Status)
	r.Workload, r.Snapshot.Workload = s.Workload, new(workload.Inspect(*s))
	r.Pods = ownedBy(object, sets, pods)
	if br := r.Snapshot.BatchRelease; br != nil {
		batchPods := renamed(kubekruise.Pods(object, sets, pods), ours, r.Workload.Template.Hash)
		r.Batch = &batchrelease.Snapshot{
			Release: *br, Workload: &r.Workload, Canary: canary, Pods: batchPods, StableSet: stableSet(s.Sets),
			Autoscaler: l.autoscalerOf(r.Namespace, r.Snapshot.Rollout.WorkloadRef),
		}
	}
}

// canaryOf returns the newest canary Deployment of d that is not being deleted, and its
// ReplicaSets.
func (l *loader) canaryOf(d *appsv1.Deployment) (*workload.Workload, []workload.Set, error) {
	var newest *appsv1.Deployment
	for _, source := range l.deployments {
		h := source.object
		if h.namespace != d.Namespace || h.canaryOf != d.Name {
			continue
		}
		c := h.open()
		if c.DeletionTimestamp != nil {
			continue
		}
		if newest == nil || newest.CreationTimestamp.Before(&c.CreationTimestamp) {
			newest = c
		}
	}
	if newest == nil {
		return nil, nil, nil
	}
	sets := l.setsOf(newest)
	w, err := kubekruise.Deployment(newest, sets)
	return &w, kubekruise.Sets(newest, sets), err
}

// stableSet returns the name of the oldest ReplicaSet with pods, or "".
func stableSet(sets []workload.Set) string {
	usable := slices.DeleteFunc(slices.Clone(sets), func(s workload.Set) bool { return s.Replicas == 0 || !s.DeletionTimestamp.IsZero() })
	if len(usable) == 0 {
		return ""
	}
	return slices.MinFunc(usable, func(a, b workload.Set) int {
		if c := a.CreationTimestamp.Compare(b.CreationTimestamp); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	}).Name
}

// autoscalerOf returns the autoscaler that targets a workload, or that did before a rollout
// disabled it.
func (l *loader) autoscalerOf(namespace string, ref workload.Ref) *batchrelease.Autoscaler {
	for _, source := range l.autoscalers {
		a := source.object
		t := a.Spec.ScaleTargetRef
		if a.Namespace == namespace && t.Kind == ref.Kind && strings.TrimSuffix(t.Name, batchrelease.AutoscalerSuffix) == ref.Name {
			return &batchrelease.Autoscaler{Name: a.Name, TargetName: t.Name}
		}
	}
	return nil
}
