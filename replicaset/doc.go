// SPDX-License-Identifier: Apache-2.0

// Package replicaset plans the next step of a ReplicaSet, a ReplicationController, or a
// kind of one's own that keeps a number of equal pods.
//
// Start with [Snapshot] and [Reconcile]: a snapshot of the ReplicaSet and its pods goes
// in, a [Plan] comes out: pods to adopt, release, create or delete, the next status, and
// when to look again. It performs nothing. [Finish] takes what became of the plan.
//
// One pass:
//
//	Snapshot
//	   │ admit    checked and defaulted
//	   │ count    each pod is kept, adopted, released or not looked at
//	   │ decide   how many are created, which are deleted, what is held back
//	   │ write    AdoptPod, ReleasePod, then CreatePods or DeletePod; Status
//	   v
//	 Plan ──Expect──> Expectations, before the calls are made; they are
//	   │              lowered as the pods are seen
//	   │ you carry it out, and note an outcome for each call
//	   v
//	Finish ──> status to write, events, expectations, retry or not
//
// The parts: [Effects] says whom a change of a pod concerns and what it tells the
// [Expectations]. [SlowStart] says how many pods are created at once. [Versions] says
// whether the cache is as new as the own writes. [Order] and [Explain] say which pods go
// first, and why. [NeedsWrite] says whether a status is to be written. [Apply] is the
// effect of an action on a snapshot, for simulators and tests. [ReconcileFrom] reads the pods
// where they are, such as in a cache, and copies only pods that it acts on. [Tracker] plans
// after each event without counting all pods again.
//
// The zero [Options] decides as Kubernetes 1.37 does. What it keeps of upstream's
// defects is in [QuirkTable], and Options.Repair repairs it, one by one.
//
// The rules by name, with what each mirrors, the invariants and the deviations are in
// rules.md. A plan takes O(N) time for N pods, and O(n log n) more for n of them to be
// deleted; see package podorder.
package replicaset
