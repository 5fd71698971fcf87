// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

var (
	berlin  = time.FixedZone("CET", 3600)
	created = metav1.NewTime(time.Date(2026, 1, 2, 13, 0, 0, 0, berlin))
	ready   = metav1.NewTime(time.Date(2026, 1, 2, 13, 1, 0, 0, berlin))
)

func owner(kind, name string) metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: "apps/v1", Kind: kind, Name: name, UID: "uid-of-" + types.UID(name),
		Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
	}
}

// deployment returns a valid Deployment with every field that a snapshot reads.
func deployment(changes ...func(*appsv1.Deployment)) *appsv1.Deployment {
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{
			Name: "web", Namespace: "shop", UID: "uid-of-web", Generation: 7, CreationTimestamp: created,
			Annotations: map[string]string{"deployment.kubernetes.io/revision": "3"},
		},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To(int32(10)),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}},
			Template: *template(func(t *corev1.PodTemplateSpec) { t.Annotations = map[string]string{"note": "n"} }),
			Strategy: appsv1.DeploymentStrategy{
				Type: appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{
					MaxSurge: ptr.To(intstr.FromString("25%")), MaxUnavailable: ptr.To(intstr.FromInt32(2)),
				},
			},
			MinReadySeconds:         5,
			RevisionHistoryLimit:    ptr.To(int32(4)),
			ProgressDeadlineSeconds: ptr.To(int32(60)),
			Paused:                  true,
		},
		Status: deploymentStatus(),
	}
	for _, change := range changes {
		change(d)
	}
	return d
}

func deploymentStatus() appsv1.DeploymentStatus {
	return appsv1.DeploymentStatus{
		ObservedGeneration: 6, Replicas: 9, UpdatedReplicas: 8, ReadyReplicas: 7, AvailableReplicas: 5, UnavailableReplicas: 4,
		TerminatingReplicas: ptr.To(int32(3)), CollisionCount: ptr.To(int32(1)),
		Conditions: []appsv1.DeploymentCondition{
			{Type: "Progressing", Status: "Unknown", Reason: "r", Message: "m", LastUpdateTime: ready, LastTransitionTime: created},
			{Type: "Available", Status: "True"},
		},
	}
}

func replicaSet(name string) *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "shop", UID: "uid-of-" + types.UID(name), ResourceVersion: "12", Generation: 3,
			CreationTimestamp: created, DeletionTimestamp: &ready,
			Labels:      map[string]string{"app": "x", "pod-template-hash": "abc"},
			Annotations: map[string]string{"a": "1"},
			OwnerReferences: []metav1.OwnerReference{
				{Kind: "Other", Name: "first", UID: "no-controller"}, owner("Deployment", "web"), owner("Deployment", "second"),
			},
		},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: ptr.To(int32(4)), MinReadySeconds: 5,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x", "pod-template-hash": "abc"}},
			Template: *template(func(t *corev1.PodTemplateSpec) {
				t.Labels["pod-template-hash"] = "abc"
				t.Annotations = map[string]string{"note": "n"}
				t.Finalizers = []string{"example.com/f"}
			}),
		},
		Status: replicaSetStatus(),
	}
}

func replicaSetStatus() appsv1.ReplicaSetStatus {
	return appsv1.ReplicaSetStatus{
		ObservedGeneration: 2, Replicas: 9, FullyLabeledReplicas: 8, ReadyReplicas: 7, AvailableReplicas: 6,
		TerminatingReplicas: ptr.To(int32(5)),
		Conditions: []appsv1.ReplicaSetCondition{
			{Type: "ReplicaFailure", Status: "True", Reason: "FailedCreate", Message: "m", LastTransitionTime: ready},
			{Type: "Other", Status: "False"},
		},
	}
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "shop", UID: "uid-of-" + types.UID(name), ResourceVersion: "34",
			CreationTimestamp: created, DeletionTimestamp: &ready,
			Labels: map[string]string{"app": "x"}, Annotations: map[string]string{"a": "1"},
			OwnerReferences: []metav1.OwnerReference{owner("ReplicaSet", "web-1")},
		},
		Spec: corev1.PodSpec{
			NodeName: "node-1",
			InitContainers: []corev1.Container{
				{Name: "init"}, {Name: "never", RestartPolicy: ptr.To(corev1.ContainerRestartPolicy("Never"))},
				{Name: "proxy", RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways)},
				{Name: "log", RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways)},
			},
		},
		Status: corev1.PodStatus{
			Phase: corev1.PodRunning,
			Conditions: []corev1.PodCondition{
				{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, LastTransitionTime: created},
				{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: ready},
				{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: created},
			},
			ContainerStatuses: []corev1.ContainerStatus{{Name: "a", RestartCount: 1}, {Name: "b", RestartCount: 3}, {Name: "c", RestartCount: 2}},
			InitContainerStatuses: []corev1.ContainerStatus{
				{Name: "init", RestartCount: 9}, {Name: "never", RestartCount: 8}, {Name: "proxy", RestartCount: 4},
				{Name: "log", RestartCount: 5}, {Name: "unknown", RestartCount: 7},
			},
		},
	}
}
