// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"reflect"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	clientrecord "k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/replication"
)

// A Live controller calls a server, through Kubernetes' own pod control. It keeps its expectations
// from one pass to the next. Only its caches, its queue and its recorder are replaced.
type Live struct {
	ctx       context.Context
	r         *record
	informers map[string]*informer // by kind
	sync      syncFunc
	burst     *int
	counted   controller.ControllerExpectationsInterface
	named     *controller.UIDTrackingControllerExpectations // counted expectations, nil for DaemonSets
	backoff   **flowcontrol.Backoff
	waits     *waiting // of DaemonSets
	written   writes   // nil without protection against stale caches
}

// writes is a controller's record of the versions that it has written.
type writes interface {
	Clear(owner types.NamespacedName, uid types.UID)
}

// ForgetWrites drops the record of writes for an owner.
func (l *Live) ForgetWrites(owner metav1.Object) {
	if l.written != nil {
		l.written.Clear(types.NamespacedName{Namespace: owner.GetNamespace(), Name: owner.GetName()}, "")
	}
}

// Read sets the version up to which the cache of a kind has read.
func (l *Live) Read(kind, version string) { l.informers[kind].x.read = version }

// waiting can keep expectations unsatisfied until the end of the pass that raised them, even if
// failed calls have lowered them.
type waiting struct {
	controller.ControllerExpectationsInterface
	on, raised bool
}

func (w *waiting) SetExpectations(logger klog.Logger, key string, creations, deletions int) error {
	w.raised = w.raised || creations+deletions > 0
	return w.ControllerExpectationsInterface.SetExpectations(logger, key, creations, deletions)
}

func (w *waiting) SatisfiedExpectations(logger klog.Logger, key string) bool {
	return !(w.on && w.raised) && w.ControllerExpectationsInterface.SatisfiedExpectations(logger, key)
}

// Wait makes a DaemonSet controller leave the rest of a pass that was to create or delete pods to
// the next pass.
func (l *Live) Wait(on bool) { l.waits.on = on }

func newLive(kinds ...string) *Live {
	l := &Live{ctx: quiet(), r: &record{}, informers: map[string]*informer{}}
	for _, k := range kinds {
		l.informers[k] = newInformer()
	}
	return l
}

func (l *Live) podControl(client kubernetes.Interface) controller.RealPodControl {
	return controller.RealPodControl{KubeClient: client, Recorder: l.r}
}

// detach replaces the queues of a controller, and stops the broadcast of its events.
func (l *Live) detach(c any, queues ...string) {
	(*field[clientrecord.EventBroadcaster](c, "eventBroadcaster")).Shutdown()
	for _, name := range queues {
		q := field[workqueue.TypedRateLimitingInterface[string]](c, name)
		(*q).ShutDown()
		*q = &l.r.queue
	}
}

// LiveDeployments is the controller of Deployments.
func LiveDeployments(client kubernetes.Interface) (*Live, error) {
	l := newLive("Deployment", "ReplicaSet", "Pod")
	dc, err := deployment.NewDeploymentController(l.ctx, deploymentInformer{l.informers["Deployment"]},
		replicaSetInformer{l.informers["ReplicaSet"]}, podInformer{l.informers["Pod"]}, client)
	if err != nil {
		return nil, err
	}
	l.detach(dc, "queue")
	*field[clientrecord.EventRecorder](dc, "eventRecorder") = l.r
	*field[controller.RSControlInterface](dc, "rsControl") = controller.RealRSControl{KubeClient: client, Recorder: l.r}
	l.sync = *field[syncFunc](dc, "syncHandler")
	return l, nil
}

// LiveReplicaSets is the controller of ReplicaSets.
func LiveReplicaSets(client kubernetes.Interface) (*Live, error) {
	l := newLive("ReplicaSet", "Pod")
	rsc := newBaseController(l.informers["ReplicaSet"], l.informers["Pod"], client, l.podControl(client),
		clientrecord.NewBroadcaster(clientrecord.WithContext(l.ctx)))
	l.replicas(rsc)
	l.sync = *field[syncFunc](rsc, "syncHandler")
	return l, nil
}

