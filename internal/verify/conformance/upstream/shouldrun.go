// SPDX-License-Identifier: Apache-2.0

//go:build !kube1.34

package upstream

import (
	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/controller/daemon"
)

// ShouldRun reports whether a node should run a pod of a DaemonSet, and whether it may
// keep one.
func ShouldRun(n *corev1.Node, ds *appsv1.DaemonSet) (run, keep bool) {
	return daemon.NodeShouldRunDaemonPod(logr.Discard(), n, ds)
}
