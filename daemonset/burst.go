// SPDX-License-Identifier: Apache-2.0

package daemonset

import "github.com/kplan-go/kplan/rollout"

const defaultBurst = 250

// Burst returns how many pods a plan may create, how many it may delete, and how many
// it may update in place: a share of desired, rounded down, and 250 if it is unset.
func Burst(burst rollout.IntOrPercent, desired int32) int32 {
	if burst.IsZero() {
		return defaultBurst
	}
	return max(burst.Of(desired), 0)
}

// SlowStart returns the size of the batch of creations after a batch of size previous (0 at
// the start), if left creations remain: 1, then twice the previous size. All creations of a
// batch run at once. If one of them fails and some remain, stop: the next plan goes on.
//
//	SlowStart(0, 10) // 1, then 2, 4 and the 3 that are left
func SlowStart(previous, left int) int {
	left = max(left, 0)
	if previous <= 0 {
		return min(1, left)
	}
	return previous + min(previous, left-previous)
}
