// SPDX-License-Identifier: Apache-2.0

// Package controllers holds controllers for Deployments, ReplicaSets and DaemonSets that decide
// by kplan and act through controller-runtime. Each is a loop of four steps: read the objects
// from the cache, take a snapshot of them or pass a Tracker the differences from the last pass,
// plan, carry out the plan.
package controllers

import (
	"context"
	"errors"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// setup adds the controllers to a manager.
func setup(ctx context.Context, mgr ctrl.Manager, o Options, l *lease) error {
	events, err := kubernetes.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return err
	}
	read, err := newReadUpTo(ctx, mgr.GetCache(), &corev1.Pod{}, &appsv1.ReplicaSet{}, &appsv1.DaemonSet{})
	if err != nil {
		return err
	}
	t := newTracker()
	c := &apiClient{mgr.GetClient(), mgr.GetAPIReader(), t, l}
	b := func() base {
		return base{
			cache: mgr.GetClient(), client: c, events: recorder(ctx, mgr, events, o.Name),
			tracker: t, read: read, class: o.Class, corrected: o.Corrected, fenced: o.Fence,
		}
	}
	for _, child := range []client.Object{&appsv1.ReplicaSet{}, &corev1.Pod{}} {
		if err := mgr.GetFieldIndexer().IndexField(ctx, child, ownerIndex, ownerKey); err != nil {
			return err
		}
	}
	deployments, replicaSets, daemonSets := &deploymentReconciler{b()}, &replicaSetReconciler{base: b()}, &daemonSetReconciler{base: b()}
	return errors.Join(
		build(mgr, o, t, &appsv1.Deployment{}, "deployment").
			Watches(&appsv1.ReplicaSet{}, deployments.replicaSetEvents()).
			Watches(&corev1.Pod{}, deployments.podEvents()).
			Complete(deployments),
		build(mgr, o, t, &appsv1.ReplicaSet{}, "replicaset").
			Watches(&corev1.Pod{}, replicaSets.podEvents()).
			Watches(&appsv1.Deployment{}, replicaSets.deploymentEvents()).
			Complete(replicaSets),
		build(mgr, o, t, &appsv1.DaemonSet{}, "daemonset").
			Watches(&corev1.Pod{}, daemonSets.podEvents()).
			Watches(&appsv1.ControllerRevision{}, daemonSets.revisionEvents()).
			Watches(&corev1.Node{}, daemonSets.nodeEvents()).
			Complete(daemonSets),
	)
}

// retries is the pause between failed attempts: it doubles each time, beginning with 5 ms.
// Nothing else limits how often an object is looked at.
func retries(o Options) workqueue.TypedRateLimiter[reconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](5*time.Millisecond, o.MaxDelay)
}

// build begins a controller for a kind.
func build(mgr ctrl.Manager, o Options, t *tracker, kind client.Object, name string) *builder.Builder {
	gone := handler.Funcs{
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, _ queue) {
			if old := e.ObjectOld.GetUID(); old != e.ObjectNew.GetUID() {
				t.forget(old) // its deletion was missed
			}
		},
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, _ queue) { t.forget(e.Object.GetUID()) },
	}
	return ctrl.NewControllerManagedBy(mgr).Named(o.Name+"-"+name).For(kind).Watches(kind, gone).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: o.Workers,
			RateLimiter:             retries(o),
		})
}

// recorder returns an event recorder like the one of the built-in controllers: after 25
// events of an object in a row it drops most, and it drops all while more than 1,000
// wait. Therefore each controller has its own recorder.
func recorder(ctx context.Context, mgr ctrl.Manager, client kubernetes.Interface, name string) record.EventRecorder {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	return broadcaster.NewRecorder(mgr.GetScheme(), corev1.EventSource{Component: name})
}
