// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	_ "unsafe" // for go:linkname

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	clientrecord "k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/replication"
)

// replicas is a controller of ReplicaSets, or of objects converted to ReplicaSets.
type replicas struct {
	ctx          context.Context
	r            *record
	owners, pods *informer
	sync         syncFunc
	burst        *int
}

func newReplicas() replicas {
	return replicas{ctx: quiet(), r: &record{}, owners: newInformer(), pods: newInformer()}
}

// use makes rsc the controller, with its connections to the outside replaced.
func (c *replicas) use(rsc *replicaset.ReplicaSetController) {
	(*field[clientrecord.EventBroadcaster](rsc, "eventBroadcaster")).Shutdown()
	*field[controller.PodControlInterface](rsc, "podControl") = podControl{c.r}
	q := field[workqueue.TypedRateLimitingInterface[string]](rsc, "queue")
	(*q).ShutDown()
	*q = &c.r.queue
	c.sync = *field[syncFunc](rsc, "syncHandler")
	c.burst = field[int](rsc, "burstReplicas")
}

// run runs one pass. The controller has no expectations from earlier passes.
func (c *replicas) run(owner metav1.Object, burst int) Result {
	c.owners.deleted(owner)
	c.r.reset()
	c.r.owner = owner
	*c.burst = burst
	return c.r.run(c.ctx, c.sync, owner.GetNamespace()+"/"+owner.GetName())
}

// ReplicaSets is the ReplicaSet controller.
type ReplicaSets struct{ replicas }

// NewReplicaSets returns a controller. The protection against stale caches is off:
// the caches are always as old as the snapshot.
func NewReplicaSets() *ReplicaSets {
	c := &ReplicaSets{newReplicas()}
	c.use(newBaseController(c.owners, c.pods, client{r: c.r}, podControl{c.r}, clientrecord.NewBroadcaster(clientrecord.WithContext(c.ctx))))
	return c
}

// Fill replaces the contents of the controller's caches.
func (c *ReplicaSets) Fill(sets []*appsv1.ReplicaSet, pods []*corev1.Pod) {
	fill(c.owners.x, sets)
	fill(c.pods.x, pods)
}

// Sync runs one pass for rs. The controller has no expectations from earlier passes.
func (c *ReplicaSets) Sync(rs *appsv1.ReplicaSet, burst int) Result { return c.run(rs, burst) }

// ReplicationControllers is the ReplicationController controller: the ReplicaSet controller and a
// conversion, which runs as well.
type ReplicationControllers struct{ replicas }

// NewReplicationControllers returns a controller.
func NewReplicationControllers() *ReplicationControllers {
	c := &ReplicationControllers{newReplicas()}
	rm := replication.NewReplicationManager(c.ctx, podInformer{c.pods}, controllerInformer{c.owners},
		client{r: c.r}, replication.BurstReplicas)
	// The manager is a copy of the controller; its syncHandler is a method of the original.
	rsc := &rm.ReplicaSetController
	*field[syncFunc](rsc, "syncHandler") = func(ctx context.Context, key string) error { return syncReplicaSet(rsc, ctx, key) }
	c.use(rsc)
	return c
}

// syncReplicaSet is the method that upstream stores in the field syncHandler; the type of that
// field is checked.
//
//go:linkname syncReplicaSet k8s.io/kubernetes/pkg/controller/replicaset.(*ReplicaSetController).syncReplicaSet
func syncReplicaSet(rsc *replicaset.ReplicaSetController, ctx context.Context, key string) error

// Fill replaces the contents of the controller's caches.
func (c *ReplicationControllers) Fill(rcs []*corev1.ReplicationController, pods []*corev1.Pod) {
	fill(c.owners.x, rcs)
	fill(c.pods.x, pods)
}

// Sync runs one pass for rc. The controller has no expectations from earlier passes.
func (c *ReplicationControllers) Sync(rc *corev1.ReplicationController, burst int) Result {
	return c.run(rc, burst)
}

// UpdateControllerStatus stores the status of a ReplicationController.
type UpdateControllerStatus struct {
	Status corev1.ReplicationControllerStatus
}

func (c client) CoreV1() coreclient.CoreV1Interface { return coreClient{r: c.r} }

type coreClient struct {
	coreclient.CoreV1Interface
	r *record
}

func (c coreClient) ReplicationControllers(string) coreclient.ReplicationControllerInterface {
	return replicationControllers{r: c.r}
}

type replicationControllers struct {
	coreclient.ReplicationControllerInterface
	r *record
}

func (c replicationControllers) Get(context.Context, string, metav1.GetOptions) (*corev1.ReplicationController, error) {
	c.r.reads++
	return c.r.owner.(*corev1.ReplicationController), nil
}

func (c replicationControllers) UpdateStatus(_ context.Context, rc *corev1.ReplicationController, _ metav1.UpdateOptions) (*corev1.ReplicationController, error) {
	c.r.add(UpdateControllerStatus{Status: *rc.Status.DeepCopy()})
	return rc, nil
}
