// SPDX-License-Identifier: Apache-2.0

// Package batchrelease plans the passes of a BatchRelease of OpenKruise Rollouts. A BatchRelease
// takes a workload over, updates its pods in batches, and gives the workload back to its own
// controller.
//
// Start with [Release], which holds the plan of the batches, and [Reconcile], which returns
// the next actions:
//
//	plan, err := batchrelease.Reconcile(snapshot, now, batchrelease.Options{})
//
// Reconcile is a pure function of its arguments: it reads and writes nothing, and does not wait.
// The caller carries the actions out, writes the status, and calls Reconcile again when
// something changes or at RecheckAt.
//
//	Preparing    take the workload over: stop its update, save the fields that will be overwritten
//	    |
//	Progressing  Upgrading   patch the workload to update the pods of the batch; label the pods
//	    |            |
//	    |        Verifying   wait until enough pods are updated, ready and labelled
//	    |            |
//	    |        Ready       begin the next batch, up to the BatchPartition of the plan
//	    |
//	Finalizing   give the workload back; wait for its pods if the FinalizingPolicy requires this
//	    |
//	Completed
//
// [EventOf] detects changes of the workload. [Context] holds the demands of a batch (the numbers that
// the workload must reach) and the current numbers. [Context.Waiting] returns the first demand that is
// not met. [NativeBatch] decides which pods of a DaemonSet of Kubernetes are deleted.
//
// # Who calls the parts
//
// A controller with passes of its own makes a [Context] with [NewContext], and calls the rules of single
// phases: [InitializePatch], [Context.UpgradePatch], [Labels], [RollbackFilter.Pods] and [ReleasePatch].
// A controller of native DaemonSets calls [NativeBatch]. A controller that logs events of a
// workload calls [EventOf]. A simulator carries plans out with [Apply].
//
// The package decides as OpenKruise Rollouts (commit 9dd6279d) does, including its defects, which are
// called quirks: see package workload/quirk. The rules are in rules.md of this folder.
package batchrelease
