// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
)

// fence records the growths of the next pass in the Deployment, and returns the written
// Deployment: plans made from it may be carried out. If it returns nil, nothing may be
// written, and the result has the time of the next pass.
func (r *deploymentReconciler) fence(ctx context.Context, d *appsv1.Deployment, sets []*appsv1.ReplicaSet, s deploy.Snapshot, now time.Time) (*appsv1.Deployment, reconcile.Result, error) {
	pass, err := r.plan(s, now)
	if err != nil {
		return nil, reconcile.Result{}, err
	}
	next := growing(d, pass.Plan, sets)
	if len(next) == 0 {
		return d, reconcile.Result{}, nil
	}
	last, err := recorded(d)
	if err != nil {
		return nil, reconcile.Result{}, reconcile.TerminalError(err)
	}
	var cached []observedSet
	for _, rs := range sets {
		cached = append(cached, observedSetOf(rs))
	}
	free, err := r.clear(ctx, d, sets, last.against(next, cached))
	if err != nil {
		result, err := again(err, time.Time{})
		return nil, result, err
	}
	if !free {
		return nil, reconcile.Result{RequeueAfter: behindDelay}, nil
	}
	d, err = recording(d, next, metav1.NewTime(now))
	if err == nil {
		err = r.client.Do(ctx, kube.Request{Verb: kube.VerbUpdate, Object: d, Subresource: "status"})
	}
	if err != nil {
		result, err := again(err, time.Time{})
		return nil, result, err
	}
	return d, reconcile.Result{}, nil
}

// clear reports whether there is no obstacle, and voids growths that would stay pending
// forever.
func (r *deploymentReconciler) clear(ctx context.Context, d *appsv1.Deployment, sets []*appsv1.ReplicaSet, o obstacle) (bool, error) {
	for _, s := range o.missing {
		gone, err := r.gone(ctx, d.Namespace, s)
		if err != nil {
			return false, err
		}
		o.behind = o.behind || !gone
	}
	if o.behind || len(o.pending) == 0 {
		r.tracker.free(d.UID)
		return !o.behind, nil
	}
	if !r.tracker.stuck(d.UID, fmt.Sprint(o.pending)) {
		return false, nil
	}
	for _, s := range o.pending {
		void := deploy.AnnotateReplicaSet{Name: s.Name, UID: s.UID, ResourceVersion: s.Version, Set: map[string]string{AnnotationFence: s.Version}}
		report := r.executor().Deployment(ctx, d, sets, deploy.Plan{Actions: deploy.Actions{void}})
		if err := report.Outcomes[0].Err; err != nil {
			return false, err
		}
	}
	return false, nil
}

// gone asks the API server whether a ReplicaSet that the cache does not show is gone. If
// it exists, the cache will show it later.
func (r *deploymentReconciler) gone(ctx context.Context, namespace string, s observedSet) (bool, error) {
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: s.Name}}
	switch err := r.client.Get(ctx, rs); {
	case apierrors.IsNotFound(err):
		return true, nil
	case err != nil:
		return false, err
	}
	return string(rs.UID) != s.UID, nil
}
