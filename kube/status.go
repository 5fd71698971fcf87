// SPDX-License-Identifier: Apache-2.0

package kube

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/replicaset"
)

// each converts the elements of a list. It returns nil for an empty list.
func each[A, B any](list []A, convert func(A) B) []B {
	if len(list) == 0 {
		return nil
	}
	converted := make([]B, len(list))
	for i := range list {
		converted[i] = convert(list[i])
	}
	return converted
}

// FromDeploymentStatus returns the snapshot of s, with which it shares the pointers to
// numbers. The inverse is [DeploymentStatus].
func FromDeploymentStatus(s appsv1.DeploymentStatus) deploy.Status {
	return deploy.Status{
		ObservedGeneration:  s.ObservedGeneration,
		Replicas:            s.Replicas,
		UpdatedReplicas:     s.UpdatedReplicas,
		ReadyReplicas:       s.ReadyReplicas,
		AvailableReplicas:   s.AvailableReplicas,
		UnavailableReplicas: s.UnavailableReplicas,
		TerminatingReplicas: s.TerminatingReplicas,
		CollisionCount:      s.CollisionCount,
		Conditions:          each(s.Conditions, FromDeploymentCondition),
	}
}

// DeploymentStatus returns s as the API has it, for the status subresource.
func DeploymentStatus(s deploy.Status) appsv1.DeploymentStatus {
	return appsv1.DeploymentStatus{
		ObservedGeneration:  s.ObservedGeneration,
		Replicas:            s.Replicas,
		UpdatedReplicas:     s.UpdatedReplicas,
		ReadyReplicas:       s.ReadyReplicas,
		AvailableReplicas:   s.AvailableReplicas,
		UnavailableReplicas: s.UnavailableReplicas,
		TerminatingReplicas: convert.Clone(s.TerminatingReplicas),
		CollisionCount:      convert.Clone(s.CollisionCount),
		Conditions:          each(s.Conditions, DeploymentCondition),
	}
}

// FromDeploymentCondition returns the snapshot of c.
func FromDeploymentCondition(c appsv1.DeploymentCondition) kplan.Condition {
	return kplan.Condition{
		Type:               string(c.Type),
		Status:             kplan.ConditionStatus(c.Status),
		Reason:             c.Reason,
		Message:            c.Message,
		LastUpdateTime:     c.LastUpdateTime.UTC(),
		LastTransitionTime: c.LastTransitionTime.UTC(),
	}
}

// DeploymentCondition returns c as the API has it.
func DeploymentCondition(c kplan.Condition) appsv1.DeploymentCondition {
	return appsv1.DeploymentCondition{
		Type:               appsv1.DeploymentConditionType(c.Type),
		Status:             corev1.ConditionStatus(c.Status),
		Reason:             c.Reason,
		Message:            c.Message,
		LastUpdateTime:     metav1.NewTime(c.LastUpdateTime),
		LastTransitionTime: metav1.NewTime(c.LastTransitionTime),
	}
}

// FromReplicaSetStatus returns the snapshot of s, with which it shares the pointers to
// numbers. The inverse is [ReplicaSetStatus].
func FromReplicaSetStatus(s appsv1.ReplicaSetStatus) replicaset.Status {
	return replicaset.Status{
		ObservedGeneration:   s.ObservedGeneration,
		Replicas:             s.Replicas,
		FullyLabeledReplicas: s.FullyLabeledReplicas,
		ReadyReplicas:        s.ReadyReplicas,
		AvailableReplicas:    s.AvailableReplicas,
		TerminatingReplicas:  s.TerminatingReplicas,
		Conditions:           each(s.Conditions, FromReplicaSetCondition),
	}
}

// ReplicaSetStatus returns s as the API has it, for the status subresource.
func ReplicaSetStatus(s replicaset.Status) appsv1.ReplicaSetStatus {
	return appsv1.ReplicaSetStatus{
		ObservedGeneration:   s.ObservedGeneration,
		Replicas:             s.Replicas,
		FullyLabeledReplicas: s.FullyLabeledReplicas,
		ReadyReplicas:        s.ReadyReplicas,
		AvailableReplicas:    s.AvailableReplicas,
		TerminatingReplicas:  convert.Clone(s.TerminatingReplicas),
		Conditions:           each(s.Conditions, ReplicaSetCondition),
	}
}

// FromReplicaSetCondition returns the snapshot of c.
func FromReplicaSetCondition(c appsv1.ReplicaSetCondition) kplan.Condition {
	return kplan.Condition{
		Type:               string(c.Type),
		Status:             kplan.ConditionStatus(c.Status),
		Reason:             c.Reason,
		Message:            c.Message,
		LastTransitionTime: c.LastTransitionTime.UTC(),
	}
}

