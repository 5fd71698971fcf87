package kube

import (
	"cmp"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// DefaultDeployment returns a copy of d in which fields of the spec have the values that
// the API server stores if they are not set. They are those that decide about a rollout:
// replicas, the strategy and its limits, the length of the history and the progress
// deadline. Pass objects that do not come from an API server through it, such as manifests:
// [Deployment] reads them as the controller does, to which an unset revisionHistoryLimit is
// no limit, an unset deadline none, and an unset maxSurge 0.
//
// It mirrors SetDefaults_Deployment of the apps/v1 API of Kubernetes 1.36.3. The pod
// template stays as it is.
func DefaultDeployment(d *appsv1.Deployment) *appsv1.Deployment {
	if d == nil {
		return nil
	}
	d = d.DeepCopy()
	s := &d.Spec
	s.Replicas = orNew(s.Replicas, 1)
	s.RevisionHistoryLimit = orNew(s.RevisionHistoryLimit, 10)
	s.ProgressDeadlineSeconds = orNew(s.ProgressDeadlineSeconds, 600)
	s.Strategy.Type = cmp.Or(s.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)
	if s.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType {
		return d
	}
	if s.Strategy.RollingUpdate == nil {
		s.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{}
	}
	limits := s.Strategy.RollingUpdate
	limits.MaxSurge = orNew(limits.MaxSurge, intstr.FromString("25%"))
	limits.MaxUnavailable = orNew(limits.MaxUnavailable, intstr.FromString("25%"))
	return d
}

// orNew returns p, or a pointer to the value if p is nil.
func orNew[T any](p *T, unset T) *T {
	if p == nil {
		return &unset
	}
	return p
}
