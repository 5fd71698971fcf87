// SPDX-License-Identifier: Apache-2.0

package ordinal

import (
	"math"

	"github.com/kplan-go/kplan/rollout"
)

// A Group is the state of one ordinal.
type Group struct {
	Ready       bool `json:"ready,omitzero"`       // it serves: all of its pods are ready, or available if the update asks for that
	Updated     bool `json:"updated,omitzero"`     // it has the new template
	Terminating bool `json:"terminating,omitzero"` // it is being deleted; read by [Replace] and [ReplaceOne]
}

// Done returns how many groups are updated and ready, counted from the highest ordinal down
// to the first that is not. Of a list shorter than size it is 0.
//
//	the largest n such that ready(i) and updated(i) for all size - n <= i < size
func Done(groups []Group, size int32) int32 {
	n := int32(0)
	for i := int64(size) - 1; i >= 0 && i < int64(len(groups)) && groups[i].Ready && groups[i].Updated; i-- {
		n++
	}
	return n
}

// Waiting returns how many of the first replicas groups are not both ready and updated.
func Waiting(groups []Group, replicas int32) int32 {
	n := max(0, replicas)
	for i, g := range groups {
		if int64(i) < int64(replicas) && g.Ready && g.Updated {
			n--
		}
	}
	return n
}

// Limits returns the budget of an update by ordinal: surge rounded up, unavailable rounded
// down, neither beyond replicas. Both may be 0, and then nothing moves.
func Limits(replicas int32, surge, unavailable rollout.IntOrPercent) rollout.Budget {
	return rollout.Budget{
		Replicas: replicas, Surge: bound(surge.OfUp64(replicas), replicas), Unavailable: bound(int64(unavailable.Of(replicas)), replicas),
	}
}

// Size returns how many groups are wanted while some wait, that is, are not both ready and
// updated: all of the surge while more wait than it has room for, and then as many as
// replace waiting groups beyond the unavailable ones.
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

// bound returns n within 0 and most; most below 0 is 0.
func bound(n int64, most int32) int32 { return int32(max(0, min(n, int64(most)))) }
