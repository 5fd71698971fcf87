// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
	"github.com/kplan-go/kplan/rollout/argo"
)

// An ArgoRollout is a Rollout of Argo with its ReplicaSets, Services and pods.
type ArgoRollout struct {
	File        string
	Object      *kubeargo.RolloutObject // with the template of the workload that it names
	ReplicaSets []*appsv1.ReplicaSet
	Services    []*corev1.Service
	Pods        []*corev1.Pod // of the ReplicaSets
	Snapshot    argo.Snapshot
	Scaled      Scaling // by an autoscaler
	// Workload is an equivalent Deployment, with the same pods, nodes and limits.
	Workload Workload
}

// Name returns the kind and name of the Rollout, for messages.
func (r *ArgoRollout) Name() string { return describe("Rollout", r.Object.Name) }

// Key identifies the Rollout among all Rollouts.
func (r *ArgoRollout) Key() string { return key(r.Object) }

// Invalid returns err as an error of the Rollout.
func (r *ArgoRollout) Invalid(err error) error {
	return &Error{File: r.File, Object: r.Name(), Err: err}
}

// At returns the snapshot at a time, which decides the pods that are available.
func (r *ArgoRollout) At(now time.Time) argo.Snapshot {
	s := r.Snapshot
	s.Pods = kubeargo.Pods(r.Object, r.ReplicaSets, r.Pods, now)
	return s
}

// Placed returns the kind, namespace and name of the Rollout, for notes.
func (r *ArgoRollout) Placed() string { return placed("Rollout", headOf(r.Object)) }

// ID returns the ID of the Rollout.
func (r *ArgoRollout) ID() ID {
	return ID{"Rollout", "argoproj.io", r.Object.Namespace, r.Object.Name}
}

// loadArgo returns the Rollouts of Argo with the objects that they need. It removes their
// ReplicaSets from the list, so that no Deployment gets them.
func (l *loader) loadArgo(around *surroundings) (list []ArgoRollout, err error) {
	taken := names{}
	for _, source := range l.argo {
		r := ArgoRollout{File: source.file, Object: source.object}
		if r.Object.Name == "" {
			return nil, r.Invalid(&kplan.FieldError{Path: "metadata.name", Value: "", Detail: "must be set"})
		}
		if err := taken.take(r.Key(), r.File); err != nil {
			return nil, r.Invalid(err)
		}
		identify(&r.Object.ObjectMeta, "argo/")
		if err := l.completeArgo(&r, around); err != nil {
			if err = l.reject(r.ID(), r.Invalid(err)); err != nil {
				return nil, err
			}
			continue
		}
		snapshot := &r.Snapshot
		if at := snapshot.Rollout.RestartAt; len(r.Pods) == 0 && !at.Equal(snapshot.Rollout.Status.RestartedAt) && slices.ContainsFunc(snapshot.Sets, argoHasPods) {
			l.notes = append(l.notes, fmt.Sprintf("%s: %s: spec.restartAt asks for a restart, and its pods are not in the input: plan takes them for restarted", r.File, r.Name()))
		}
		list = append(list, r)
	}
	return list, nil
}

// completeArgo adds the template, ReplicaSets, pods and Services of a Rollout.
func (l *loader) completeArgo(r *ArgoRollout, around *surroundings) (err error) {
	if err := l.resolve(r); err != nil {
		return err
	}
	if err := kubeargo.Validate(r.Object); err != nil {
		return err
	}
	r.Scaled = l.autoscale("Rollout", r.Object, &r.Object.Spec.Replicas)
	if text := r.Object.Status.ObservedGeneration; text != "" {
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			l.notes = append(l.notes, fmt.Sprintf("%s: %s: status.observedGeneration %q is no number, as before Argo Rollouts 0.10: which generation was seen is not known", r.File, r.Name(), text))
		}
	}
	l.takeArgo(r)
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: r.Object.Namespace, Name: r.Object.Name, UID: r.Object.UID}}
	d.Spec.Replicas, d.Spec.Selector, d.Spec.Template = r.Object.Spec.Replicas, r.Object.Spec.Selector, r.Object.Spec.Template
	r.Workload = Workload{
		File: r.File, Deployment: d, kind: "Rollout", surroundings: around, scaled: r.Scaled,
		ReplicaSets: r.ReplicaSets, Pods: r.Pods,
	}
	l.notes = append(l.notes, l.argoServices(r)...)
	r.Snapshot, err = kubeargo.Snapshot(r.Object, r.ReplicaSets, r.Services)
	return err
}

