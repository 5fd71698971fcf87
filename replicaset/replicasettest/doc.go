// SPDX-License-Identifier: Apache-2.0

// Package replicasettest tests planners and controllers of ReplicaSets: your own, or ours
// with your code around it. It draws ReplicaSets with pods in every state, makes plans for
// them and checks properties of every correct controller, with pgregory.net/rapid, which
// shrinks failing cases.
//
//	func TestPlanner(t *testing.T) { replicasettest.Check(t, planner) }
//
// [Check] is for planners, which return their plan. [Property] is the same for rapid.MakeFuzz
// and for your own number of cases. [Machine] is a state machine: after any prefix of a plan
// the controller crashes, caches lag, pods start and fail, time passes, and a user scales.
// [CheckPass] checks one plan from elsewhere, [CheckTrace] all plans of a loop, and
// [CheckChange] the writes of a controller that has no plan.
//
// [Snapshots] and [Options] are their generators. The [Kinds] of snapshots differ in how
// close they are to a real cluster, and all snapshots are taken at [Now].
//
// Each check has a stable name. [Names] lists them. The table in README.md says for each
// check which property it promises, which functions run it, and a planted bug that it finds.
// A [Setting] makes a selection: [Only] and [Except] take names, for a planner that does less
// or that differs on purpose; [Over], [From] and [With] select the input.
//
// A check derives its numbers from the snapshot alone and uses no code of package replicaset.
// By default a case that a known quirk of Kubernetes explains is no violation; see [Strict].
package replicasettest
