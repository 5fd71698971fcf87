// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
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
		o.Repair = quirk.All
	}
	return o
}

// plan makes the plan of a pass. With the fence it makes one step at a time.
func (r *deploymentReconciler) plan(s deploy.Snapshot, now time.Time) (deploy.Pass, error) {
	pass, err := deploy.NewPass(s, now, r.options())
	switch {
	case err != nil:
		return deploy.Pass{}, reconcile.TerminalError(err)
	case r.fenced:
		pass.Plan = stepwise(pass.Plan)
	}
	return pass, nil
}

// act plans and carries out the plan, and plans again if a ReplicaSet to be adopted is
// gone.
func (r *deploymentReconciler) act(ctx context.Context, d *appsv1.Deployment, sets []*appsv1.ReplicaSet, s deploy.Snapshot, now time.Time) (reconcile.Result, error) {
	var pass deploy.Pass
	var result deploy.Result
	for next := &s; next != nil; next = result.Again {
		var err error
		if pass, err = r.plan(*next, now); err != nil {
			return reconcile.Result{}, err
		}
		report := r.executor().Deployment(ctx, d, sets, pass.Plan)
		report.Existing = r.existing(ctx, d.Namespace, pass.Plan, report)
		result = pass.Finish(report)
		if r.fenced {
			break // growths of another plan are not recorded
		}
	}
	for _, e := range result.Events {
		r.events.Event(d, e.Type, e.Reason, e.Message)
	}
	if result.WriteStatus && (result.Err != nil || !resizes(pass.Plan)) {
		if err := r.client.Do(ctx, kube.DeploymentStatusRequest(d, result)); err != nil && result.Err == nil {
			return again(err, time.Time{})
		}
	}
	return again(result.Err, result.RecheckAt)
}

// existing returns the ReplicaSet that has the name of the new one, if the creation was refused for
// that. It may be a stranger, which the snapshot does not have.
func (r *deploymentReconciler) existing(ctx context.Context, namespace string, p deploy.Plan, report deploy.Report) *replicaset.ReplicaSet {
	i := slices.IndexFunc(report.Outcomes, func(o kplan.Outcome) bool { return o.Answer == kplan.AlreadyExists })
	if i < 0 {
		return nil
	}
	var rs appsv1.ReplicaSet
	name := p.Actions[i].(deploy.CreateReplicaSet).Name
	if err := r.cache.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &rs); err != nil {
		return nil // the cache does not have it yet: the pass is tried again
	}
	return new(kube.ReplicaSet(&rs))
}

// resizes reports whether a plan changes sizes and nothing else in the status. The
// next pass, which comes as soon as the cache shows the sizes, would write the status again,
// so it is left to that pass. The status after a new ReplicaSet is not left to it: it says
// that the ReplicaSet was created, which no later pass knows.
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

// podsOf returns the pods of a Deployment, which only Recreate needs.
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
	return changes(func(ctx context.Context, before, after *appsv1.ReplicaSet, q queue) {
		if after == nil {
			r.tracker.gone(before, metav1.GetControllerOfNoCopy(before))
		}
		owners := r.owners(ctx, present(before, after)...)
		take(&r.base, deploy.Effects(deploy.Change{
			ReplicaSet: deploy.ReplicaSetEvent{Old: as(before, kube.ReplicaSet), New: as(after, kube.ReplicaSet)},
		}, routed(owners), nil), owners, q)
	})
}

// podEvents wakes up a Deployment that waits for its old pods to end: their ReplicaSets lead
// to it.
func (r *deploymentReconciler) podEvents() handler.EventHandler {
	return changes(func(ctx context.Context, before, after *corev1.Pod, q queue) {
		if after != nil {
			return
		}
		all := func() []appsv1.ReplicaSet { return nil } // a pod without a controller concerns no Deployment
		for _, rs := range owners(ctx, &r.base, replicaset.Kind, all, before) {
			owners := r.owners(ctx, rs)
			take(&r.base, deploy.Effects(deploy.Change{Pod: replicaset.PodEvent{Old: as(before, kube.Pod)}},
				routed(owners), []replicaset.ReplicaSet{kube.ReplicaSet(rs)}), owners, q)
		}
	})
}

// owners returns the Deployments that changes of ReplicaSets may concern.
func (r *deploymentReconciler) owners(ctx context.Context, sets ...metav1.Object) []*appsv1.Deployment {
	return owners(ctx, &r.base, deploy.Kind, func() []appsv1.Deployment {
		var all appsv1.DeploymentList
		_ = r.cache.List(ctx, &all, client.InNamespace(sets[0].GetNamespace()), shared) // a cache that has started does not fail
		return all.Items
	}, sets...)
}

// routed returns Deployments with the fields that decide about events.
func routed(list []*appsv1.Deployment) []deploy.Deployment {
	deployments := make([]deploy.Deployment, len(list))
	for i, d := range list {
		deployments[i] = deploy.Deployment{
			Name: d.Name, UID: string(d.UID), Selector: kube.LabelSelector(d.Spec.Selector), Strategy: deploy.Strategy(d.Spec.Strategy.Type),
		}
	}
	return deployments
}
