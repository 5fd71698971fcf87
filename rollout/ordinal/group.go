// SPDX-License-Identifier: Apache-2.0

package ordinal

import (
	"math"

	"github.com/kplan-go/kplan/rollout"
)

// A Group is the state of one ordinal.
type Group struct {
	Ready       bool `json:"ready,omitzero"`       // all pods are ready, or available if the update requires this
	Updated     bool `json:"updated,omitzero"`     // the group has the new template
	Terminating bool `json:"terminating,omitzero"` // being deleted; read by [Replace] and [ReplaceOne]
}

// Done returns how many groups with the highest ordinals are updated and ready without a gap.
// It returns 0 for a list with fewer than size groups.
//
//	the largest n such that ready(i) and updated(i) for all size - n <= i < size
func Done(groups []Group, size int32) int32 {
	n := int32(0)
	for i := int64(size) - 1; i >= 0 && i < int64(len(groups)) && groups[i].Ready && groups[i].Updated; i-- {
		n++
	}
	return n
}

// Waiting returns how many groups with an ordinal below replicas are not both ready and updated.
func Waiting(groups []Group, replicas int32) int32 {
	n := max(0, replicas)
	for i, g := range groups {
		if int64(i) < int64(replicas) && g.Ready && g.Updated {
			n--
		}
	}
	return n
}

// Limits returns the budget of an update by ordinal. Surge is rounded up and unavailable down,
// and both are limited to the range from 0 to replicas. If both are 0, no group is updated.
func Limits(replicas int32, surge, unavailable rollout.IntOrPercent) rollout.Budget {
	return rollout.Budget{
		Replicas: replicas, Surge: bound(surge.OfUp64(replicas), replicas), Unavailable: bound(int64(unavailable.Of(replicas)), replicas),
	}
}

// Size returns how many groups are wanted during an update. waiting is the number of groups
// that are not both ready and updated, see [Waiting]. The whole surge is used while waiting
// exceeds it. After that, it covers the waiting groups that may not be unavailable.
//
//	replicas + surge                                 if waiting > surge
//	replicas + max(0, waiting - unavailable)         otherwise
//
// It mirrors calculateRollingUpdateReplicas of LeaderWorkerSet (commit 060ab4da).
func Size(b rollout.Budget, waiting int32) int32 {
	if waiting > b.Surge {
		return b.MaxTotal()
	}
	return bound(int64(b.Replicas)+max(0, int64(waiting)-int64(b.Unavailable)), math.MaxInt32)
}

// bound returns n limited to the range from 0 to most. A most below 0 counts as 0.
func bound(n int64, most int32) int32 { return int32(max(0, min(n, int64(most)))) }
