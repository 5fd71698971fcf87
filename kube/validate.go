// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"cmp"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/kube/internal/valid"
	"github.com/kplan-go/kplan/rollout"
)

// defaultDeadline is the value of an unset spec.progressDeadlineSeconds.
const defaultDeadline = 600

// Validate reports fields of d that the API server of Kubernetes 1.37 would reject, as far
// as they are easy to break by hand: names, numbers, strategy, the selector and its match
// with the template, and required fields of containers. The error, if any, wraps
// [kplan.ErrInvalid] and one [kplan.FieldError] for each field.
//
// Use it on manifests. Objects from an API server are valid, and [Deployment] checks the
// fields on which a plan depends.
func Validate(d *appsv1.Deployment) error {
	d = convert.Or(d)
	var es kplan.FieldErrors
	checkSpec(d, &es)
	checkDeadline(d, &es)
	checkStrategy(d, &es)
	checkObject(&d.ObjectMeta, d.Spec.Selector, &d.Spec.Template, &es)
	return es.Join()
}

func checkObject(o *metav1.ObjectMeta, s *metav1.LabelSelector, t *corev1.PodTemplateSpec, es *kplan.FieldErrors) {
	valid.Names(o, es)
	valid.Selector(s, t.Labels, es)
	valid.Template(t, es)
}

// ValidateReplicaSet is [Validate] for a ReplicaSet, or for a ReplicationController in
// its form.
func ValidateReplicaSet(rs *appsv1.ReplicaSet) error {
	rs = convert.Or(rs)
	var es kplan.FieldErrors
	notNegative(&es, "spec.replicas", rs.Spec.Replicas)
	es.NotNegative("spec.minReadySeconds", rs.Spec.MinReadySeconds)
	checkObject(&rs.ObjectMeta, rs.Spec.Selector, &rs.Spec.Template, &es)
	return es.Join()
}

// ValidateDaemonSet is [Validate] for a DaemonSet. It checks the limits of its updates as
// [DaemonSet] does.
func ValidateDaemonSet(ds *appsv1.DaemonSet) error {
	ds = convert.Or(ds)
	var es kplan.FieldErrors
	es.NotNegative("spec.minReadySeconds", ds.Spec.MinReadySeconds)
	notNegative(&es, "spec.revisionHistoryLimit", ds.Spec.RevisionHistoryLimit)
	checkObject(&ds.ObjectMeta, ds.Spec.Selector, &ds.Spec.Template, &es)
	return es.Join()
}

func checkDeadline(d *appsv1.Deployment, es *kplan.FieldErrors) {
	deadline := int32(defaultDeadline)
	if d.Spec.ProgressDeadlineSeconds != nil {
		deadline = *d.Spec.ProgressDeadlineSeconds
	}
	if deadline >= 0 && deadline <= d.Spec.MinReadySeconds {
		es.Add("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")
	}
}

// checkStrategy checks the limits as written: 1% of 10 pods rounds to 0, but is not 0.
func checkStrategy(d *appsv1.Deployment, es *kplan.FieldErrors) {
	rolling := d.Spec.Strategy.RollingUpdate
	if rolling == nil {
		return
	}
	if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		es.Add("spec.strategy.rollingUpdate", "", "must not be set if the strategy is Recreate")
		return
	}
	before := len(*es)
	surge, unavailable := limits(d, es)
	if len(*es) > before {
		return
	}
	checkSign(es, convert.PathSurge, rolling.MaxSurge)
	checkSign(es, convert.PathUnavailable, rolling.MaxUnavailable)
	surge = cmp.Or(surge, rollout.Percent(25))
	unavailable = cmp.Or(unavailable, rollout.Percent(25))
	if surge.Of(100) == 0 && unavailable.Of(100) == 0 {
		es.Add(convert.PathUnavailable, unavailable, "must not be 0 if maxSurge is 0")
	}
	if isPercent(rolling.MaxUnavailable) && unavailable.Of(100) > 100 {
		es.Add(convert.PathUnavailable, unavailable, "must not be more than 100%")
	}
}

// checkSign reports a sign in front of a percentage, as in +5% or -0%, which a
// plan understands but the API server does not.
func checkSign(es *kplan.FieldErrors, path string, v *intstr.IntOrString) {
	if isPercent(v) && (v.StrVal[0] == '+' || v.StrVal[0] == '-') {
		es.Add(path, v.StrVal, "must be a percentage without a sign")
	}
}

// isPercent is called for limits that have been parsed, which are not empty.
func isPercent(v *intstr.IntOrString) bool { return v != nil && v.Type == intstr.String }
