// SPDX-License-Identifier: Apache-2.0

// Package deploytest tests planners and controllers of Deployments: your own, or ours with
// what you have built around it. It draws Deployments in every state, makes plans for them
// and checks what holds for every correct controller, with pgregory.net/rapid, which makes
// a failing case small.
//
//	func TestPlanner(t *testing.T) { deploytest.Check(t, planner) }
//
// [Check] is for planners, which return what they would do. [Property] is the same for
// rapid.MakeFuzz and for numbers of cases of your own. [Machine] is a state machine: after
// any prefix of a plan the controller crashes, caches lag behind, pods live and die, time
// passes, and somebody scales, pauses, or gives another template. [CheckPass] looks at one
// plan that was made elsewhere, [CheckTrace] at all plans of a loop, and [CheckChange] at
// what somebody has written who has no plan.
//
// [Snapshots] and [Options] are the generators behind them. [Kinds] say how far snapshots
// are from what a cluster shows, and all are taken at [Now]. [Scaling] and [Partitioned] are
// generators for what is rare.
//
// Each check has a name that stays. [Names] lists them; README.md is a table of them with
// what each promises, which functions run it, and a planted bug that it finds. A [Setting]
// chooses: [Only] and [Except] take names, for a planner that does less or that differs on
// purpose; [Over], [From] and [With] say what is drawn.
//
// A check works out its numbers from the snapshot alone, with none of the code of package
// deploy. By default a case that a known quirk of Kubernetes explains is no violation; see
// [Strict].
package deploytest
