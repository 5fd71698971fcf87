// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"time"

	"github.com/kplan-go/kplan/internal/verify/random"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Condition draws a condition; half of them are Progressing with any reason and a time around the
// deadline.
func Condition(t random.Source, now time.Time, deadline int32) appsv1.DeploymentCondition {
	c := appsv1.DeploymentCondition{
		Type: random.OneOf(t, "type", appsv1.DeploymentProgressing, appsv1.DeploymentProgressing, appsv1.DeploymentProgressing,
			appsv1.DeploymentAvailable, appsv1.DeploymentReplicaFailure, "Custom"),
		Status:             random.OneOf(t, "condition status", corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown),
		LastUpdateTime:     Time(t, now, "updated"),
		LastTransitionTime: Time(t, now, "transition"),
		Message:            random.OneOf(t, "message", "m", "n"),
	}
	switch c.Type {
	case appsv1.DeploymentProgressing:
		c.Reason = random.OneOf(t, "progress", "ReplicaSetUpdated", "NewReplicaSetAvailable", "NewReplicaSetCreated", "FoundNewReplicaSet",
			"ProgressDeadlineExceeded", "DeploymentPaused", "DeploymentResumed", "ReplicaSetCreateError", "")
		if random.OneIn(t, "at deadline", 3) {
			at := now.Add(-time.Duration(deadline) * time.Second)
			c.LastUpdateTime = metav1.NewTime(at.Add(random.OneOf(t, "offset", 0, -1, 1, time.Second, 2*time.Second, time.Second-1)))
		}
	case appsv1.DeploymentAvailable:
		c.Reason = random.OneOf(t, "available", "MinimumReplicasAvailable", "MinimumReplicasUnavailable", "")
	case appsv1.DeploymentReplicaFailure:
		c.Reason = random.OneOf(t, "failure", "FailedCreate", "FailedDelete")
	}
	return c
}
