// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"cmp"
	"slices"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
)

// eventSet is a ReplicaSet of an event. Upstream finds controllers by name and then compares the
// UID; ours finds them by the UID, which two objects of a test may share.
func eventSet(rs *apps.ReplicaSet) *replicaset.ReplicaSet {
	if rs == nil {
		return nil
	}
	r := kube.ReplicaSet(rs)
	r.UID += "/" + r.Name
	if r.ControllerUID != "" {
		r.ControllerUID += "/" + r.ControllerName
	}
	return &r
}

// enqueueConcerned enqueues the Deployments of the namespace that a change concerns.
func (dc *DeploymentController) enqueueConcerned(namespace string, c deploy.Change) {
	ours("Effects")
	list, _ := dc.dLister.Deployments(namespace).List(labels.Everything())
	deployments := make([]deploy.Deployment, len(list))
	for i, d := range list {
		var err error
		if deployments[i], err = kube.Deployment(d); err != nil {
			panic(err)
		}
		deployments[i].UID += "/" + d.Name
	}
	all, _ := dc.rsLister.ReplicaSets(namespace).List(labels.Everything())
	sets := make([]replicaset.ReplicaSet, len(all))
	for i, rs := range all {
		sets[i] = *eventSet(rs)
	}
	for _, e := range deploy.Effects(c, deployments, sets) {
		dc.enqueueDeployment(list[slices.IndexFunc(list, func(d *apps.Deployment) bool { return d.Name == e.Name })])
	}
}

func (dc *DeploymentController) replicaSetEvent(old, cur *apps.ReplicaSet) {
	dc.enqueueConcerned(cmp.Or(cur, old).Namespace, deploy.Change{ReplicaSet: deploy.ReplicaSetEvent{Old: eventSet(old), New: eventSet(cur)}})
}

func (dc *DeploymentController) addReplicaSet(logger klog.Logger, obj interface{}) {
	dc.replicaSetEvent(nil, obj.(*apps.ReplicaSet))
}

func (dc *DeploymentController) updateReplicaSet(logger klog.Logger, old, cur interface{}) {
	dc.replicaSetEvent(old.(*apps.ReplicaSet), cur.(*apps.ReplicaSet))
}

func (dc *DeploymentController) deleteReplicaSet(logger klog.Logger, obj interface{}) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	dc.replicaSetEvent(obj.(*apps.ReplicaSet), nil)
}

func (dc *DeploymentController) deletePod(logger klog.Logger, obj interface{}) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	pod := obj.(*v1.Pod)
	p := kube.Pod(pod)
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
		p.ControllerUID += "/" + owner.Name
	}
	dc.enqueueConcerned(pod.Namespace, deploy.Change{Pod: replicaset.PodEvent{Old: &p}})
}
