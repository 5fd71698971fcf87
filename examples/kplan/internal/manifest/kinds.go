// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Applied are the kinds whose manifests are applied to live objects.
var Applied = map[string]bool{
	"apps/v1 Deployment": true, "apps/v1 DaemonSet": true, "argoproj.io/v1alpha1 Rollout": true,
	"apps/v1 ReplicaSet": true, "v1 ReplicationController": true,
	"apps.kruise.io/v1alpha1 DaemonSet": true, "apps.kruise.io/v1beta1 DaemonSet": true,
}

// planned are the kinds that the command reads, with the version of those of Kubernetes.
var planned = map[string]string{
	"Deployment": "apps/v1", "DaemonSet": "apps/v1", "ReplicaSet": "apps/v1", "ControllerRevision": "apps/v1",
	"ReplicationController": "v1", "Pod": "v1", "Node": "v1", "Rollout": "", "BatchRelease": "",
}

// controllers are kinds that have pods of their own, which a reader may expect to be planned.
var controllers = map[string]bool{
	"StatefulSet": true, "Job": true, "CronJob": true, "CloneSet": true, "Canary": true,
	"BroadcastJob": true, "AdvancedCronJob": true, "SidecarSet": true, "UnitedDeployment": true,
}

// ofKubernetes reports whether a version is, or looks like, one of Kubernetes itself, whose
// groups of workloads have no domain.
func ofKubernetes(version string) bool {
	group, _, _ := strings.Cut(version, "/")
	return !strings.Contains(group, ".")
}

// compared reports whether [Source.Whole] asks for an object: one that has pods, or releases
// what has, and that nothing else has made.
func compared(u *unstructured.Unstructured) bool {
	gvk := u.GroupVersionKind()
	known := Applied[kindOf(u)] || controllers[gvk.Kind] || gvk.Kind == "Rollout" && gvk.Group == kruiseRollouts
	return known && u.GetName() != "" && metav1.GetControllerOfNoCopy(u) == nil
}
