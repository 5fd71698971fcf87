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

// A kind is an API type for which [Default] has rows.
type kind interface {
	appsv1.Deployment | appsv1.DaemonSet | appsv1.StatefulSet | appsv1.ReplicaSet |
		corev1.ReplicationController | autoscalingv1.HorizontalPodAutoscaler | autoscalingv2.HorizontalPodAutoscaler
}

// Default returns a copy of an object with the defaults of the API server, as controllers read
// it. Unset fields have their default, down to the probes of containers; quantities are
// canonical (500m for 0.5); lists and maps without elements are nil; objects without fields,
// such as securityContext: {}, stay. An object that comes from an API server does not change.
//
// Use it for objects that do not come from an API server, such as manifests. Defaults are part
// of the hash of a template, and so of the names of ReplicaSets and revisions. And [Deployment]
// reads unset fields as the controller does: an unset revisionHistoryLimit is no limit, an
// unset deadline none, and an unset maxSurge 0.
//
// Default knows Deployments, DaemonSets, StatefulSets, ReplicaSets, ReplicationControllers and
// both versions of HorizontalPodAutoscalers.
//
// It does nothing else that a server does: metadata, statuses and the annotation of the
// template generation stay unchanged, and so do fields whose feature gate is off and fields
// that only admission plugins set. The defaults are those of Kubernetes 1.37.2 with its default
// feature gates. A server before 1.37 leaves maxUnavailable of a StatefulSet unset.
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

// dropInitContainers removes the annotations of a template that held init containers before
// there was a field for them, as the API server does (DropInitContainerAnnotations of
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

// transcode encodes an object as the API server does for its storage, decodes it into
// another, and reports success. Encoding changes the object.
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
