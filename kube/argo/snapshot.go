// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/rollout/argo"
)

// Snapshot returns the input of [argo.Reconcile]: the ReplicaSets that o controls, and the
// Services that its strategy names. A controller that computes other hashes, as older
// releases do, is believed: if it has observed o, and no ReplicaSet has the hash of the
// template, the template has the hash of the status. The error is the one of [Rollout] and
// [ReplicaSet], or names the missing Service.
//
// Pods are only needed while o asks for a restart: see [Pods]. The routes of all steps up
// to the current one are assumed to exist.
func Snapshot(o *RolloutObject, sets []*appsv1.ReplicaSet, services []*corev1.Service) (argo.Snapshot, error) {
	o = convert.Or(o)
	r, err := Rollout(o)
	if err != nil {
		return argo.Snapshot{}, err
	}
	s := argo.Snapshot{Rollout: r}
	var es kplan.FieldErrors
	for _, rs := range sets {
		if rs == nil || rs.Namespace != o.Namespace || !metav1.IsControlledBy(rs, o) {
			continue
		}
		s.Sets = append(s.Sets, replicaSet(&es, kplan.ElementPath("replicaSets", rs.Name)+".", rs))
	}
	if hash := o.Status.CurrentPodHash; r.Status.ObservedGeneration == o.Generation && has(s.Sets, hash) && !has(s.Sets, r.TemplateHash) {
		s.Rollout.TemplateHash = hash
	}
	find := func(path, name string) *argo.Service {
		if name == "" {
			return nil
		}
		for _, service := range services {
			if service != nil && service.Name == name && service.Namespace == o.Namespace {
				return ptr.To(Service(service))
			}
		}
		es.Add(path, name, "must be the name of a Service in the input")
		return nil
	}
	switch bg, c := o.Spec.Strategy.BlueGreen, o.Spec.Strategy.Canary; {
	case bg != nil:
		s.Active = find("spec.strategy.blueGreen.activeService", bg.ActiveService)
		s.Preview = find("spec.strategy.blueGreen.previewService", bg.PreviewService)
	case c != nil:
		s.StableService = find("spec.strategy.canary.stableService", c.StableService)
		s.CanaryService = find("spec.strategy.canary.canaryService", c.CanaryService)
		if c.PingPong != nil {
			s.Ping = find("spec.strategy.canary.pingPong.pingService", c.PingPong.PingService)
			s.Pong = find("spec.strategy.canary.pingPong.pongService", c.PingPong.PongService)
		}
		if w := r.Status.Weights; w != nil && w.Verified != nil {
			s.WeightVerified = ptr.To(*w.Verified)
		}
	}
	if err := es.Join(); err != nil {
		return argo.Snapshot{}, err
	}
	s.Routes = routesSoFar(&s.Rollout)
	return s, nil
}

// has reports whether one of the ReplicaSets has a hash.
func has(sets []argo.ReplicaSet, hash string) bool {
	return slices.ContainsFunc(sets, func(set argo.ReplicaSet) bool { return set.Hash == hash })
}

// ReplicaSet returns the part of a ReplicaSet that plans read. The error wraps
// [kplan.ErrInvalid] and a [kplan.FieldError]: an annotation that cannot be read.
func ReplicaSet(rs *appsv1.ReplicaSet) (argo.ReplicaSet, error) {
	if rs == nil {
		return argo.ReplicaSet{}, nil
	}
	var es kplan.FieldErrors
	set := replicaSet(&es, "", rs)
	return set, es.Join()
}

func replicaSet(es *kplan.FieldErrors, path string, rs *appsv1.ReplicaSet) argo.ReplicaSet {
	set := argo.ReplicaSet{
		Name: rs.Name, Hash: rs.Labels[argo.HashLabel], Revision: revisionIn(rs.Annotations), ReadyReplicas: rs.Status.ReadyReplicas,
		Size:              argo.Size{Replicas: 1, AvailableReplicas: rs.Status.AvailableReplicas, StatusReplicas: rs.Status.Replicas},
		CreationTimestamp: convert.TimeOrZero(&rs.CreationTimestamp), Conditions: kube.FromReplicaSetStatus(rs.Status).Conditions,
	}
	if rs.Spec.Replicas != nil {
		set.Replicas = *rs.Spec.Replicas
	}
	if text, ok := rs.Annotations[AnnotationDesiredReplicas]; ok {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			es.Add(path+"metadata.annotations["+AnnotationDesiredReplicas+"]", text, "must be a whole number")
		}
		set.DesiredReplicas = ptr.To(int32(n))
	}
	if text, ok := rs.Annotations[AnnotationScaleDownDeadline]; ok {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			es.Add(path+"metadata.annotations["+AnnotationScaleDownDeadline+"]", text, "must be a time such as 2026-01-02T15:04:05Z")
		}
		set.ScaleDownAt = at.UTC()
	}
	return set
}

// Service returns the part of a Service that plans read.
func Service(s *corev1.Service) argo.Service {
	if s == nil {
		return argo.Service{}
	}
	_, managed := s.Annotations[AnnotationManagedBy]
	return argo.Service{Name: s.Name, Selector: s.Spec.Selector, Managed: managed}
}

// Resolve returns o with the template of the workload that it names.
func Resolve(o *RolloutObject, template *corev1.PodTemplateSpec) *RolloutObject {
	if o == nil || template == nil {
		return o
	}
	resolved := *o
	resolved.Spec.Template = *template
	return &resolved
}
