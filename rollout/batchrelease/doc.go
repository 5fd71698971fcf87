// SPDX-License-Identifier: Apache-2.0

// Package batchrelease plans what a BatchRelease does: it takes a workload over, releases one
// batch of its pods after the other, and gives it back.
//
// Start with [Release], which holds the plan of the batches, and [Reconcile], which returns
// what to do next:
//
//	plan, err := batchrelease.Reconcile(snapshot, now, batchrelease.Options{})
//
// A plan is a pure function of its arguments: nothing is read, written or waited for. The
// caller carries the actions out, writes the status, and calls again when something
// changes or at RecheckAt.
//
//	Preparing    take the workload over: hold its pods back, save what is overwritten
//	    |
//	Progressing  Upgrading   let the pods of the batch be updated, label them
//	    |            |
//	    |        Verifying   updated, ready and labelled enough? else upgrade again
//	    |            |
//	    |        Ready       the next batch, up to the partition of the plan
//	    |
//	Finalizing   give the workload back, wait for its pods if the policy says so
//	    |
//	Completed
//
// [EventOf] says what is noticed about the workload before, [Context] what a batch asks for
// and what is there, and [Context.Waiting] what it still waits for. [NativeBatch] decides
// which pods of a DaemonSet of Kubernetes are deleted.
//
// # Who calls the parts
//
// A controller with passes of its own calls [NewContext], [Context.UpgradePatch],
// [InitializePatch], [ReleasePatch], [Labels] and [RollbackFilter], each the rule of one phase,
// and one that drives native DaemonSets [NativeBatch]. A controller that logs what it has seen
// calls [EventOf]. A simulator carries plans out with [Apply].
//
// It decides as OpenKruise Rollouts (commit 9dd6279d) does; for its quirks see package
// workload. The rules are in rules.md of this folder.
package batchrelease