// LiveReplicationControllers is the controller of ReplicationControllers.
func LiveReplicationControllers(client kubernetes.Interface) (*Live, error) {
	l := newLive("ReplicationController", "Pod")
	rm := replication.NewReplicationManager(l.ctx, podInformer{l.informers["Pod"]}, controllerInformer{l.informers["ReplicationController"]},
		client, replication.BurstReplicas)
	rsc := &rm.ReplicaSetController
	control := field[controller.PodControlInterface](rsc, "podControl")
	adapter := reflect.New(reflect.TypeOf(*control)).Elem() // it converts ReplicaSets back
	adapter.FieldByName("PodControlInterface").Set(reflect.ValueOf(l.podControl(client)))
	*control = adapter.Interface().(controller.PodControlInterface)
	trustCaches(rsc)
	l.replicas(rsc)
	l.sync = func(ctx context.Context, key string) error { return syncReplicaSet(rsc, ctx, key) }
	return l, nil
}

func (l *Live) replicas(rsc *replicaset.ReplicaSetController) {
	l.detach(rsc, "queue")
	l.burst = field[int](rsc, "burstReplicas")
	l.named = *field[*controller.UIDTrackingControllerExpectations](rsc, "expectations")
	l.counted = l.named.ControllerExpectationsInterface
}

// LiveDaemonSets is the controller of DaemonSets.
func LiveDaemonSets(client kubernetes.Interface) (*Live, error) {
	l, dsc, err := newLiveDaemonSets(client)
	if err != nil {
		return nil, err
	}
	*field[controller.PodControlInterface](dsc, "podControl") = l.podControl(client)
	trustCaches(dsc)
	return l, nil
}

// newLiveDaemonSets is the controller of DaemonSets with its own pod control.
func newLiveDaemonSets(client kubernetes.Interface) (*Live, *daemon.DaemonSetsController, error) {
	l := newLive("DaemonSet", "ControllerRevision", "Pod", "Node")
	dsc, err := daemon.NewDaemonSetsController(l.ctx, daemonSetInformer{l.informers["DaemonSet"]}, revisionInformer{l.informers["ControllerRevision"]},
		podInformer{l.informers["Pod"]}, nodeInformer{l.informers["Node"]}, client, newBackoff())
	if err != nil {
		return nil, nil, err
	}
	l.detach(dsc, "queue", "nodeUpdateQueue")
	*field[clientrecord.EventRecorder](dsc, "eventRecorder") = l.r
	*field[controller.ControllerRevisionControlInterface](dsc, "crControl") = controller.RealControllerRevisionControl{KubeClient: client}
	l.backoff = field[*flowcontrol.Backoff](dsc, "failedPodsBackoff")
	expectations := field[controller.ControllerExpectationsInterface](dsc, "expectations")
	l.waits = &waiting{ControllerExpectationsInterface: *expectations}
	*expectations, l.counted = l.waits, l.waits
	l.sync = *field[syncFunc](dsc, "syncHandler")
	return l, dsc, nil
}

// Fill replaces the contents of the caches of each kind, in order.
func (l *Live) Fill(objects []metav1.Object) {
	byKind := map[string][]metav1.Object{}
	for _, o := range objects {
		kind := reflect.TypeOf(o).Elem().Name()
		byKind[kind] = append(byKind[kind], o)
	}
	for kind, i := range l.informers {
		fill(i.x, byKind[kind])
	}
}

// Fail replaces a DaemonSet controller's record of failed pods.
func (l *Live) Fail(ds *appsv1.DaemonSet, failures []Failure) {
	*l.backoff = backoffAfter(ds, failures)
}

// SetBurst limits how many pods a pass creates or deletes.
func (l *Live) SetBurst(n int) { *l.burst = n }

// Forget drops the expectations for an owner.
func (l *Live) Forget(owner metav1.Object) {
	if l.named != nil {
		l.named.DeleteExpectations(logr.Discard(), key(owner))
	} else if l.counted != nil {
		l.counted.DeleteExpectations(logr.Discard(), key(owner))
	}
}

// Expected returns the numbers of creations and deletions that are still expected for an owner.
func (l *Live) Expected(owner metav1.Object) (creations, deletions int64) {
	if l.counted == nil {
		return 0, 0
	}
	e, found, err := l.counted.GetExpectations(key(owner))
	if err != nil || !found {
		return 0, 0
	}
	return e.GetExpectations()
}

// Run runs one pass for an owner. The result has no writes: the server has them.
func (l *Live) Run(owner metav1.Object) Result {
	l.r.reset()
	if l.waits != nil {
		l.waits.raised = false
	}
	return l.r.run(l.ctx, l.sync, key(owner))
}

func key(o metav1.Object) string { return o.GetNamespace() + "/" + o.GetName() }
