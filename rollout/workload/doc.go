// SPDX-License-Identifier: Apache-2.0

// Package workload holds what a progressive rollout drives, whatever its kind: a Deployment, a
// CloneSet, a StatefulSet or a DaemonSet.
//
// Start with [Workload], the object as far as rollouts look at it, and [DriverOf], which says
// in which way a kind of workload is updated in a [Style]. [Inspect] derives what a pass of a
// Rollout has to know, the [State]:
//
//	state := workload.Inspect(workload.InspectSnapshot{Workload: w, Sets: sets})
//
// What is to change about a workload is a [Patch], which becomes a merge patch of the API
// by [Patch.Body]:
//
//	Workload, ReplicaSets, revisions --> Inspect --> State   for kruise.Reconcile
//	Workload, Pods ------------------------------------+     for batchrelease.Reconcile
//	                                                   |
//	                                     Patch <-------+     HoldBack, until it is taken over
//
// # Quirks
//
// The planners of packages batchrelease, kruise and preview decide as OpenKruise Rollouts
// (commit 9dd6279d) does. [Quirks] is a set of its quirks to repair, which Repair of their
// options takes: none by default, [RepairAll] for all. [QuirkTable] says of each what
// upstream does, the smallest input that shows it, and the repair.
package workload
