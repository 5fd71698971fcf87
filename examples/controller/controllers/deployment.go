// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
)

type deploymentReconciler struct{ base }

func (r *deploymentReconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	d := &appsv1.Deployment{}
	if err := r.cache.Get(ctx, req.NamespacedName, d, shared); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !r.takes(ctx, d) {
		return reconcile.Result{}, nil
	}
	sets, err := r.replicaSets(ctx, d.Namespace, string(d.UID), orphan)
	if err != nil {
		return reconcile.Result{}, err
	}
	if r.tracker.behind(d.UID, objects(d, sets)...) {
		return reconcile.Result{RequeueAfter: behindDelay}, nil
	}
	pods, err := r.podsOf(ctx, d, sets)
	if err != nil {
		return reconcile.Result{}, err
	}
	snapshot, err := kube.Snapshot(d, sets, pods)
	if err != nil {
		return reconcile.Result{}, reconcile.TerminalError(err)
	}
	now := time.Now()
	if r.fenced {
		before := d
		var wait reconcile.Result
		if d, wait, err = r.fence(ctx, d, sets, snapshot, now); d == nil {
			return wait, err
		}
		if d != before {
			if snapshot, err = kube.Snapshot(d, sets, pods); err != nil {
				return reconcile.Result{}, reconcile.TerminalError(err)
			}
		}
	}
	return r.act(ctx, d, sets, snapshot, now)
}

func (r *deploymentReconciler) options() (o deploy.Options) {
	if r.corrected {
		o.Repair = deploy.RepairAll
	}
	return o
}

// plan decides. With the fence it takes one step at a time.
func (r *deploymentReconciler) plan(s deploy.Snapshot, now time.Time) (deploy.Plan, error) {
	plan, err := deploy.Reconcile(s, now, r.options())
	switch {
	case err != nil:
		return deploy.Plan{}, reconcile.TerminalError(err)
	case r.fenced:
		return stepwise(plan), nil
	}
	return plan, nil
}

// act plans and carries out the plan, again if a ReplicaSet that was to be adopted is gone.
func (r *deploymentReconciler) act(ctx context.Context, d *appsv1.Deployment, sets []*appsv1.ReplicaSet, s deploy.Snapshot, now time.Time) (reconcile.Result, error) {
	o := r.options()
	var plan deploy.Plan
	var result deploy.Result
	for next := &s; next != nil; next = result.Again {
		var err error
		if plan, err = r.plan(*next, now); err != nil {
			return reconcile.Result{}, err
		}
		result = deploy.Finish(*next, plan, r.executor().Deployment(ctx, d, sets, plan), now, o)
		if r.fenced {
			break // what another plan would grow is not recorded
		}
	}
	for _, e := range result.Events {
		r.events.Event(d, e.Type, e.Reason, e.Message)
	}
	if result.WriteStatus && (result.Err != nil || !resizes(plan)) {
		if err := r.client.Do(ctx, kube.DeploymentStatusRequest(d, result)); err != nil && result.Err == nil {
			return again(err, time.Time{})
		}
	}
	return again(result.Err, result.RecheckAt)
}

// resizes reports whether a plan changes sizes and nothing else that the status tells. The
// next pass, which comes as soon as the cache shows the sizes, would write the status again,
// so it is left to that one. The status that goes with a new ReplicaSet says that there is
// one, which no later pass knows.
func resizes(p deploy.Plan) bool {
	scales := false
	for _, a := range p.Actions {
		switch a.(type) {
		case deploy.ScaleReplicaSet:
			scales = true
		case deploy.AnnotateReplicaSet:
		default:
			return false
		}
	}
	return scales
}

// podsOf returns the pods of a Deployment, which only Recreate looks at.
func (r *deploymentReconciler) podsOf(ctx context.Context, d *appsv1.Deployment, sets []*appsv1.ReplicaSet) ([]*corev1.Pod, error) {
	if d.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType {
		return nil, nil
	}
	owners := make([]string, len(sets))
	for i, rs := range sets {
		owners[i] = string(rs.UID)
	}
	return r.pods(ctx, d.Namespace, owners...)
}

func objects(d *appsv1.Deployment, sets []*appsv1.ReplicaSet) []metav1.Object {
	list := []metav1.Object{d}
	for _, rs := range sets {
		list = append(list, rs)
	}
	return list
}

func (r *deploymentReconciler) replicaSetEvents() handler.EventHandler {
	return family{kind: deploy.Kind, tracker: r.tracker, orphans: func(ctx context.Context, rs client.Object) []reconcile.Request {
		var all appsv1.DeploymentList
		_ = r.cache.List(ctx, &all, client.InNamespace(rs.GetNamespace()), shared) // a cache that has started does not fail
		return selecting(all.Items, rs, func(d *appsv1.Deployment) (client.Object, *metav1.LabelSelector) { return d, d.Spec.Selector })
	}}.events()
}

// podEvents wakes a Deployment up that waits for its old pods to end: the ReplicaSet of a
// pod that has ended or is gone leads to it.
func (r *deploymentReconciler) podEvents() handler.EventHandler {
	ended := func(ctx context.Context, pod *corev1.Pod, q queue) {
		owner := metav1.GetControllerOfNoCopy(pod)
		if owner == nil || owner.Kind != replicaset.Kind {
			return
		}
		var rs appsv1.ReplicaSet
		if err := r.cache.Get(ctx, client.ObjectKey{Namespace: pod.Namespace, Name: owner.Name}, &rs, shared); err != nil {
			return
		}
		var d appsv1.Deployment
		parent := metav1.GetControllerOfNoCopy(&rs)
		if parent == nil || r.cache.Get(ctx, client.ObjectKey{Namespace: pod.Namespace, Name: parent.Name}, &d, shared) != nil {
			return
		}
		if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
			q.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&d)})
		}
	}
	return podEnds(ended)
}
