package kube

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/replicaset"
)

// ExecuteReplicaSet makes the calls of a plan for rs, and returns what became of them
// for replicaset.Finish. The expectations of the report are left to the caller, who
// raises them before and sees the events meanwhile.
//
// Adoptions wait for the check that rs is still there. If a claim fails, no pod is
// created or deleted. Pods are created in batches that double, and none after a batch
// with a failure; pods are deleted all at once. A call whose outcome is not known,
// because the connection broke, is repeated until it is, for half a minute at most: a
// repeated creation has the same name, so that no pod is created twice. A pod that has
// changed since it was read is not deleted, and counts as one that is gone.
func ExecuteReplicaSet(ctx context.Context, c Client, rs *appsv1.ReplicaSet, p replicaset.Plan) replicaset.Report {
	rs = orEmptySet(rs)
	var r replicaset.Report
	if p.LiveCheck {
		r.LiveCheck = live(ctx, c, rs, &appsv1.ReplicaSet{}, replicaset.Kind)
	}
	failed := r.LiveCheck != nil
	var deletes []replicaset.DeletePod
	for _, a := range p.Actions {
		switch a := a.(type) {
		case replicaset.AdoptPod:
			var o replicaset.Outcome
			if r.LiveCheck == nil {
				o = outcome(c.Do(ctx, patchPod(rs.Namespace, a.Name, AdoptPodPatch(a))))
			}
			failed = failed || tolerant(o.Err, false) != nil
			r.Claims = append(r.Claims, o)
		case replicaset.ReleasePod:
			o := outcome(c.Do(ctx, patchPod(rs.Namespace, a.Name, ReleasePodPatch(a))))
			failed = failed || tolerant(o.Err, true) != nil
			r.Claims = append(r.Claims, o)
		case replicaset.CreatePods:
			if !failed {
				r.Creates = createPods(ctx, c, rs, a)
			}
		case replicaset.DeletePod:
			deletes = append(deletes, a)
		}
	}
	if !failed {
		r.Deletes = all(len(deletes), func(i int) replicaset.Outcome {
			return deletePod(ctx, c, rs.Namespace, deletes[i].Name, DeletePodOptions(deletes[i]))
		})
	}
	return r
}

func createPods(ctx context.Context, c Client, rs *appsv1.ReplicaSet, a replicaset.CreatePods) []replicaset.Outcome {
	var made []replicaset.Outcome
	for n := a.NextBatch(made); n > 0; n = a.NextBatch(made) {
		made = append(made, all(int(n), func(int) replicaset.Outcome {
			return createPod(ctx, c, NewPod(rs))
		})...)
	}
	return made
}

// ReplicaSetStatusRequest returns the write of a status of rs, as replicaset.Finish
// asks for it. It fails with a conflict if rs has changed since it was read.
func ReplicaSetStatusRequest(rs *appsv1.ReplicaSet, s replicaset.Status) Request {
	updated := orEmptySet(rs).DeepCopy()
	updated.Status = ReplicaSetStatus(s)
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

func patchPod(namespace, name string, p Patch) Request {
	return Request{Verb: VerbPatch, Object: podNamed(namespace, name), Patch: p}
}
