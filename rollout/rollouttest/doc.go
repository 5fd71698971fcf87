// SPDX-License-Identifier: Apache-2.0

// Package rollouttest tests planners and controllers of progressive rollouts: of Rollouts and
// BatchReleases of OpenKruise, and of Rollouts of Argo; your own, or ours inside your
// controller. It draws snapshots in every state, calls the planner and checks rules that hold
// for every correct controller. It uses pgregory.net/rapid, which shrinks a failing case.
//
//	func TestPlanner(t *testing.T) { rollouttest.Check(t, planner) }
//
// The type of a planner decides between the three: a [KruisePlanner], a [BatchPlanner] or an
// [ArgoPlanner]. [Check] tries it on random snapshots, [Property] does the same for
// rapid.MakeFuzz and for another number of cases. [Machine] is a state machine: after any prefix
// of a plan the controller crashes, caches are stale, pods start and fail, time passes, people
// approve and edit. [CheckPass] checks one plan that was made elsewhere, [CheckChange] the
// writes of a controller of Argo that makes no plan, and [CheckTrace] a whole release of
// OpenKruise, moment by moment.
//
// [Snapshots] and [Options] are the generators. [Kinds] select how far snapshots are from a real
// cluster, and all are taken at [Now]. [RollingBack] is a generator for a rare case.
//
// Each check has a stable name. [Names] lists them; README.md is a table of them with the
// promise of each, the functions and planners that it belongs to, and planted bugs that it
// finds. A [Setting] chooses: [Only] and [Except] take names, for a planner that does less or
// that differs on purpose; [Over], [From] and [With] choose the input.
//
// A check works out its numbers from the snapshot alone, with none of the code that plans.
// By default a case that a known quirk explains is not a violation; see [Strict].
package rollouttest
