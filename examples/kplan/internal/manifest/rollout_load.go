// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// errNoWorkload is the error for a Rollout without its workload.
var errNoWorkload = errors.New("its workload is not in the input")

// loadRollouts adds the Rollouts of OpenKruise with their workloads and traffic objects to a set of
// all other workloads.
func (l *loader) loadRollouts(s *Set) error {
	p := &l.progressive
	taken := names{}
	for _, source := range p.rollouts {
		r := Rollout{File: source.file, Namespace: source.object.namespace, surroundings: s.surroundings}
		r.Snapshot.Rollout = source.object.object
		if r.Snapshot.Rollout.Name == "" {
			return r.Invalid(&kplan.FieldError{Path: "metadata.name", Value: "", Detail: "must be set"})
		}
		note, err := l.admission.judge(source.object)
		if note != nil {
			l.notes = append(l.notes, r.Invalid(note).Error())
		}
		if err != nil {
			if err = l.reject(r.ID(), r.Invalid(err)); err != nil {
				return err
			}
			continue
		}
		if err := taken.take(r.Namespace+"/"+r.Snapshot.Rollout.Name, r.File); err != nil {
			return r.Invalid(err)
		}
		for _, br := range p.releases {
			if br.object.namespace == r.Namespace && br.object.object.Name == r.Snapshot.Rollout.Name {
				r.Snapshot.BatchRelease = &br.object.object
			}
		}
		found, err := l.workloadOf(&r)
		if err != nil {
			return r.Invalid(err)
		}
		if !found || l.rejected(r.WorkloadID()) {
			l.notes = append(l.notes, fmt.Sprintf("%s: skipped %s: %v", r.File, r.Name(), errNoWorkload))
			continue
		}
		if err := l.trafficOf(&r); err != nil {
			return r.Invalid(err)
		}
		r.takeDeployments(s.Workloads)
		for i := range s.PodSets {
			if set := &s.PodSets[i]; set.Object.GetNamespace() == r.Namespace && set.Set.GroupKind() == r.Workload.GroupKind() && set.Set.Name == r.Workload.Name {
				r.Set = set
			}
		}
		for i := range s.DaemonSets {
			if d := &s.DaemonSets[i]; r.Runs(d) {
				r.DaemonSet = d
			}
		}
		s.Rollouts = append(s.Rollouts, r)
	}
	return nil
}

// takeDeployments gives the Rollout the Deployments of a list that it releases.
func (r *Rollout) takeDeployments(list []Workload) {
	for _, w := range list {
		if !r.Releases(&w) {
			continue
		}
		if w.Open(); w.Deployment.Name == r.Workload.Name {
			r.Deployment = &w
		} else {
			r.Canaries = append(r.Canaries, w)
		}
	}
}

// trafficOf finds the objects that route traffic to the pods of a Rollout.
func (l *loader) trafficOf(r *Rollout) error {
	p, s := &l.progressive, &r.Snapshot
	if name := s.Rollout.Annotations[workload.AnnotationTrafficRouting]; name != "" {
		if t := named(p.routings, r.Namespace, name); t != nil {
			s.Shared = &kruise.SharedRouting{Name: t.Name, UID: string(t.UID), Phase: t.Status.Phase, Finalizers: t.Finalizers}
		}
	}
	strategy := s.Rollout.Strategy()
	if strategy == nil || len(strategy.TrafficRoutings) == 0 {
		return nil
	}
	routing := &strategy.TrafficRoutings[0]
	s.Traffic.Stable = l.service(r.Namespace, routing.Service)
	s.Traffic.Canary = l.service(r.Namespace, routing.Service+"-canary")
	if ref := routing.Ingress; ref != nil {
		s.Traffic.Ingress = l.ingress(r.Namespace, ref.Name)
		s.Traffic.CanaryIngress = l.ingress(r.Namespace, ref.Name+"-canary")
	}
	if ref := routing.Gateway; ref != nil && ref.HTTPRouteName != nil {
		if o := named(p.routes, r.Namespace, *ref.HTTPRouteName); o != nil {
			route, err := kubekruise.HTTPRoute(o)
			if err != nil {
				return err
			}
			s.Traffic.Route = &route
		}
	}
	return nil
}

func (l *loader) service(namespace, name string) *traffic.Service {
	if o := named(l.services, namespace, name); o != nil {
		return new(kubekruise.Service(o))
	}
	return nil
}

func (l *loader) ingress(namespace, name string) *traffic.Ingress {
	if o := named(l.ingresses, namespace, name); o != nil {
		return new(kubekruise.Ingress(o))
	}
	return nil
}

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

// nameRevision sets the revision of the template of a Deployment to the hash that the Rollout uses.
// OpenKruise computes it with the API types it was built with, so it may differ from our hash and
// from the pod-template-hash label of ReplicaSets. During a release that is not cancelled, the
// status shows which label belongs to the revision.
func nameRevision(s *workload.InspectSnapshot, status *kruise.Status) {
	i := slices.IndexFunc(status.Conditions, func(c kplan.Condition) bool { return c.Type == workload.ConditionProgressing })
	if status.Phase != kruise.PhaseProgressing || i < 0 || status.Sub == nil || status.Sub.Revision == "" {
		return
	}
	switch status.Conditions[i].Reason {
	case kruise.ProgressInRolling, kruise.ProgressPaused, kruise.ProgressFinalising:
	default:
		return
	}
	w := &s.Workload
	for _, set := range slices.Concat(s.Sets, s.CanarySets) {
		if hash := set.Template.Hash; set.Template.Same(w.Template) && hash != "" && hash == status.Sub.PodTemplateHash {
			w.Template.Hash, w.UpdateRevision = status.Sub.Revision, status.Sub.Revision
		}
	}
}

// renamed replaces one template hash of pods by another one.
func renamed(pods []workload.Pod, from, to string) []workload.Pod {
	for i := range pods {
		if pods[i].TemplateHash == from {
			pods[i].TemplateHash = to
		}
	}
	return pods
}
