// SPDX-License-Identifier: Apache-2.0

// Package daemonsettest tests planners and controllers of DaemonSets: your own, or
// [daemonset.Reconcile] inside your code.
//
//	func TestPlanner(t *testing.T) { daemonsettest.Kit().Check(t, planner) }
//
// Package plantest describes the methods of the [Kit]. The table in README.md has, for each check,
// its promise, the functions that run it, and a planted bug that it finds.
//
// The kit draws DaemonSets on up to eight nodes. Every second snapshot has features of OpenKruise:
// partitions, selectors of nodes, a burst, updates in place, hooks. Of the kinds of snapshots,
//
//   - CaughtUp is before an update: a healthy pod of the old template on each node;
//   - Truthful has one pod on each node, ready or not, old or new, on nodes with taints and ranks;
//   - Midway has pods that were bound, became ready or ended, or not;
//   - Anything has several pods on a node, pods on missing nodes, orphans, duplicate revisions.
//
// Options have policies of any kind, and no repair of a quirk, or all repairs.
// [daemonset.Reconcile] passes Strict with quirk.All only.
//
// In a Machine nodes also come, go and are tainted, and the controller knows that its last writes
// are Unseen. In a change, a deleted pod is missing from After, or has a DeletionTimestamp there,
// and a pod with a name that is not in Before counts as created.
package daemonsettest
