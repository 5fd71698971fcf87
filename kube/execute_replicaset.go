// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/replicaset"
)

// ReplicaSet makes the calls of a plan for rs, and returns their outcomes for
// replicaset.Finish. The expectations of the report are left to the caller, which raises them
// before and sees the events meanwhile.
//
// Adoptions wait for the check that rs still exists. If a claim fails, or a pod to be adopted
// is gone, no pod is created or deleted, not even in the dialects of Kubernetes 1.5: there the
// pass continues with Again of replicaset.Finish. Pods are created in batches that double, and
// none after a batch with a failure; pods are deleted all at once. A pod that has changed since
// it was read is not deleted and, if the plan deletes it as well, not adopted.
func (e Executor) ReplicaSet(ctx context.Context, rs *appsv1.ReplicaSet, p replicaset.Plan) replicaset.Report {
	rs = orEmptySet(rs)
	x := podExecutor{Executor: e, namespace: rs.Namespace, plan: p}
	x.live = func() error { return live(ctx, e.Client, rs, &appsv1.ReplicaSet{}, replicaset.Kind) }
	x.pod = func() *corev1.Pod { return NewPod(rs) }
	return x.execute(ctx)
}

// ReplicationController is [Executor.ReplicaSet] for rc.
func (e Executor) ReplicationController(ctx context.Context, rc *corev1.ReplicationController, p replicaset.Plan) replicaset.Report {
	if rc == nil {
		rc = &corev1.ReplicationController{}
	}
	x := podExecutor{Executor: e, namespace: rc.Namespace, plan: p}
	x.live = func() error {
		return live(ctx, e.Client, rc, &corev1.ReplicationController{}, replicaset.KindController)
	}
	x.pod = func() *corev1.Pod { return NewControllerPod(rc) }
	return x.execute(ctx)
}

// A podExecutor carries out a plan of package replicaset.
type podExecutor struct {
	Executor
	namespace string
	plan      replicaset.Plan
	live      func() error       // checks the owner
	pod       func() *corev1.Pod // a new one
	versions  map[string]string  // that adoptions have left, by name of the pod
	report    replicaset.Report
}

func (x *podExecutor) execute(ctx context.Context) replicaset.Report {
	if !x.claim(ctx) {
		return x.report
	}
	var deletes []replicaset.DeletePod
	for _, a := range x.plan.Actions {
		switch a := a.(type) {
		case replicaset.CreatePods:
			x.create(ctx, a)
		case replicaset.DeletePod:
			if version, adopted := x.versions[a.Name]; adopted {
				a.ResourceVersion = version
			}
			deletes = append(deletes, a)
		}
	}
	x.report.Deletes = all(len(deletes), func(i int) kplan.Outcome {
		return x.deletePod(ctx, x.namespace, deletes[i].Name, convert.DeleteOptions(deletes[i].UID, deletes[i].ResourceVersion))
	})
	return x.report
}

// claim makes all adoptions and releases, and reports whether the rest of the plan may
// follow.
func (x *podExecutor) claim(ctx context.Context) bool {
	if x.plan.LiveCheck {
		x.report.LiveCheck = x.live()
	}
	deleted := map[string]string{} // the versions that the plan deletes
	for _, a := range x.plan.Actions {
		if a, ok := a.(replicaset.DeletePod); ok {
			deleted[a.Name] = a.ResourceVersion
		}
	}
	x.versions = map[string]string{}
	ok := x.report.LiveCheck == nil
	for _, a := range x.plan.Actions {
		switch a := a.(type) {
		case replicaset.AdoptPod:
			var o kplan.Outcome
			if x.report.LiveCheck == nil {
				patch, err := versioned(strategic(a.Patch()), nil, deleted[a.Name])
				o = x.patch(ctx, podNamed(x.namespace, a.Name), patch, err)
				x.versions[a.Name] = o.ResourceVersion
			}
			ok = ok && o.Adopted() == nil
			x.report.Claims = append(x.report.Claims, o)
		case replicaset.ReleasePod:
			o := x.patch(ctx, podNamed(x.namespace, a.Name), strategic(a.Patch()), nil)
			ok = ok && o.Released() == nil
			x.report.Claims = append(x.report.Claims, o)
		}
	}
	return ok
}

func (x *podExecutor) create(ctx context.Context, a replicaset.CreatePods) {
	var made []kplan.Outcome
	for n := a.NextBatch(made); n > 0; n = a.NextBatch(made) {
		made = append(made, all(int(n), func(int) kplan.Outcome { return x.createPod(ctx, created(x.pod(), a)) })...)
	}
	x.report.Creates = made
}

// created returns the new pod of an action.
func created(pod *corev1.Pod, a replicaset.CreatePods) *corev1.Pod {
	if a.WithoutController {
		pod.OwnerReferences = nil
	}
	return pod
}

// patch sends a patch of an object, unless err is set.
func (e Executor) patch(ctx context.Context, o Object, p Patch, err error) kplan.Outcome {
	if err != nil {
		return Outcome(err)
	}
	return e.do(ctx, Request{Verb: VerbPatch, Object: o, Patch: p})
}

// ReplicaSetStatusRequest returns the write of a status of rs, as replicaset.Finish
// asks for it. It fails with a conflict if rs has changed since it was read.
func ReplicaSetStatusRequest(rs *appsv1.ReplicaSet, s replicaset.Status) Request {
	updated := orEmptySet(rs).DeepCopy()
	updated.Status = ReplicaSetStatus(s)
	return Request{Verb: VerbUpdate, Object: updated, Subresource: "status"}
}

// ReplicationControllerStatusRequest is [ReplicaSetStatusRequest] for rc.
func ReplicationControllerStatusRequest(rc *corev1.ReplicationController, s replicaset.Status) Request {
	if rc == nil {
		rc = &corev1.ReplicationController{}
	}
	updated := rc.DeepCopy()
	updated.Status = ReplicationControllerStatus(s)
	return Request{Verb: VerbUpdate, Object: updated, Subresource: "status"}
}

func orEmptySet(rs *appsv1.ReplicaSet) *appsv1.ReplicaSet {
	if rs == nil {
		return &appsv1.ReplicaSet{}
	}
	return rs
}

func podNamed(namespace, name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}
