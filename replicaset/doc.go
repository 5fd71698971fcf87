// SPDX-License-Identifier: Apache-2.0

// Package replicaset plans the next step of a ReplicaSet, a ReplicationController, or your
// own kind that keeps a number of equal pods.
//
// Start with [Snapshot] and [Reconcile]: a snapshot of the ReplicaSet and its pods goes in,
// and a [Plan] comes out: pods to adopt, release, create or delete, the next status, and when
// to plan again. Reconcile performs nothing. A controller makes a [Pass] instead, which is a plan
// with its input: [Pass.Finish] takes the outcomes of the calls that you made for the plan.
//
// One pass:
//
//	Snapshot
//	   │ admit    checked and defaulted
//	   │ count    claims the pods (keep, adopt, release, ignore) and counts them
//	   │ decide   how many are created, which are deleted, which are held back
//	   │ write    AdoptPod, ReleasePod, then CreatePods or DeletePod; Status
//	   v
//	 Plan ──Expect──> Expectations: store them before you make the calls, and
//	   │              lower them when the cache shows the pods
//	   │ you make the calls, and note an outcome for each
//	   v
//	Pass.Finish ──> status to write, events, expectations, retry or not
//
// The parts: [Effects] returns the ReplicaSets that a change of a pod concerns, and the
// change of their expectations, see package expect. [SlowStart] limits how many pods are
// created at once. [Order] and [Explain] return which pods are deleted first, and why.
// [NeedsWrite] reports whether to write a status. [Apply] applies an action to a snapshot, for
// simulators and tests. [ReconcileFrom] reads pods in place, such as in a cache, and copies few
// or none of them. [Tracker] plans after each event without counting all pods again.
//
// Reconcile with the zero [Options] decides as Kubernetes 1.37 does, including its defects.
// [quirk.Table] lists these defects, and Options.Repair repairs those that you select.
//
// The file rules.md has the named rules, the functions of Kubernetes that they mirror, the
// invariants, and the deviations from Kubernetes. A plan takes O(N) time for N pods, and
// O(n log n) more to delete n of them; see package podorder.
package replicaset
