// SPDX-License-Identifier: Apache-2.0

// Package deploytest tests planners and controllers of Deployments: your own, or your
// wrapper of package deploy. It draws Deployments in every state, plans for them and checks
// the promises of every correct controller. pgregory.net/rapid shrinks a failing case.
//
//	func TestPlanner(t *testing.T) { deploytest.Check(t, planner) }
//
// [Check] is for planners, which return a plan. [Property] is the same for rapid.MakeFuzz
// and for your own number of cases. [Machine] is a state machine: the controller crashes
// after any prefix of a plan, caches lag, pods become available and are lost, time passes,
// and users scale, pause or change the template. [CheckPass] checks one plan from elsewhere,
// [CheckTrace] all plans of a loop, and [CheckChange] the writes of a controller without a
// plan.
//
// They draw from the generators [Snapshots] and [Options]. [Kinds] select how far snapshots may
// be from the states that a cluster shows, and all are taken at [Now]. [Scaling] and
// [Partitioned] generate rare cases.
//
// Each check has a stable name. [Names] lists them. The table in README.md has the promise
// of each check, the functions that run it, and a planted bug that it finds. A [Setting]
// chooses: [Only] and [Except] take names, for a planner that does less or that differs on
// purpose; [Over], [From] and [With] choose the cases.
//
// A check computes its numbers from the snapshot alone, without code of package deploy. By
// default a case that a known quirk of Kubernetes explains is no violation; see [Strict].
package deploytest
