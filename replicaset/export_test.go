// SPDX-License-Identifier: Apache-2.0

package replicaset

import "time"

// FinishPlan ends a pass with a plan that need not be the plan of [Reconcile].
func FinishPlan(s Snapshot, p Plan, r Report, now time.Time, opts Options) Result {
	return Pass{Plan: p, snapshot: s, now: now, options: opts}.Finish(r)
}
