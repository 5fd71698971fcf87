// SPDX-License-Identifier: Apache-2.0

// Package workload holds the workloads of progressive rollouts: a Deployment, a CloneSet, a
// StatefulSet or a DaemonSet.
//
// Start with [Workload], the fields of the object that rollouts read, and [DriverOf], which
// returns the way in which a kind of workload is updated in a [Style]. [Inspect] derives the
// input of a pass of a Rollout, the [State]:
//
//	state := workload.Inspect(workload.InspectSnapshot{Workload: w, Sets: sets})
//
// A [Patch] holds the changes of a workload. [Patch.Body] makes it a merge patch of the API:
//
//	Workload, ReplicaSets, revisions --> Inspect --> State   for kruise.Reconcile
//	Workload, Pods ------------------------------------+     for batchrelease.Reconcile
//	                                                   |
//	                                     Patch <-------+     HoldBack, until it is taken over
//
// # Quirks
//
// The planners of packages batchrelease, kruise and preview decide as OpenKruise Rollouts
// (commit 9dd6279d) does. Package quirk names its quirks; Repair of their options is the set to
// repair: none by default, [quirk.All] for all. [quirk.Table] describes each: the behavior of
// upstream, the smallest input that shows it, and the repair.
package workload
