// SPDX-License-Identifier: Apache-2.0

// Package plantest has the parts that all packages for users' tests share. A [Kit] tests planners
// of one kind, and controllers without plans: your own, or ours inside your code. The package of
// each kind returns its kit:
//
//	func TestPlanner(t *testing.T) { deploytest.Kit().Check(t, planner) }
//
// The kits are those of deploytest, replicasettest and daemonsettest, and the three of
// rollouttest. Each draws snapshots in every state, calls the planner and checks rules that hold
// for every correct controller, with pgregory.net/rapid, which shrinks a failing case.
//
// [Kit.Check] tries a planner on random snapshots. [Kit.Property] is the same for rapid.MakeFuzz
// and for your own number of cases. [Kit.Machine] is a state machine: after any prefix of a plan
// the controller crashes, caches are stale, pods start and fail, time passes, and users edit.
// [Kit.CheckPass] checks one plan from elsewhere, [Kit.CheckTrace] all plans of a loop, and
// [Kit.CheckChange] the writes of a controller without a plan. [Kit.Snapshots] and [Kit.Options]
// are the generators. All snapshots are taken at [Now].
//
// Each check has a stable name. [Kit.Names] lists them; README.md of each package has a table with
// the promise of each, the functions that run it, and a planted bug that it finds. A kit runs all
// checks on all input. These methods return a kit that does less: [Kit.Only] and [Kit.Except] take
// names, for a planner that does less or that differs on purpose; [Kit.Over], [Kit.From] and
// [Kit.With] choose the input.
//
//	deploytest.Kit().Only("surge bound").Over(plantest.Truthful).Check(t, planner)
//
// A [Suite] is the same for functions that decide without a plan. The packages podordertest and
// selectortest return suites.
//
// A check computes its numbers from the snapshot alone, with none of the code that plans. By
// default a case that a known quirk of upstream explains is no violation; see [Kit.Strict].
package plantest
