package gen

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// Condition draws a condition, half of them Progressing with any reason and a time
// around the deadline.
func Condition(t *rapid.T, now time.Time, deadline int32) appsv1.DeploymentCondition {
	c := appsv1.DeploymentCondition{
		Type: from(t, "type", appsv1.DeploymentProgressing, appsv1.DeploymentProgressing, appsv1.DeploymentProgressing,
			appsv1.DeploymentAvailable, appsv1.DeploymentReplicaFailure, "Custom"),
		Status:             from(t, "condition status", corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown),
		LastUpdateTime:     Time(t, now, "updated"),
		LastTransitionTime: Time(t, now, "transition"),
		Message:            from(t, "message", "m", "n"),
	}
	switch c.Type {
	case appsv1.DeploymentProgressing:
		c.Reason = from(t, "progress", "ReplicaSetUpdated", "NewReplicaSetAvailable", "NewReplicaSetCreated", "FoundNewReplicaSet",
			"ProgressDeadlineExceeded", "DeploymentPaused", "DeploymentResumed", "ReplicaSetCreateError", "")
		if OneIn(t, 3, "at deadline") {
			at := now.Add(-time.Duration(deadline) * time.Second)
			c.LastUpdateTime = metav1.NewTime(at.Add(from(t, "offset", 0, -1, 1, time.Second, 2*time.Second, time.Second-1)))
		}
	case appsv1.DeploymentAvailable:
		c.Reason = from(t, "available", "MinimumReplicasAvailable", "MinimumReplicasUnavailable", "")
	case appsv1.DeploymentReplicaFailure:
		c.Reason = from(t, "failure", "FailedCreate", "FailedDelete")
	}
	return c
}
