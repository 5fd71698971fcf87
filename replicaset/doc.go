// SPDX-License-Identifier: Apache-2.0

// Package replicaset plans the next step of a ReplicaSet, a ReplicationController, or your
// own kind that keeps a number of equal pods.
//
// Start with [Snapshot] and [Reconcile]: a snapshot of the ReplicaSet and its pods goes in,
// and a [Plan] comes out: pods to adopt, release, create or delete, the next status, and when
// to look again. It performs nothing. [Finish] takes the outcomes of the plan.
//
// One pass:
//
//	Snapshot
//	   │ admit    checked and defaulted
//	   │ count    each pod is kept, adopted, released or ignored
//	   │ decide   how many are created, which are deleted, which are held back
//	   │ write    AdoptPod, ReleasePod, then CreatePods or DeletePod; Status
//	   v
//	 Plan ──Expect──> Expectations, before the calls are made; they are
//	   │              lowered as the pods are seen
//	   │ you carry it out, and note an outcome for each call
//	   v
//	Finish ──> status to write, events, expectations, retry or not
//
// The parts: [Effects] returns the ReplicaSets that a change of a pod concerns, and the
// change of their [Expectations]. [SlowStart] limits how many pods are created at once.
// [Versions] show whether the cache has the controller's own writes. [Order] and [Explain]
// return which pods go first, and why. [NeedsWrite] reports whether to write a status. [Apply]
// applies an action to a snapshot, for simulators and tests. [ReconcileFrom] reads pods in
// place, such as in a cache, and copies only pods that it acts on. [Tracker] plans after each
// event without counting all pods again.
//
// The zero [Options] decides as Kubernetes 1.37 does. [quirk.Table] lists the defects of
// upstream that it keeps, and Options.Repair repairs each of them.
//
// The named rules, the functions that they mirror, the invariants and the deviations are in
// rules.md. A plan takes O(N) time for N pods, and O(n log n) more to delete n of them; see
// package podorder.
package replicaset
