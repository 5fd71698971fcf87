// SPDX-License-Identifier: Apache-2.0

package kube

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kplan-go/kplan/kube/internal/defaults"
)

// A kind is one that [Default] has rows for.
type kind interface {
	appsv1.Deployment | appsv1.DaemonSet | appsv1.StatefulSet | appsv1.ReplicaSet |
		corev1.ReplicationController | autoscalingv1.HorizontalPodAutoscaler | autoscalingv2.HorizontalPodAutoscaler
}

// Default returns a copy of an object as the API server stores it and as controllers read
// it: what is not set has its default, down to the probes of containers, quantities are
// written in one way (500m for 0.5), lists and maps without elements are nil, and objects
// without fields, such as securityContext: {}, stay. Pass objects that do not come from an
// API server through it, such as manifests: a field that the server fills in has a part
// in the hash of a template and so in the names of ReplicaSets and revisions, and
// [Deployment] reads what it is given as the controller does, to which an unset
// revisionHistoryLimit is no limit, an unset deadline none, and an unset maxSurge 0.
// An object of an API server stays as it is. Default knows Deployments, DaemonSets,
// StatefulSets, ReplicaSets, ReplicationControllers and both versions of
// HorizontalPodAutoscalers.
//
// What else a server does is not done: metadata, statuses and the annotation of the
// template generation stay as they are, and so do fields whose feature gate is off and what only
// admission plugins change. Defaults are those of Kubernetes 1.37.2 with its feature gates as they
// are by default. A server before 1.37 leaves maxUnavailable of a StatefulSet unset.
func Default[T kind](object *T) *T {
	if object == nil {
		return nil
	}
	o := any(object).(runtime.Object).DeepCopyObject()
	defaults.Apply(o)
	dropInitContainers(o)
	if stored := new(T); transcode(o, any(stored)) {
		o = any(stored).(runtime.Object)
		defaults.Apply(o)
	}
	return any(o).(*T)
}

// dropInitContainers removes the annotations of a template that held init containers before these
// had a field, as the API server does of what it is sent (DropInitContainerAnnotations of
// Kubernetes 1.37.2; conversions did so before).
func dropInitContainers(o runtime.Object) {
	var template *corev1.PodTemplateSpec
	switch o := o.(type) {
	case *appsv1.Deployment:
		template = &o.Spec.Template
	case *appsv1.DaemonSet:
		template = &o.Spec.Template
	case *appsv1.StatefulSet:
		template = &o.Spec.Template
	case *appsv1.ReplicaSet:
		template = &o.Spec.Template
	case *corev1.ReplicationController:
		template = o.Spec.Template
	}
	if template == nil {
		return
	}
	for _, version := range []string{"alpha", "beta"} {
		for _, name := range []string{"init-containers", "init-container-statuses"} {
			delete(template.Annotations, "pod."+version+".kubernetes.io/"+name)
		}
	}
}

// transcode writes an object as the API server does for its storage, and reads it into
// another. It reports whether it could. Writing changes the object.
func transcode(from runtime.Object, into any) bool {
	writer, ok := from.(interface{ Marshal() ([]byte, error) })
	if !ok {
		return false
	}
	data, err := writer.Marshal()
	if err != nil || into.(interface{ Unmarshal([]byte) error }).Unmarshal(data) != nil {
		return false
	}
	into.(runtime.Object).GetObjectKind().SetGroupVersionKind(from.GetObjectKind().GroupVersionKind())
	return true
}
