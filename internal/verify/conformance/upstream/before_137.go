// SPDX-License-Identifier: Apache-2.0

//go:build kube1.34 || kube1.35 || kube1.36

package upstream

import (
	_ "unsafe" // for go:linkname

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/features"
)

// A feature that is on by default in a later release, but behind a gate in this one, is compared
// with the gate on.
func init() {
	for name, since := range map[featuregate.Feature]int{
		features.MaxUnavailableStatefulSet:               37,
		features.DeploymentReplicaSetTerminatingReplicas: 35,
		features.ImageVolume:                             35,
	} {
		if Minor < since {
			ensure(utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{string(name): true}))
		}
	}
}

// DropInitContainerAnnotations does nothing: conversions drop them.
func DropInitContainerAnnotations(runtime.Object) {}

//go:linkname podsShouldBeOnNode k8s.io/kubernetes/pkg/controller/daemon.(*DaemonSetsController).podsShouldBeOnNode
func podsShouldBeOnNode(dsc *daemon.DaemonSetsController, logger klog.Logger, node *corev1.Node, nodeToDaemonPods map[string][]*corev1.Pod, ds *appsv1.DaemonSet, hash string) (nodesNeedingDaemonPods, podsToDelete []string)

func podsOnNode(dsc *daemon.DaemonSetsController, node *corev1.Node, pods map[string][]*corev1.Pod, ds *appsv1.DaemonSet, hash string) (creates, deletes []string) {
	return podsShouldBeOnNode(dsc, logr.Discard(), node, pods, ds, hash)
}
