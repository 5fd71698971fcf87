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

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/replicaset/quirk"
)

type replicaSetReconciler struct {
	base
	followed followers[replicaset.Tracker]
}

func (r *replicaSetReconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	rs := &appsv1.ReplicaSet{}
	if err := r.cache.Get(ctx, req.NamespacedName, rs, shared); err != nil {
		r.followed.drop(req.NamespacedName)
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !r.takes(ctx, rs) {
		r.followed.drop(req.NamespacedName)
		return reconcile.Result{}, nil
	}
	if r.tracker.behind(rs.UID, rs) {
		return reconcile.Result{RequeueAfter: behindDelay}, nil
	}
	expectations := r.tracker.of(rs.UID).expected
	tr, err := r.follow(ctx, rs, expectations)
	if err != nil {
		r.followed.drop(req.NamespacedName)
		return reconcile.Result{}, err
	}
	return r.act(ctx, rs, expectations, tr.Pass)
}

// A setPlanner makes the plan of a pass: from a Tracker, or from a snapshot for a single pass.
type setPlanner func(time.Time, replicaset.Options) (replicaset.Pass, error)

// act plans, carries out the plan, plans again if a pod to be adopted is gone, and
// writes the status.
func (r *replicaSetReconciler) act(ctx context.Context, rs *appsv1.ReplicaSet, expectations expect.Expectations, plan setPlanner) (reconcile.Result, error) {
	var result replicaset.Result
	o := replicaset.Options{}
	if r.corrected {
		o.Repair = quirk.All
	}
	for {
		now := time.Now()
		pass, err := plan(now, o)
		if err != nil {
			return reconcile.Result{}, reconcile.TerminalError(err)
		}
		if stale(pass.Plan.Holds) {
			return reconcile.Result{RequeueAfter: behindDelay}, nil
		}
		if e := pass.Plan.Expect(expectations, now); !e.Equal(expectations) {
			r.tracker.expect(rs.UID, func(expect.Expectations) expect.Expectations { return e })
		}
		report := r.executor().ReplicaSet(ctx, rs, pass.Plan)
		r.tracker.expect(rs.UID, func(e expect.Expectations) expect.Expectations {
			report.Expectations = e
			result = pass.Finish(report)
			return result.Expectations
		})
		if result.Again == nil {
			break
		}
		next := *result.Again
		plan, expectations = func(now time.Time, o replicaset.Options) (replicaset.Pass, error) {
			return replicaset.NewPass(next, now, o)
		}, next.Expectations
	}
	for _, e := range result.Events {
		r.events.Event(rs, e.Type, e.Reason, e.Message)
	}
	wait, written := unseenUntil(result), result.Written
	if result.WriteStatus && wait.IsZero() {
		request := kube.ReplicaSetStatusRequest(rs, result.Status)
		if err := r.client.Do(ctx, request); err == nil {
			written = written.WroteOwner(string(rs.UID), request.Object.GetResourceVersion())
		} else if result.Err == nil {
			result.Err, result.RecheckAt = err, time.Time{}
		}
	}
	r.tracker.change(rs.UID, func(m *memory) { m.versions = written })
	return again(result.Err, sooner(result.RecheckAt, wait))
}

// unseenUntil returns the time until which the status waits for the cache to show
// created and deleted pods: it would soon be outdated. The event of the last of these
// pods starts the pass that writes the status, unless a pod was deleted before the cache
// saw it.
func unseenUntil(result replicaset.Result) time.Time {
	now, wait := time.Now(), result.Expectations.At.Add(behindLimit)
	if !result.WriteStatus || result.Err != nil || result.Expectations.Satisfied(now) || !now.Before(wait) {
		return time.Time{}
	}
	return wait
}

// follow reads the ReplicaSet's own pods and orphans, and if pods have to go also the
// pods of its siblings: their nodes decide which pods go. Then it passes the Tracker the
// current state.
func (r *replicaSetReconciler) follow(ctx context.Context, rs *appsv1.ReplicaSet, expectations expect.Expectations) (*replicaset.Tracker, error) {
	read := expect.Versions{Children: r.read.version(&corev1.Pod{}), Owner: r.read.version(rs)}
	pods, err := r.podsFor(ctx, rs, rs.Spec.Selector)
	if err != nil {
		return nil, err
	}
	var siblings []*appsv1.ReplicaSet
	owner := metav1.GetControllerOfNoCopy(rs)
	if owner != nil && int(*rs.Spec.Replicas) < len(pods) {
		if siblings, err = r.replicaSets(ctx, rs.Namespace, string(owner.UID)); err != nil {
			return nil, err
		}
		if pods, err = r.withNeighbours(ctx, pods, siblings); err != nil {
			return nil, err
		}
	}
	s, written, f := kube.ReplicaSetSnapshot(rs, nil, siblings), r.tracker.of(rs.UID).versions, r.followed.get(rs)
	return &f.tracker, tellSet(f, replicaset.Delta{
		ReplicaSet: &s.ReplicaSet, Siblings: append([]replicaset.ReplicaSet{}, s.Siblings...), Expectations: &expectations, Written: &written, Read: &read,
	}, pods)
}

// withNeighbours adds the pods that the ReplicaSets of a Deployment select, whatever
// their owner.
func (r *replicaSetReconciler) withNeighbours(ctx context.Context, pods []*corev1.Pod, siblings []*appsv1.ReplicaSet) ([]*corev1.Pod, error) {
	seen := make(map[string]bool, len(pods))
	for _, p := range pods {
		seen[p.Name] = true
	}
	for _, rs := range siblings {
		selector, err := metav1.LabelSelectorAsSelector(rs.Spec.Selector)
		if err != nil {
			continue // it selects nothing
		}
		var list corev1.PodList
		if err := r.cache.List(ctx, &list, client.InNamespace(rs.Namespace), client.MatchingLabelsSelector{Selector: selector}, shared); err != nil {
			return nil, err
		}
		for i := range list.Items {
			if p := &list.Items[i]; !seen[p.Name] {
				seen[p.Name] = true
				pods = append(pods, p)
			}
		}
	}
	return pods, nil
}

func (r *replicaSetReconciler) podEvents() handler.EventHandler {
	return changes(func(ctx context.Context, before, after *corev1.Pod, q queue) {
		pods := present(before, after)
		owners := owners(ctx, &r.base, replicaset.Kind, func() []appsv1.ReplicaSet {
			var all appsv1.ReplicaSetList
			_ = r.cache.List(ctx, &all, client.InNamespace(pods[0].GetNamespace()), shared) // a cache that has started does not fail
			return all.Items
		}, pods...)
		sets := make([]replicaset.ReplicaSet, len(owners))
		for i, rs := range owners { // as much as decides about events
			sets[i] = replicaset.ReplicaSet{
				Name: rs.Name, UID: string(rs.UID), Selector: kube.LabelSelector(rs.Spec.Selector), MinReadySeconds: rs.Spec.MinReadySeconds,
			}
		}
		take(&r.base, replicaset.Effects(replicaset.PodEvent{Old: as(before, kube.Pod), New: as(after, kube.Pod)}, sets), owners, q)
	})
}

// deploymentEvents wakes up the ReplicaSets of a Deployment when a change of the Deployment
// may decide whether they are taken: they have no event themselves then.
func (r *replicaSetReconciler) deploymentEvents() handler.EventHandler {
	wake := func(ctx context.Context, d client.Object, q queue) {
		sets, _ := r.replicaSets(ctx, d.GetNamespace(), string(d.GetUID())) // a cache that has started does not fail
		for _, rs := range sets {
			q.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(rs)})
		}
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) { wake(ctx, e.Object, q) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			if e.ObjectOld.GetAnnotations()[AnnotationClass] != e.ObjectNew.GetAnnotations()[AnnotationClass] {
				wake(ctx, e.ObjectNew, q)
			}
		},
	}
}
