// SPDX-License-Identifier: Apache-2.0

package kube

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/rollout"
)

// Deployment returns the snapshot of d. It shares the annotations, the labels of the
// template, the selector's parts and the pointers to numbers with d.
//
// The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError] for each field that
// makes planning impossible: a negative number, a text that is not a percentage, an unknown
// strategy. Other fields that the API server would reject, see [Validate], do not stop a
// plan for an object that is stored already.
//
// Unset fields stay unset, and mean the same as for the controller. Their defaults by the
// API server may differ: see [Default]. MaxSurge and MaxUnavailable are left unset if the
// rollingUpdate block is missing, and for the strategy Recreate, which does not read them.
func Deployment(d *appsv1.Deployment) (deploy.Deployment, error) {
	d = convert.Or(d)
	deployment, err := deploymentWithoutTemplate(d)
	if err == nil {
		deployment.Template = Template(&d.Spec.Template, d.Status.CollisionCount)
	}
	return deployment, err
}

// deploymentWithoutTemplate is [Deployment] without the ID and the hash of the template,
// which take longer than all the rest.
func deploymentWithoutTemplate(d *appsv1.Deployment) (deploy.Deployment, error) {
	var es kplan.FieldErrors
	surge, unavailable := limits(d, &es)
	checkSpec(d, &es)
	if err := es.Join(); err != nil {
		return deploy.Deployment{}, err
	}
	return deploy.Deployment{
		Name:                    d.Name,
		UID:                     string(d.UID),
		ResourceVersion:         d.ResourceVersion,
		Generation:              d.Generation,
		Annotations:             d.Annotations,
		DeletionTimestamp:       convert.TimeOrZero(d.DeletionTimestamp),
		Selector:                LabelSelector(d.Spec.Selector),
		Replicas:                d.Spec.Replicas,
		TemplateLabels:          d.Spec.Template.Labels,
		Strategy:                deploy.Strategy(d.Spec.Strategy.Type),
		MaxSurge:                surge,
		MaxUnavailable:          unavailable,
		MinReadySeconds:         d.Spec.MinReadySeconds,
		ProgressDeadlineSeconds: d.Spec.ProgressDeadlineSeconds,
		RevisionHistoryLimit:    d.Spec.RevisionHistoryLimit,
		Paused:                  d.Spec.Paused,
		Status:                  FromDeploymentStatus(d.Status),
	}, nil
}

// checkSpec adds the errors of all fields that make planning impossible, except for the
// limits of a rolling update.
func checkSpec(d *appsv1.Deployment, es *kplan.FieldErrors) {
	spec := &d.Spec
	notNegative(es, "spec.replicas", spec.Replicas)
	notNegative(es, "spec.progressDeadlineSeconds", spec.ProgressDeadlineSeconds)
	notNegative(es, "spec.revisionHistoryLimit", spec.RevisionHistoryLimit)
	es.NotNegative("spec.minReadySeconds", spec.MinReadySeconds)
	switch spec.Strategy.Type {
	case "", appsv1.RollingUpdateDeploymentStrategyType, appsv1.RecreateDeploymentStrategyType:
	default:
		es.Add("spec.strategy.type", string(spec.Strategy.Type), "must be RollingUpdate or Recreate")
	}
}

func notNegative(es *kplan.FieldErrors, path string, value *int32) {
	if value != nil {
		es.NotNegative(path, *value)
	}
}

// limits returns the limits of a rolling update, unset for any other strategy.
func limits(d *appsv1.Deployment, es *kplan.FieldErrors) (surge, unavailable rollout.IntOrPercent) {
	rolling := d.Spec.Strategy.RollingUpdate
	if rolling == nil || d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		return surge, unavailable
	}
	return convert.Limit(es, convert.PathSurge, rolling.MaxSurge), convert.Limit(es, convert.PathUnavailable, rolling.MaxUnavailable)
}
