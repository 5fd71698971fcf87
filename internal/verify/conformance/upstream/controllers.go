// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientrecord "k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/deployment"
)

// A Result holds the effects of one pass.
type Result struct {
	Writes   []Write // in order, except for pods
	Events   []Event
	Requeues []Requeue
	Err      error
	// LiveReads counts the reads of the owner from the API server.
	LiveReads int
	// Panic is the value of the controller's panic, nil if there was none.
	Panic any
}

type syncFunc = func(context.Context, string) error

// quiet returns a context that logs nothing. It also removes upstream's error handlers: they sleep,
// and a sleep moves the clock of a synctest bubble.
func quiet() context.Context {
	utilruntime.ErrorHandlers = nil
	return klog.NewContext(context.Background(), logr.Discard())
}

// field returns the address of an unexported field of the struct that c points to. It panics if the
// field's type has changed upstream.
func field[T any](c any, name string) *T {
	f := reflect.ValueOf(c).Elem().FieldByName(name)
	if !f.IsValid() || f.Type() != reflect.TypeFor[T]() {
		panic(fmt.Sprintf("upstream has changed: %T has no field %s of type %v", c, name, reflect.TypeFor[T]()))
	}
	return (*T)(unsafe.Pointer(f.UnsafeAddr()))
}

// run runs one pass and recovers from a panic.
func (r *record) run(ctx context.Context, sync syncFunc, key string) (result Result) {
	defer func() {
		result.Writes, result.Events, result.Requeues, result.LiveReads = r.writes, r.events, r.queue.added, r.reads
		result.Panic = recover()
	}()
	result.Err = sync(ctx, key)
	return result
}

// Deployments is the Deployment controller.
type Deployments struct {
	ctx                            context.Context
	r                              *record
	deployments, replicaSets, pods *informer
	sync                           syncFunc
	dc                             *deployment.DeploymentController
	// KeepBelowZero makes writes of sizes below 0 succeed and change nothing.
	KeepBelowZero bool
}

// NewDeployments returns a controller.
func NewDeployments() (*Deployments, error) {
	c := &Deployments{
		ctx: quiet(), r: &record{}, deployments: newInformer(), replicaSets: newInformer(), pods: newInformer(),
	}
	dc, err := deployment.NewDeploymentController(c.ctx, deploymentInformer{c.deployments},
		replicaSetInformer{c.replicaSets}, podInformer{c.pods}, client{r: c.r})
	if err != nil {
		return nil, err
	}
	(*field[clientrecord.EventBroadcaster](dc, "eventBroadcaster")).Shutdown()
	*field[clientrecord.EventRecorder](dc, "eventRecorder") = c.r
	*field[controller.RSControlInterface](dc, "rsControl") = rsControl{c.r}
	q := field[workqueue.TypedRateLimitingInterface[string]](dc, "queue")
	(*q).ShutDown()
	*q = &c.r.queue
	c.sync, c.dc = *field[syncFunc](dc, "syncHandler"), dc
	return c, nil
}

// Recheck returns the requeues of a rollout's pass when its resulting status is stored already.
// There is none after a scaling event.
func (c *Deployments) Recheck(d *appsv1.Deployment, own []*appsv1.ReplicaSet, status appsv1.DeploymentStatus) (Result, error) {
	c.r.reset()
	resized, err := isScalingEvent(c.dc, c.ctx, d.DeepCopy(), own)
	c.r.reset()
	if err == nil && !resized {
		d = d.DeepCopy()
		d.Status = status
		requeueStuckDeployment(c.dc, c.ctx, d, status)
	}
	return Result{Requeues: c.r.queue.added}, err
}

// Fill replaces the contents of the controller's caches.
func (c *Deployments) Fill(d *appsv1.Deployment, sets []*appsv1.ReplicaSet, pods []*corev1.Pod) {
	fill(c.deployments.x, []*appsv1.Deployment{d})
	fill(c.replicaSets.x, sets)
	fill(c.pods.x, pods)
}

// Sync runs one pass on the contents of the caches.
func (c *Deployments) Sync(d *appsv1.Deployment) Result {
	c.r.reset()
	c.r.owner, c.r.stored, c.r.created = d, nil, nil
	if c.KeepBelowZero {
		c.r.stored = func(name string) *appsv1.ReplicaSet {
			for _, o := range c.replicaSets.x.objects {
				if rs := o.(*appsv1.ReplicaSet); rs.Name == name {
					return rs.DeepCopy()
				}
			}
			return nil
		}
	}
	for _, o := range c.replicaSets.x.objects {
		c.r.taken[o.(*appsv1.ReplicaSet).Name] = true
	}
	return c.r.run(c.ctx, c.sync, d.Namespace+"/"+d.Name)
}
