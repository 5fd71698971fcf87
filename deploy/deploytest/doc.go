// SPDX-License-Identifier: Apache-2.0

// Package deploytest tests planners and controllers of Deployments: your own, or your
// wrapper of package deploy.
//
//	func TestPlanner(t *testing.T) { deploytest.Kit().Check(t, planner) }
//
// Package plantest describes the methods of the [Kit]. The table in README.md has the promise of
// each check, the functions that run it, and a planted bug that it finds. [Scaling] and
// [Partitioned] generate rare cases.
//
// The kit draws Deployments with up to four ReplicaSets. Replicas are up to 12, limits up to 6 or
// 130 %, and the Deployment has the template of one of the ReplicaSets or a new one, so that a few
// dozen cases reach every branch of a rollout. Of the kinds of snapshots,
//
//   - CaughtUp has true statuses, and nothing was scaled or paused since;
//   - Truthful has statuses that lag or run ahead, users who pause, scale, roll back and delete,
//     and ReplicaSets that are orphans or have another owner;
//   - Midway has pods that all became available, or new pods that never do;
//   - Anything has sizes of any magnitude, one in three, tampered annotations, and statuses of any
//     kind.
//
// Options have any policies, and either no repair of a quirk or all repairs.
// [deploy.Reconcile] passes Strict with quirk.All only.
//
// There is one exception to the bounds from stale caches, which no precondition of Kubernetes
// prevents: the controller sees a change of the Deployment before it sees its own writes for the
// former Deployment, such as a ReplicaSet for a template that has been replaced since. In a
// change, After has the statuses of ReplicaSets from before the pass.
package deploytest