func argoHasPods(set argo.ReplicaSet) bool { return set.StatusReplicas > 0 }

// resolve gives a Rollout the template of the workload in its workloadRef.
func (l *loader) resolve(r *ArgoRollout) error {
	ref := r.Object.Spec.WorkloadRef
	if ref == nil {
		return nil
	}
	if ref.Kind == "Deployment" {
		if d := l.deployment(r.Object.Namespace, ref.Name); d != nil {
			r.Object = kubeargo.Resolve(r.Object, &d.Spec.Template)
			return nil
		}
	}
	return &kplan.FieldError{Path: "spec.workloadRef", Value: ref.Kind + " " + ref.Name, Detail: "must name a Deployment in the input"}
}

// takeArgo gives a Rollout its ReplicaSets and their pods.
func (l *loader) takeArgo(r *ArgoRollout) {
	own := func(h *heldSet) bool {
		return h.namespace == r.Object.Namespace && h.controlled && h.controller == r.Object.UID
	}
	for _, rs := range l.replicaSets {
		if own(rs.object) {
			r.ReplicaSets = append(r.ReplicaSets, rs.object.pin())
		}
	}
	l.replicaSets = slices.DeleteFunc(l.replicaSets, func(rs source[heldSet]) bool { return own(rs.object) })
	for _, p := range l.pods {
		for _, rs := range r.ReplicaSets {
			if metav1.IsControlledBy(p.object, rs) {
				r.Pods = append(r.Pods, p.object)
			}
		}
	}
}

// argoServices gives a Rollout the Services that it names. It makes up a Service that is not in the
// input, with a selector that agrees with the status.
func (l *loader) argoServices(r *ArgoRollout) (notes []string) {
	status := &r.Object.Status
	type wanted struct{ name, selects string }
	var list []wanted
	switch bg, c := r.Object.Spec.Strategy.BlueGreen, r.Object.Spec.Strategy.Canary; {
	case bg != nil:
		list = []wanted{{bg.ActiveService, status.BlueGreen.ActiveSelector}, {bg.PreviewService, status.BlueGreen.PreviewSelector}}
	case c != nil:
		list = []wanted{{c.StableService, status.StableRS}, {c.CanaryService, status.CurrentPodHash}}
		if p := c.PingPong; p != nil && status.Canary.StablePingPong == string(argo.Ping) {
			list = append(list, wanted{p.PingService, status.StableRS}, wanted{p.PongService, status.CurrentPodHash})
		} else if p != nil {
			list = append(list, wanted{p.PongService, status.StableRS}, wanted{p.PingService, status.CurrentPodHash})
		}
	}
	for _, w := range list {
		if w.name == "" {
			continue
		}
		if o := named(l.services, r.Object.Namespace, w.name); o != nil {
			r.Services = append(r.Services, o)
			continue
		}
		service := &corev1.Service{}
		service.Namespace, service.Name = r.Object.Namespace, w.name
		service.Annotations = map[string]string{kubeargo.AnnotationManagedBy: r.Object.Name}
		if w.selects != "" {
			service.Spec.Selector = map[string]string{argo.HashLabel: w.selects}
		}
		r.Services = append(r.Services, service)
		if len(r.ReplicaSets) > 0 {
			notes = append(notes, fmt.Sprintf("%s: %s: Service %q is not in the input and taken to select what the status says", r.File, r.Name(), w.name))
		}
	}
	return notes
}
