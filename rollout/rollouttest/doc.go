// SPDX-License-Identifier: Apache-2.0

// Package rollouttest tests planners and controllers of progressive rollouts: of Rollouts
// and BatchReleases of OpenKruise, and of Rollouts of Argo; your own, or ours with what you
// have built around them. It draws them in every state, makes plans for them and checks what
// holds for every correct controller, with pgregory.net/rapid, which makes a failing case
// small.
//
//	func TestPlanner(t *testing.T) { rollouttest.Check(t, planner) }
//
// Which of the three a planner is for is known by its type: a [KruisePlanner], a
// [BatchPlanner] or an [ArgoPlanner]. [Check] tries it on random snapshots, [Property] is
// the same for rapid.MakeFuzz and for numbers of cases of your own. [Machine] is a state
// machine: after any prefix of a plan the controller crashes, caches lag behind, pods live
// and die, time passes, people approve and edit. [CheckPass] looks at one plan that was made
// elsewhere, [CheckChange] at what somebody has made of a Rollout of Argo who has no plan,
// and [CheckTrace] at a release of OpenKruise from its beginning to its end, moment by
// moment.
//
// [Snapshots] and [Options] are the generators behind them. [Kinds] say how far snapshots
// are from what a cluster shows, and all are taken at [Now]. [RollingBack] is a generator for
// what is rare.
//
// Each check has a name that stays. [Names] lists them; README.md is a table of them with
// what each promises, which functions run it for whom, and planted bugs that it finds. A
// [Setting] chooses: [Only] and [Except] take names, for a planner that does less or that
// differs on purpose; [Over], [From] and [With] say what is drawn.
//
// A check works out its numbers from the snapshot alone, with none of the code that plans.
// By default a case that a known quirk explains is no violation; see [Strict].
package rollouttest
