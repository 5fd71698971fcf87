// SPDX-License-Identifier: Apache-2.0

//go:build kube1.34 || kube1.35

package upstream

import (
	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/kubernetes"
	clientrecord "k8s.io/client-go/tools/record"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/replicaset"
)

// newBaseController returns the ReplicaSet controller.
func newBaseController(owners, pods *informer, c kubernetes.Interface, control controller.PodControlInterface, b clientrecord.EventBroadcaster) *replicaset.ReplicaSetController {
	return replicaset.NewBaseController(logr.Discard(), replicaSetInformer{owners}, podInformer{pods},
		c, replicaset.BurstReplicas, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"),
		"replicaset_controller", "replicaset", control, b, replicaset.DefaultReplicaSetControllerFeatures())
}

// trustCaches does nothing: these releases have no protection against stale caches.
func trustCaches(any) {}
