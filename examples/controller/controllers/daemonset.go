// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/revision"
)

type daemonSetReconciler struct {
	base
	followed followers[daemonset.Tracker]
}

func (r *daemonSetReconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	ds := &appsv1.DaemonSet{}
	if err := r.cache.Get(ctx, req.NamespacedName, ds, shared); err != nil {
		r.followed.drop(req.NamespacedName)
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !r.takes(ctx, ds) {
		r.followed.drop(req.NamespacedName)
		return reconcile.Result{}, nil
	}
	var revisions appsv1.ControllerRevisionList
	if err := r.cache.List(ctx, &revisions, client.InNamespace(ds.Namespace), shared); err != nil {
		return reconcile.Result{}, err
	}
	history := pointers(revisions.Items)
	known := []metav1.Object{ds}
	for _, rev := range history {
		known = append(known, rev)
	}
	if r.tracker.behind(ds.UID, known...) {
		return reconcile.Result{RequeueAfter: behindDelay}, nil
	}
	tr, err := r.follow(ctx, ds, history)
	if err != nil {
		r.followed.drop(req.NamespacedName)
		return reconcile.Result{}, err
	}
	return r.act(ctx, ds, history, tr.Pass)
}

// follow reads all nodes, its own pods and orphans, and passes the Tracker the current
// state.
func (r *daemonSetReconciler) follow(ctx context.Context, ds *appsv1.DaemonSet, history []*appsv1.ControllerRevision) (*daemonset.Tracker, error) {
	read := expect.Versions{Children: r.read.version(&corev1.Pod{}), Owner: r.read.version(ds)}
	known := r.tracker.of(ds.UID)
	unseen := !known.expected.Satisfied(time.Now())
	pods, err := r.podsFor(ctx, ds, ds.Spec.Selector)
	if err != nil {
		return nil, err
	}
	var nodes corev1.NodeList
	if err := r.cache.List(ctx, &nodes, shared); err != nil {
		return nil, err
	}
	s, err := kube.DaemonSetSnapshot(ds, nil, nil, history)
	if err != nil {
		return nil, reconcile.TerminalError(err)
	}
	f := r.followed.get(ds)
	return &f.tracker, tellDaemon(f, daemonset.Delta{
		DaemonSet: &s.DaemonSet, Revisions: append([]revision.ControllerRevision{}, s.Revisions...),
		Backoff: &known.backoff, Unseen: &unseen, Written: &known.versions, Read: &read,
	}, pods, pointers(nodes.Items))
}

// options returns the options of the reconciler's plans.
func (r *daemonSetReconciler) options() (o daemonset.Options) {
	if r.corrected {
		o.Repair = quirk.All
	}
	return o
}

// A daemonPlanner makes the plan of a pass: from a Tracker, or from a snapshot for a single pass.
type daemonPlanner func(time.Time, daemonset.Options) (daemonset.Pass, error)

// act plans, carries out the plan, plans again if an object to be adopted is gone, and
// writes the status.
func (r *daemonSetReconciler) act(ctx context.Context, ds *appsv1.DaemonSet, history []*appsv1.ControllerRevision, plan daemonPlanner) (reconcile.Result, error) {
	var result daemonset.Result
	o := r.options()
	for {
		pass, err := plan(time.Now(), o)
		if err != nil {
			return reconcile.Result{}, reconcile.TerminalError(err)
		}
		if stale(pass.Plan.Holds) {
			return reconcile.Result{RequeueAfter: behindDelay}, nil
		}
		r.tracker.expect(ds.UID, func(e expect.Expectations) expect.Expectations { return pass.Plan.Expect(e, time.Now()) })
		report := r.executor().DaemonSet(ctx, ds, history, pass.Plan)
		r.tracker.expect(ds.UID, func(e expect.Expectations) expect.Expectations {
			report.Expectations = e
			result = pass.Finish(report)
			return result.Expectations
		})
		if result.Again == nil {
			break
		}
		next := *result.Again
		plan = func(now time.Time, o daemonset.Options) (daemonset.Pass, error) {
			return daemonset.NewPass(next, now, o)
		}
	}
	r.tracker.change(ds.UID, func(m *memory) { m.backoff = result.Backoff })
	for _, e := range result.Events {
		r.events.Event(ds, e.Type, e.Reason, e.Message)
	}
	written := result.Written
	if result.WriteStatus {
		request := kube.DaemonSetStatusRequest(ds, result.Status)
		if err := r.client.Do(ctx, request); err == nil {
			written = written.WroteOwner(string(ds.UID), request.Object.GetResourceVersion())
		} else if result.Err == nil {
			result.Err, result.RecheckAt = err, time.Time{}
		}
	}
	r.tracker.change(ds.UID, func(m *memory) { m.versions = written })
	return again(result.Err, result.RecheckAt)
}

func (r *daemonSetReconciler) podEvents() handler.EventHandler {
	return changes(func(ctx context.Context, before, after *corev1.Pod, q queue) {
		r.changed(ctx, daemonset.Change{
			Pod: daemonset.PodEvent{Old: as(before, kube.DaemonSetPod), New: as(after, kube.DaemonSetPod)},
		}, present(before, after), q)
	})
}

func (r *daemonSetReconciler) revisionEvents() handler.EventHandler {
	return changes(func(ctx context.Context, before, after *appsv1.ControllerRevision, q queue) {
		if after == nil {
			r.tracker.gone(before, metav1.GetControllerOfNoCopy(before))
		}
		r.changed(ctx, daemonset.Change{
			Revision: daemonset.RevisionEvent{Old: as(before, kube.ControllerRevision), New: as(after, kube.ControllerRevision)},
		}, present(before, after), q)
	})
}

// changed queues the DaemonSets that a change of a child concerns.
func (r *daemonSetReconciler) changed(ctx context.Context, c daemonset.Change, child []metav1.Object, q queue) {
	owners := owners(ctx, &r.base, daemonset.Kind, func() []appsv1.DaemonSet {
		var all appsv1.DaemonSetList
		_ = r.cache.List(ctx, &all, client.InNamespace(child[0].GetNamespace()), shared) // a cache that has started does not fail
		return all.Items
	}, child...)
	sets := make([]daemonset.DaemonSet, len(owners))
	for i, ds := range owners { // as much as decides about events
		sets[i] = daemonset.DaemonSet{
			Name: ds.Name, UID: string(ds.UID), Selector: kube.LabelSelector(ds.Spec.Selector), MinReadySeconds: ds.Spec.MinReadySeconds,
		}
	}
	take(&r.base, daemonset.Effects(c, sets, r.options()), owners, q)
}

// nodeEvents wakes up the DaemonSets to which a node matters. A node that is gone
// matters to none: its pods are deleted anyway, and their deletion has events.
func (r *daemonSetReconciler) nodeEvents() handler.EventHandler {
	changed := func(ctx context.Context, old, now *corev1.Node, q queue) {
		var all appsv1.DaemonSetList
		_ = r.cache.List(ctx, &all, shared) // a cache that has started does not fail
		for i := range all.Items {
			if wakes(&all.Items[i], old, now, r.options()) {
				q.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&all.Items[i])})
			}
		}
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) { changed(ctx, nil, e.Object.(*corev1.Node), q) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			changed(ctx, e.ObjectOld.(*corev1.Node), e.ObjectNew.(*corev1.Node), q)
		},
	}
}

// wakes reports whether a change of a node may matter to a DaemonSet.
func wakes(ds *appsv1.DaemonSet, old, now *corev1.Node, o daemonset.Options) bool {
	snapshot, err := kube.DaemonSet(ds)
	if err != nil {
		return false
	}
	c := daemonset.Change{Node: daemonset.NodeEvent{Old: as(old, kube.Node), New: as(now, kube.Node)}}
	for _, c.Bound = range [][]string{nil, {snapshot.UID}} {
		if len(daemonset.Effects(c, []daemonset.DaemonSet{snapshot}, o)) > 0 {
			return true
		}
	}
	return false
}
