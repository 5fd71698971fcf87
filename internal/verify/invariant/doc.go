// SPDX-License-Identifier: Apache-2.0

// Package invariant contains named checks of the invariants that every correct controller of
// workloads keeps: checks of one plan, of a planner that is called again, of a change of the true
// state, and of a whole history.
//
//	pass := invariant.DeploymentPass{Snapshot: s, Now: now, Options: opts, Plan: plan}
//	for _, v := range invariant.Run(&pass) {
//		log.Print(v) // surge bound: after 1 actions: 14 pods wanted, at most max(10+3, 12)+0
//	}
//
// [Run] finds all checks for the type of its argument. [All] lists the invariants. README.md has a
// table of them with the inputs of each, the upstream defects that violate it, and a planted bug
// that shows that the check can fail.
//
// A check computes its numbers from the snapshot alone, with exact arithmetic and without the code
// that it checks. It never panics, whatever the snapshot contains.
//
// Some invariants hold without exception only with all quirks repaired (Options.Repair). By default
// a case that a quirk explains is no violation; with Strict set it is.
package invariant
