// SPDX-License-Identifier: Apache-2.0

// Package batchrelease plans the passes of a BatchRelease: it takes a workload over, releases one
// batch of its pods after the other, and gives it back.
//
// Start with [Release], which holds the plan of the batches, and [Reconcile], which returns
// the next actions:
//
//	plan, err := batchrelease.Reconcile(snapshot, now, batchrelease.Options{})
//
// A plan is a pure function of its arguments: nothing is read, written or waited for. The
// caller carries the actions out, writes the status, and calls again when something
// changes or at RecheckAt.
//
//	Preparing    take the workload over: hold its pods back, save the fields to overwrite
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
// [EventOf] detects changes of the workload, [Context] holds the demands of a batch and the
// current counts, and [Context.Waiting] names the demand that is not met. [NativeBatch] decides
// which pods of a DaemonSet of Kubernetes are deleted.
//
// # Who calls the parts
//
// A controller with passes of its own calls [NewContext], [Context.UpgradePatch],
// [InitializePatch], [ReleasePatch], [Labels] and [RollbackFilter], each the rule of one phase.
// A controller of native DaemonSets calls [NativeBatch]. A controller that logs events of a
// workload calls [EventOf]. A simulator carries plans out with [Apply].
//
// It decides as OpenKruise Rollouts (commit 9dd6279d) does; for its quirks see package
// workload. The rules are in rules.md of this folder.
package batchrelease
