// SPDX-License-Identifier: Apache-2.0

package kube

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/replicaset"
)

// ReplicationController returns the snapshot of rc, for which replicaset.Reconcile
// plans as for a ReplicaSet. It shares maps and pointers to numbers with rc. The
// template has no ID.
func ReplicationController(rc *corev1.ReplicationController) (r replicaset.ReplicaSet) {
	if rc == nil {
		return r
	}
	describe(FromReplicationController(rc), &r)
	r.Kind = replicaset.KindController
	return r
}

// ReplicationControllerSnapshot returns the input of replicaset.Reconcile for rc.
// Pods of other namespaces and nil elements are left out.
func ReplicationControllerSnapshot(rc *corev1.ReplicationController, pods []*corev1.Pod) replicaset.Snapshot {
	if rc == nil {
		rc = &corev1.ReplicationController{}
	}
	return replicaset.Snapshot{ReplicaSet: ReplicationController(rc), Pods: podsOf(rc.Namespace, pods)}
}

// FromReplicationController returns rc in the form of a ReplicaSet. A selector that
// is nil stays nil, and an empty one becomes the empty selector, which selects
// everything. It shares memory with rc.
//
// It mirrors convertRCtoRS of the replication package of Kubernetes.
func FromReplicationController(rc *corev1.ReplicationController) *appsv1.ReplicaSet {
	rc = convert.Or(rc)
	rs := &appsv1.ReplicaSet{
		ObjectMeta: rc.ObjectMeta,
		Spec:       appsv1.ReplicaSetSpec{Replicas: rc.Spec.Replicas, MinReadySeconds: rc.Spec.MinReadySeconds},
		Status: appsv1.ReplicaSetStatus{
			Replicas:             rc.Status.Replicas,
			FullyLabeledReplicas: rc.Status.FullyLabeledReplicas,
			ReadyReplicas:        rc.Status.ReadyReplicas,
			AvailableReplicas:    rc.Status.AvailableReplicas,
			ObservedGeneration:   rc.Status.ObservedGeneration,
		},
	}
	if rc.Spec.Selector != nil {
		rs.Spec.Selector = &metav1.LabelSelector{MatchLabels: rc.Spec.Selector}
	}
	if rc.Spec.Template != nil {
		rs.Spec.Template = *rc.Spec.Template
	}
	for _, c := range rc.Status.Conditions {
		rs.Status.Conditions = append(rs.Status.Conditions, appsv1.ReplicaSetCondition{
			Type: appsv1.ReplicaSetConditionType(c.Type), Status: c.Status, Reason: c.Reason, Message: c.Message,
			LastTransitionTime: c.LastTransitionTime,
		})
	}
	return rs
}

// ToReplicationController returns rs in the form of a ReplicationController. The error
// is about a selector with expressions, which a ReplicationController cannot have. The
// number of terminating pods is dropped. The result shares nothing with rs.
//
// It mirrors convertRStoRC of the replication package of Kubernetes.
func ToReplicationController(rs *appsv1.ReplicaSet) (*corev1.ReplicationController, error) {
	rs = copyOf(rs)
	labels, err := LabelSelector(rs.Spec.Selector).Map()
	if err != nil {
		return nil, err
	}
	return &corev1.ReplicationController{
		ObjectMeta: rs.ObjectMeta,
		Spec: corev1.ReplicationControllerSpec{
			Replicas: rs.Spec.Replicas, MinReadySeconds: rs.Spec.MinReadySeconds,
			Selector: labels, Template: &rs.Spec.Template,
		},
		Status: ReplicationControllerStatus(FromReplicaSetStatus(rs.Status)),
	}, nil
}

// NewControllerPod returns a pod of rc, as [NewPod] does for a ReplicaSet.
func NewControllerPod(rc *corev1.ReplicationController) *corev1.Pod {
	if rc == nil {
		rc = &corev1.ReplicationController{}
	}
	pod := NewPod(FromReplicationController(rc))
	pod.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(rc, corev1.SchemeGroupVersion.WithKind(replicaset.KindController)),
	}
	return pod
}
