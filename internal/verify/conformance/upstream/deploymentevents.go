// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"errors"
	"slices"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	appslisters "k8s.io/client-go/listers/apps/v1"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/kubernetes/pkg/controller/deployment"
)

// A DeploymentEvent is a change of one object: old is nil if it was added, and new if it was
// deleted. Of pods the Deployment controller watches only deletions.
type DeploymentEvent struct {
	OldDeployment, NewDeployment *appsv1.Deployment
	OldSet, NewSet               *appsv1.ReplicaSet
	OldPod                       *corev1.Pod
}

// Concerned returns the names of the Deployments that the Deployment controller enqueues after an
// event, sorted, with these objects in its caches.
func Concerned(deployments []*appsv1.Deployment, sets []*appsv1.ReplicaSet, e DeploymentEvent) (names []string) {
	dc, known, knownSets, log := &deployment.DeploymentController{}, newIndexer(), newIndexer(), logr.Discard()
	fill(known, deployments)
	fill(knownSets, sets)
	*field[appslisters.DeploymentLister](dc, "dLister") = appslisters.NewDeploymentLister(known)
	*field[appslisters.ReplicaSetLister](dc, "rsLister") = appslisters.NewReplicaSetLister(knownSets)
	*field[func(*appsv1.Deployment)](dc, "enqueueDeployment") = func(d *appsv1.Deployment) { names = append(names, d.Name) }
	switch {
	case e.OldPod != nil:
		deletePod(dc, log, e.OldPod)
	case e.OldDeployment == nil && e.NewDeployment != nil:
		addDeployment(dc, log, e.NewDeployment)
	case e.NewDeployment != nil:
		updateDeployment(dc, log, e.OldDeployment, e.NewDeployment)
	case e.OldDeployment != nil:
		deleteDeployment(dc, log, e.OldDeployment)
	case e.OldSet == nil:
		addReplicaSet(dc, log, e.NewSet)
	case e.NewSet != nil:
		updateReplicaSet(dc, log, e.OldSet, e.NewSet)
	default:
		deleteReplicaSet(dc, log, e.OldSet)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Retries returns how often the Deployment controller retries a pass that always fails.
func Retries() int {
	dc, q := &deployment.DeploymentController{}, &retries{}
	*field[workqueue.TypedRateLimitingInterface[string]](dc, "queue") = q
	for !q.forgotten {
		handleErr(dc, silent, errors.New("it fails"), "ns/web")
	}
	return q.n
}

// retries is a queue that counts the retries of one key.
type retries struct {
	workqueue.TypedRateLimitingInterface[string] // nil

	n         int
	forgotten bool
}

func (r *retries) NumRequeues(string) int { return r.n }
func (r *retries) AddRateLimited(string)  { r.n++ }
func (r *retries) Forget(string)          { r.forgotten = true }
