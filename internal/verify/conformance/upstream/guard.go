// SPDX-License-Identifier: Apache-2.0

//go:build !kube1.34 && !kube1.35

package upstream

import (
	"errors"

	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/util/consistency"
)

// GuardedReplicaSets is the ReplicaSet controller as upstream constructs it, with its protection
// against stale caches.
func GuardedReplicaSets(client kubernetes.Interface) (*Live, error) {
	l := newLive("ReplicaSet", "Pod")
	rsc := replicaset.NewReplicaSetController(l.ctx, replicaSetInformer{l.informers["ReplicaSet"]}, podInformer{l.informers["Pod"]},
		client, replicaset.BurstReplicas)
	l.guard(rsc)
	l.replicas(rsc)
	l.sync = *field[syncFunc](rsc, "syncHandler")
	return l, nil
}

// GuardedDaemonSets is the DaemonSet controller with its protection against stale caches.
func GuardedDaemonSets(client kubernetes.Interface) (*Live, error) {
	l, dsc, err := newLiveDaemonSets(client)
	if err != nil {
		return nil, err
	}
	l.guard(dsc)
	return l, nil
}

// guard keeps the controller's record of its writes, and the pod control that fills it.
func (l *Live) guard(c any) {
	control := field[controller.PodControlInterface](c, "podControl")
	own := (*control).(controller.RealPodControl)
	own.Recorder = l.r
	*control = own
	l.written = (*field[consistency.ConsistencyStore](c, "consistencyStore")).(*consistency.RealConsistencyStore)
}

// Stale reports whether a pass was refused because a cache is older than the controller's own
// writes.
func Stale(err error) bool {
	var stale *consistency.ConsistencyError
	return errors.As(err, &stale)
}
