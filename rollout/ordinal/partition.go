// SPDX-License-Identifier: Apache-2.0

package ordinal

import (
	"math"

	"github.com/kplan-go/kplan/rollout"
)

// Step returns how many groups may change at the same time if size groups are wanted: as many
// as may be unavailable, and the groups beyond the replicas.
//
//	unavailable + size - replicas
func Step(b rollout.Budget, size int32) int32 {
	return bound(int64(b.Unavailable)+int64(size)-int64(b.Replicas), math.MaxInt32)
}

// Partition returns the lowest ordinal that gets the new template. From the lowest ordinal
// that is done, see [Done], it goes down by step, and up again by the number of groups below
// that are not ready. Then it goes down over groups that are updated or not ready.
//
//	low  = max(0, size - Done - step)
//	high = low + how many groups below low are not ready
//	min(current, i)       for the lowest i from low to high such that each group from i
//	                      to high is updated or not ready
//	min(current, high)    if no i has this property
//
// The result is never above current. It mirrors rollingUpdatePartition of LeaderWorkerSet
// (commit 060ab4da).
func Partition(groups []Group, size, step, current int32) int32 {
	low := bound(int64(size)-int64(Done(groups, size))-int64(step), max(0, size))
	waiting := low
	for i, g := range groups {
		if int64(i) < int64(low) && g.Ready {
			waiting--
		}
	}
	partition := bound(int64(low)+int64(waiting), math.MaxInt32)
	i := min(partition, size-1)
	if listed := int32(len(groups)); i >= listed && i >= low { // groups that are not listed are not ready
		partition, i = max(low, listed), listed-1
	}
	for ; i >= low && (groups[i].Updated || !groups[i].Ready); i-- {
		partition = i
	}
	return min(current, partition)
}

// A State is the progress of an update by ordinal.
type State struct {
	Groups    []Group `json:"groups,omitempty"`
	Size      int32   `json:"size"`      // the groups that are wanted now
	Partition int32   `json:"partition"` // the lowest ordinal that gets the new template now
	Replicas  int32   `json:"replicas"`  // the replicas at the last step; Budget has the current ones
	Changed   bool    `json:"changed"`   // the template has changed since the last step
}

// A Next is the result of a step.
type Next struct {
	Size      int32 `json:"size"`
	Partition int32 `json:"partition"`
}

// Roll returns one step of an update by ordinal. Groups below lowest keep the old template. The
// first case that applies counts.
//
//	the template has changed      Size(replicas), or the replicas if there are fewer groups;
//	                              partition: min(replicas, size): no group is updated yet
//	the update is over            the replicas; partition: 0
//	fewer groups than replicas    the replicas; partition: unchanged
//	the replicas have changed     Size(Waiting); partition: min(current, replicas + surge)
//	otherwise                     Size(Waiting); Partition(Step)
//
// The partition is never below lowest. An update is over when the partition is 0 and Size is
// equal to the replicas. Before the first group exists, start with Size = replicas and partition
// 0. Roll mirrors rollingUpdateParameters of LeaderWorkerSet (commit 060ab4da).
func Roll(b rollout.Budget, s State, lowest int32) Next {
	next := Next{Size: b.Replicas}
	switch {
	case s.Changed:
		next.Partition = min(b.Replicas, s.Size)
		if s.Size >= b.Replicas {
			next.Size = Size(b, b.Replicas)
		}
	case s.Partition == 0 && s.Size == b.Replicas:
	case s.Size < b.Replicas:
		next.Partition = s.Partition
	default:
		next.Size = Size(b, Waiting(s.Groups, b.Replicas))
		next.Partition = min(s.Partition, b.MaxTotal())
		if s.Replicas == b.Replicas {
			next.Partition = Partition(s.Groups, s.Size, Step(b, s.Size), s.Partition)
		}
	}
	next.Partition = max(next.Partition, lowest)
	return next
}
