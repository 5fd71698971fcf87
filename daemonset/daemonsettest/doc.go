// SPDX-License-Identifier: Apache-2.0

// Package daemonsettest tests planners and controllers of DaemonSets: your own, or
// [daemonset.Reconcile] inside your code. It draws DaemonSets, nodes and pods in every state,
// plans for them and checks the invariants of every correct controller, with
// pgregory.net/rapid, which makes a failing case small.
//
//	func TestPlanner(t *testing.T) { daemonsettest.Check(t, planner) }
//
// [Check] tests planners, which return actions. [Property] is the same for rapid.MakeFuzz and
// for your own number of cases. [Machine] is a state machine: after any prefix of a plan the
// controller crashes, caches are stale, pods live and die, nodes come and go, time passes, and
// a user changes the template. [CheckPass] checks one plan that was made elsewhere,
// [CheckTrace] all plans of a loop, and [CheckChange] the writes of a controller without
// plans.
//
// [Snapshots] and [Options] are the generators. [Kinds] select how realistic snapshots are, and
// all are taken at [Now].
//
// Each check has a name that never changes. [Names] lists them. The table in README.md has,
// for each check, its promise, the functions that run it, and a planted bug that it finds. A
// [Setting] chooses: [Only] and [Except] take names, for a planner that does less or differs
// on purpose; [Over], [From] and [With] choose the input.
//
// A check computes its numbers from the snapshot alone, with none of the code of package
// daemonset. By default a case that a known quirk of Kubernetes or OpenKruise explains is no
// violation; see [Strict].
package daemonsettest
