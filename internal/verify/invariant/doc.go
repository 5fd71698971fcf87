// SPDX-License-Identifier: Apache-2.0

// Package invariant holds what every correct controller of workloads satisfies, as
// named checks that anybody can run: over one plan, over a planner that is called
// again, over what became of the true state, and over a whole history.
//
//	pass := invariant.DeploymentPass{Snapshot: s, Now: now, Options: opts, Plan: plan}
//	for _, v := range invariant.Run(&pass) {
//		log.Print(v) // surge bound: after 1 actions: 14 pods wanted, at most max(10+3, 12)+0
//	}
//
// [Run] finds all checks for the type of its argument. [All] lists the invariants, and
// README.md has them as a table: where each is checked, what breaks it upstream, and
// the planted bug that shows that the check can fail.
//
// A check works out its numbers from the snapshot alone, with exact arithmetic and
// none of the code that it checks. It never panics, whatever the snapshot holds.
//
// Some invariants hold without exception under Options.Corrected only. By default a
// case that a quirk explains is no violation; with Strict set it is.
package invariant
