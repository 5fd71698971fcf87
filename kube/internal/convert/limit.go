// SPDX-License-Identifier: Apache-2.0

package convert

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
)

// IntOrPercent converts v as kube.IntOrPercent does.
func IntOrPercent(v *intstr.IntOrString) (rollout.IntOrPercent, error) {
	switch {
	case v == nil:
		return rollout.IntOrPercent{}, nil
	case v.Type != intstr.Int && v.Type != intstr.String:
		return rollout.IntOrPercent{}, &kplan.FieldError{Value: int64(v.Type), Detail: "must be the type of a number or of a text"}
	}
	return rollout.FromIntOrString(v.Type != intstr.Int, v.IntVal, v.StrVal)
}

// Limit returns v. It adds an error if v is no number or negative; a v that is no
// number is returned as unset.
func Limit(es *kplan.FieldErrors, path string, v *intstr.IntOrString) rollout.IntOrPercent {
	n, err := IntOrPercent(v)
	if err != nil {
		es.Add(path, v.StrVal, "must be a whole number or a percentage such as 25%")
	} else if n.IsNegative() {
		es.Add(path, n, "must not be negative")
	}
	return n
}

// The paths of the limits of a rolling update.
const (
	PathSurge             = "spec.strategy.rollingUpdate.maxSurge"
	PathUnavailable       = "spec.strategy.rollingUpdate.maxUnavailable"
	PathDaemonSurge       = "spec.updateStrategy.rollingUpdate.maxSurge"
	PathDaemonUnavailable = "spec.updateStrategy.rollingUpdate.maxUnavailable"
)

// DaemonSetLimits returns the limits of a rolling update, unset for OnDelete.
func DaemonSetLimits(ds *appsv1.DaemonSet, es *kplan.FieldErrors) (surge, unavailable rollout.IntOrPercent) {
	rolling := ds.Spec.UpdateStrategy.RollingUpdate
	if rolling == nil || ds.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType {
		return surge, unavailable
	}
	return Limit(es, PathDaemonSurge, rolling.MaxSurge), Limit(es, PathDaemonUnavailable, rolling.MaxUnavailable)
}
