// SPDX-License-Identifier: Apache-2.0

// Package rollouttest tests planners and controllers of progressive rollouts: of Rollouts and
// BatchReleases of OpenKruise, and of Rollouts of Argo; your own, or ours inside your
// controller.
//
//	func TestPlanner(t *testing.T) { rollouttest.Argo().Check(t, planner) }
//
// There are three kits: [Kruise], [Batches] and [Argo]. Package plantest describes their methods.
// [CheckRelease] checks a whole release of OpenKruise, moment by moment. The table in README.md has
// the promise of each check, the functions and planners that it belongs to, and planted bugs that
// it finds. [RollingBack] is a generator for a rare case.
//
// A Rollout of OpenKruise has up to four steps, with traffic in half of the cases, as a canary or,
// one in four, blue-green. A BatchRelease drives a workload of any of five kinds, of up to 12 pods
// or 150. A Rollout of Argo has up to 9 pods and four steps; one in four is blue-green, and half
// lead requests by weights. Of the kinds of snapshots,
//
//   - CaughtUp is the middle of a release in which nothing interferes;
//   - Truthful has Rollouts that are deleted, disabled or paused, another template, and stale
//     counts;
//   - Midway has pods that started or failed, and approvals;
//   - Anything has steps of any size, statuses that contradict each other, and missing objects.
//
// Options have no repair of a quirk, or all. Our planners pass Strict with all repairs only.
//
// In a Machine the driven workload continues as far as it may, or is lost, and people approve,
// pause and set another template. Only that of Argo has stale views and checks the true state after
// each write; invisible writes for another template than the visible one may miss a bound there,
// since nothing prevents that. Only Argo has checks of a change: of a Rollout, its ReplicaSets,
// which report the same status before and after, and its Services.
package rollouttest
