// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// ReplicaSet makes the calls of a plan for rs, and returns their outcomes for
// replicaset.Pass.Finish. The expectations of the report are left to the caller, which raises them
// before and sees the events meanwhile.
//
// Adoptions wait for the check that rs still exists. If a claim fails, or a pod to be adopted
// is gone, no pod is created or deleted, not even in the dialects of Kubernetes 1.5: there the
// pass continues with Again of replicaset.Pass.Finish. Pods are created in batches that double, and
// none after a batch with a failure; pods are deleted all at once. A pod that has changed since
// it was read is not deleted and, if the plan deletes it as well, not adopted.
func (e Executor) ReplicaSet(ctx context.Context, rs *appsv1.ReplicaSet, p replicaset.Plan) replicaset.Report {
	rs = convert.Or(rs)
	x := pass{Executor: e, fresh: &appsv1.ReplicaSet{ObjectMeta: named(rs.Namespace, rs.Name)}}
	x.owner = Owner(rs, appsv1.SchemeGroupVersion.WithKind(replicaset.Kind), selector.Selector{})
	return x.pods(ctx, func() *corev1.Pod { return NewPod(rs) }, p)
}

// ReplicationController is [Executor.ReplicaSet] for rc.
func (e Executor) ReplicationController(ctx context.Context, rc *corev1.ReplicationController, p replicaset.Plan) replicaset.Report {
	rc = convert.Or(rc)
	x := pass{Executor: e, fresh: &corev1.ReplicationController{ObjectMeta: named(rc.Namespace, rc.Name)}}
	x.owner = Owner(rc, corev1.SchemeGroupVersion.WithKind(replicaset.KindController), selector.Selector{})
	return x.pods(ctx, func() *corev1.Pod { return NewControllerPod(rc) }, p)
}

// pods carries out a plan for an owner with these pods.
func (x *pass) pods(ctx context.Context, pod func() *corev1.Pod, p replicaset.Plan) (report replicaset.Report) {
	x.written, x.checked = map[string]string{}, true
	if p.LiveCheck {
		x.checked = false
		report.LiveCheck = x.isLive(ctx)
	}
	var calls, deletes []call
	deleted := map[string]string{} // the versions that the plan deletes
	for _, a := range p.Actions {
		c := podCall(x.owner.Namespace, pod, a)
		if calls = append(calls, c); c.step == deletesPods {
			deletes = append(deletes, c)
			deleted[c.Object.GetName()] = c.version
		}
	}
	goes := report.LiveCheck == nil
	for _, c := range calls {
		if c.step == claims {
			c.version = deleted[c.Object.GetName()]
			o, ok := x.claim(ctx, c)
			report.Claims, goes = append(report.Claims, o), goes && ok
		}
	}
	if !goes {
		return report
	}
	for _, c := range calls {
		if c.step == createsPods {
			report.Creates = x.batches(ctx, c)
		}
	}
	report.Deletes = all(len(deletes), func(i int) kplan.Outcome { return x.do(ctx, deletes[i]) })
	return report
}

// batches makes a creation as often as it asks for, until one fails.
func (x *pass) batches(ctx context.Context, c call) (made []kplan.Outcome) {
	for n := c.batch(made); n > 0; n = c.batch(made) {
		made = append(made, all(int(n), func(int) kplan.Outcome { return x.do(ctx, c) })...)
	}
	return made
}

// ReplicaSetRequests returns the writes of an action of a plan for rs. They have the same
// preconditions as with [DeploymentRequests].
func ReplicaSetRequests(rs *appsv1.ReplicaSet, a replicaset.Action) ([]Request, error) {
	rs = convert.Or(rs)
	return podCall(rs.Namespace, func() *corev1.Pod { return NewPod(rs) }, a).requests()
}

// ReplicationControllerRequests is [ReplicaSetRequests] for rc.
func ReplicationControllerRequests(rc *corev1.ReplicationController, a replicaset.Action) ([]Request, error) {
	rc = convert.Or(rc)
	return podCall(rc.Namespace, func() *corev1.Pod { return NewControllerPod(rc) }, a).requests()
}

// podCall returns the call of an action in a namespace. New pods come from a function.
func podCall(namespace string, pod func() *corev1.Pod, a replicaset.Action) call {
	switch a := a.(type) {
	case replicaset.CreatePods:
		c := creatingPods(a.Count, func() (*corev1.Pod, error) {
			made := pod()
			if a.WithoutController {
				made.OwnerReferences = nil
			}
			return made, nil
		})
		c.batch = a.NextBatch
		return c
	case replicaset.DeletePod:
		return deleting(podNamed(namespace, a.Name), a.UID, a.ResourceVersion).in(deletesPods)
	case replicaset.AdoptPod:
		return adopting(podNamed(namespace, a.Name), a.Patch())
	case replicaset.ReleasePod:
		return releasing(podNamed(namespace, a.Name), a.Patch())
	}
	return failing(fmt.Errorf("unknown action %T", a))
}

func podNamed(namespace, name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: named(namespace, name)}
}

// ReplicaSetStatusRequest returns the write of a status of rs, as replicaset.Pass.Finish
// asks for it. It fails with a conflict if rs has changed since it was read.
func ReplicaSetStatusRequest(rs *appsv1.ReplicaSet, s replicaset.Status) Request {
	updated := convert.Or(rs).DeepCopy()
	updated.Status = ReplicaSetStatus(s)
	return Request{Verb: VerbUpdate, Object: updated, Subresource: "status"}
}

// ReplicationControllerStatusRequest is [ReplicaSetStatusRequest] for rc.
func ReplicationControllerStatusRequest(rc *corev1.ReplicationController, s replicaset.Status) Request {
	updated := convert.Or(rc).DeepCopy()
	updated.Status = ReplicationControllerStatus(s)
	return Request{Verb: VerbUpdate, Object: updated, Subresource: "status"}
}
