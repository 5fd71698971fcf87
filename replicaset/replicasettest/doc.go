// SPDX-License-Identifier: Apache-2.0

// Package replicasettest tests planners and controllers of ReplicaSets: your own, or ours
// with your code around it.
//
//	func TestPlanner(t *testing.T) { replicasettest.Kit().Check(t, planner) }
//
// Package plantest describes the methods of the [Kit]. The table in README.md has the promise of
// each check, the functions that run it, and a planted bug that it finds.
//
// The kit draws ReplicaSets with up to 14 pods. Replicas are up to 12, so that pods are missing
// about as often as there are too many; in Anything, one number in three has any magnitude up to
// 1,000. Pods are equal in most respects, so that each rule about which of them is deleted decides
// now and then. Of the kinds of snapshots,
//
//   - CaughtUp has no outstanding write, and all pods are controlled by the ReplicaSet, none of
//     them being deleted;
//   - Truthful has pods that are being deleted, are orphans or have another controller, expected
//     writes that are not seen yet, and ReplicaSets that are being deleted;
//   - Midway has pods that were scheduled, started or became ready, and other replicas;
//   - Anything has pods without labels, UID or times, selectors that do not select the pods of the
//     template, and conditions of any kind.
//
// Options have any policies and repairs. [replicaset.Reconcile] passes Strict only with
// quirk.All and without Anything: the API server refuses selectors that do not select
// the pods of the template, and a planner would create and release pods forever.
//
// The controller of a Machine has the Expectations of its last plan, until it crashes. In a change,
// deleted pods are missing from After or have a DeletionTimestamp, and a pod whose name is missing
// in Before counts as created.
package replicasettest
