// SPDX-License-Identifier: Apache-2.0

//go:build !kube1.34 && !kube1.35 && !kube1.36

package upstream

import (
	_ "unsafe" // for go:linkname

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/controller/daemon"
)

// Minor is the minor version of the linked Kubernetes release: 37 is 1.37.
const Minor = 37

//go:linkname podsShouldBeOnNode k8s.io/kubernetes/pkg/controller/daemon.(*DaemonSetsController).podsShouldBeOnNode
func podsShouldBeOnNode(dsc *daemon.DaemonSetsController, logger klog.Logger, node *corev1.Node, nodeToDaemonPods map[string][]*corev1.Pod, ds *appsv1.DaemonSet, hash string, tolerations []corev1.Toleration, requiredNodeAffinity nodeaffinity.RequiredNodeAffinity) (nodesNeedingDaemonPods, podsToDelete []string)

//go:linkname daemonPodTolerations k8s.io/kubernetes/pkg/controller/daemon.daemonPodTolerations
func daemonPodTolerations(ds *appsv1.DaemonSet) []corev1.Toleration

// DropInitContainerAnnotations drops the annotations that the server drops from the template of an
// object before it stores it.
func DropInitContainerAnnotations(o runtime.Object) {
	switch o := o.(type) {
	case *appsv1.Deployment:
		pod.DropInitContainerAnnotations(o.Spec.Template.Annotations)
	case *appsv1.DaemonSet:
		pod.DropInitContainerAnnotations(o.Spec.Template.Annotations)
	case *appsv1.StatefulSet:
		pod.DropInitContainerAnnotations(o.Spec.Template.Annotations)
	case *appsv1.ReplicaSet:
		pod.DropInitContainerAnnotations(o.Spec.Template.Annotations)
	case *corev1.ReplicationController:
		if o.Spec.Template != nil {
			pod.DropInitContainerAnnotations(o.Spec.Template.Annotations)
		}
	}
}

// podsOnNode first reads tolerations and affinity of the DaemonSet, as a pass does once.
func podsOnNode(dsc *daemon.DaemonSetsController, node *corev1.Node, pods map[string][]*corev1.Pod, ds *appsv1.DaemonSet, hash string) (creates, deletes []string) {
	spec := &ds.Spec.Template.Spec
	return podsShouldBeOnNode(dsc, logr.Discard(), node, pods, ds, hash,
		daemonPodTolerations(ds), nodeaffinity.NewRequiredNodeAffinity(spec.NodeSelector, spec.Affinity))
}
