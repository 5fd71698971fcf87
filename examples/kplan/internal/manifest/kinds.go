// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"encoding/json"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/kube"
)

// Applied are the kinds of manifests that are applied to live objects.
var Applied = map[string]bool{
	"apps/v1 Deployment": true, "apps/v1 DaemonSet": true, "argoproj.io/v1alpha1 Rollout": true,
	"apps/v1 ReplicaSet": true, "v1 ReplicationController": true,
	"apps.kruise.io/v1alpha1 DaemonSet": true, "apps.kruise.io/v1beta1 DaemonSet": true,
}

// planned are the kinds that the command reads, with the API version of kinds of Kubernetes.
var planned = map[string]string{
	"Deployment": "apps/v1", "DaemonSet": "apps/v1", "ReplicaSet": "apps/v1", "ControllerRevision": "apps/v1",
	"ReplicationController": "v1", "Pod": "v1", "Node": "v1", "Rollout": "", "BatchRelease": "",
}

// controllers are kinds of other controllers with pods, which a reader may expect in a plan.
var controllers = map[string]bool{
	"StatefulSet": true, "Job": true, "CronJob": true, "CloneSet": true, "Canary": true,
	"BroadcastJob": true, "AdvancedCronJob": true, "SidecarSet": true, "UnitedDeployment": true,
}

// ofKubernetes reports whether an API version is, or looks like, one of Kubernetes itself: its
// workload groups have no domain.
func ofKubernetes(version string) bool {
	group, _, _ := strings.Cut(version, "/")
	return !strings.Contains(group, ".")
}

// compared reports whether [Source.Whole] compares an object: a named workload or Rollout without a
// controller.
func compared(u *unstructured.Unstructured) bool {
	gvk := u.GroupVersionKind()
	known := Applied[kindOf(u)] || controllers[gvk.Kind] || gvk.Kind == "Rollout" && gvk.Group == kruiseRollouts
	return known && u.GetName() != "" && metav1.GetControllerOfNoCopy(u) == nil
}

// specOf returns the spec of an object, with its defaults.
func specOf(u *unstructured.Unstructured) any {
	switch o := defaulted(u).(type) {
	case *appsv1.ReplicaSet:
		return o.Spec
	case *corev1.ReplicationController:
		return o.Spec
	case *appsv1.Deployment:
		return o.Spec
	case *appsv1.DaemonSet:
		return o.Spec
	}
	return u.Object["spec"]
}

// defaulted returns an object of Kubernetes in its Go type with its defaults, or nil for other
// kinds.
func defaulted(u *unstructured.Unstructured) any {
	data, err := u.MarshalJSON()
	if err != nil {
		return nil
	}
	d, ds, sts := &appsv1.Deployment{}, &appsv1.DaemonSet{}, &appsv1.StatefulSet{}
	rs, rc := &appsv1.ReplicaSet{}, &corev1.ReplicationController{}
	switch {
	case kindOf(u) == "apps/v1 ReplicaSet" && json.Unmarshal(data, rs) == nil:
		return kube.Default(rs)
	case kindOf(u) == "v1 ReplicationController" && json.Unmarshal(data, rc) == nil:
		return kube.Default(rc)
	case kindOf(u) == "apps/v1 Deployment" && json.Unmarshal(data, d) == nil:
		return kube.Default(d)
	case kindOf(u) == "apps/v1 DaemonSet" && json.Unmarshal(data, ds) == nil:
		return kube.Default(ds)
	case kindOf(u) == "apps/v1 StatefulSet" && json.Unmarshal(data, sts) == nil:
		return kube.Default(sts)
	}
	return nil
}