// ReplicaSetCondition returns c as the API has it.
func ReplicaSetCondition(c kplan.Condition) appsv1.ReplicaSetCondition {
	return appsv1.ReplicaSetCondition{
		Type:               appsv1.ReplicaSetConditionType(c.Type),
		Status:             corev1.ConditionStatus(c.Status),
		Reason:             c.Reason,
		Message:            c.Message,
		LastTransitionTime: metav1.NewTime(c.LastTransitionTime),
	}
}

// FromReplicationControllerStatus returns the snapshot of s. It has no number of
// terminating pods, which s cannot report. The inverse is [ReplicationControllerStatus].
func FromReplicationControllerStatus(s corev1.ReplicationControllerStatus) replicaset.Status {
	return FromReplicaSetStatus(toReplicaSetStatus(s))
}

// toReplicaSetStatus returns s in the form of the status of a ReplicaSet.
func toReplicaSetStatus(s corev1.ReplicationControllerStatus) appsv1.ReplicaSetStatus {
	return appsv1.ReplicaSetStatus{
		Replicas: s.Replicas, FullyLabeledReplicas: s.FullyLabeledReplicas, ReadyReplicas: s.ReadyReplicas,
		AvailableReplicas: s.AvailableReplicas, ObservedGeneration: s.ObservedGeneration, Conditions: each(s.Conditions, toReplicaSetCondition),
	}
}

// ReplicationControllerStatus returns s as the API has it, for the status subresource
// of a ReplicationController. The number of terminating pods is dropped.
func ReplicationControllerStatus(s replicaset.Status) corev1.ReplicationControllerStatus {
	return corev1.ReplicationControllerStatus{
		ObservedGeneration:   s.ObservedGeneration,
		Replicas:             s.Replicas,
		FullyLabeledReplicas: s.FullyLabeledReplicas,
		ReadyReplicas:        s.ReadyReplicas,
		AvailableReplicas:    s.AvailableReplicas,
		Conditions:           each(s.Conditions, ReplicationControllerCondition),
	}
}

// FromReplicationControllerCondition returns the snapshot of c.
func FromReplicationControllerCondition(c corev1.ReplicationControllerCondition) kplan.Condition {
	return FromReplicaSetCondition(toReplicaSetCondition(c))
}

// toReplicaSetCondition returns c in the form of a condition of a ReplicaSet.
func toReplicaSetCondition(c corev1.ReplicationControllerCondition) appsv1.ReplicaSetCondition {
	return appsv1.ReplicaSetCondition{
		Type: appsv1.ReplicaSetConditionType(c.Type), Status: c.Status, Reason: c.Reason, Message: c.Message,
		LastTransitionTime: c.LastTransitionTime,
	}
}

// ReplicationControllerCondition returns c as the API has it.
func ReplicationControllerCondition(c kplan.Condition) corev1.ReplicationControllerCondition {
	of := ReplicaSetCondition(c)
	return corev1.ReplicationControllerCondition{
		Type: corev1.ReplicationControllerConditionType(of.Type), Status: of.Status, Reason: of.Reason, Message: of.Message,
		LastTransitionTime: of.LastTransitionTime,
	}
}

// FromDaemonSetStatus returns the snapshot of s, with which it shares the collision
// count. Conditions are left out, because no plan reads or sets any. UpdateRevision,
// which only OpenKruise has, is empty; see AdvancedDaemonSet of package
// kruise. The inverse is [DaemonSetStatus].
func FromDaemonSetStatus(s appsv1.DaemonSetStatus) daemonset.Status {
	return daemonset.Status{
		ObservedGeneration:     s.ObservedGeneration,
		DesiredNumberScheduled: s.DesiredNumberScheduled,
		CurrentNumberScheduled: s.CurrentNumberScheduled,
		NumberMisscheduled:     s.NumberMisscheduled,
		NumberReady:            s.NumberReady,
		NumberAvailable:        s.NumberAvailable,
		NumberUnavailable:      s.NumberUnavailable,
		UpdatedNumberScheduled: s.UpdatedNumberScheduled,
		CollisionCount:         s.CollisionCount,
	}
}

// DaemonSetStatus returns s as the API has it, for the status subresource. It has no
// conditions, because no plan sets any: keep the object's own. UpdateRevision, which
// only OpenKruise has, is left out.
func DaemonSetStatus(s daemonset.Status) appsv1.DaemonSetStatus {
	return appsv1.DaemonSetStatus{
		ObservedGeneration:     s.ObservedGeneration,
		DesiredNumberScheduled: s.DesiredNumberScheduled,
		CurrentNumberScheduled: s.CurrentNumberScheduled,
		NumberMisscheduled:     s.NumberMisscheduled,
		NumberReady:            s.NumberReady,
		NumberAvailable:        s.NumberAvailable,
		NumberUnavailable:      s.NumberUnavailable,
		UpdatedNumberScheduled: s.UpdatedNumberScheduled,
		CollisionCount:         convert.Clone(s.CollisionCount),
	}
}
