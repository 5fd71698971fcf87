// SPDX-License-Identifier: Apache-2.0

package partition

import "github.com/kplan-go/kplan/rollout"

// A RollingUpdate holds the two limits of a rolling update as they are written. A nil
// *RollingUpdate differs from one with both limits unset: see [Budget].
type RollingUpdate struct {
	MaxUnavailable rollout.IntOrPercent `json:"maxUnavailable,omitzero"` // unset means 0
	MaxSurge       rollout.IntOrPercent `json:"maxSurge,omitzero"`       // unset means 0
}

// Limit returns how many pods the ReplicaSet of the new template may have:
// the partition of the replicas, rounded up, from 0 to all of them. A percentage
// other than 100% leaves at least one old pod if there is more than one.
//
//	Limit(Percent(20), 6)  // 2
//	Limit(Percent(99), 6)  // 5
//	Limit(Percent(101), 6) // 5, only 100% means all
//	Limit(Int(6), 6)       // 6
//	Limit(Percent(1), 1)   // 1
//
// It mirrors NewRSReplicasLimit of OpenKruise Rollouts.
func Limit(partition rollout.IntOrPercent, replicas int32) int32 {
	limit := max(0, min(partition.OfUp64(replicas), int64(replicas)))
	if replicas > 1 && partition.IsPercent() && partition.Value() != 100 {
		limit = min(limit, int64(replicas)-1)
	}
	return int32(limit)
}

// Budget resolves the limits of a Deployment that is updated by partition. Without a
// RollingUpdate both are 0. With one it is [rollout.Resolve] or, if exact, for limits of
// any size, [rollout.ResolveExact]: see the quirk LimitsWrapAround.
//
// It mirrors MaxSurge and MaxUnavailable of the deployment controller of OpenKruise
// Rollouts.
func Budget(replicas int32, ru *RollingUpdate, exact bool) rollout.Budget {
	switch {
	case ru == nil:
		return rollout.Budget{Replicas: replicas}
	case exact:
		return rollout.ResolveExact(replicas, ru.MaxSurge, ru.MaxUnavailable)
	}
	return rollout.Resolve(replicas, ru.MaxSurge, ru.MaxUnavailable)
}

// LowerBound returns the least size with which the ReplicaSet of the new template is
// created: 0 with a surge, otherwise 1 if any pod is wanted, even at partition 0: see the
// quirk NewPodAtPartitionZero.
//
// It mirrors NewRSReplicasLowerBound of OpenKruise Rollouts.
func LowerBound(b rollout.Budget) int32 {
	if b.Surge > 0 {
		return 0
	}
	return min(1, b.Replicas)
}

// CreationSize returns the size with which the ReplicaSet of the new template is created,
// given the total of all others: the larger of [NewSize] and [LowerBound], or with
// noneAtZero only [NewSize] at partition 0.
func CreationSize(partition rollout.IntOrPercent, b rollout.Budget, total int64, noneAtZero bool) int32 {
	size := NewSize(partition, b, total, 0)
	if noneAtZero && Limit(partition, b.Replicas) == 0 {
		return size
	}
	return max(size, LowerBound(b))
}

// NewSize returns the next size of the ReplicaSet of the new template, which has size pods
// of the total of all ReplicaSets. It never shrinks, and if no other ReplicaSet has pods,
// it ignores the partition.
//
// It mirrors NewRSNewReplicas of OpenKruise Rollouts.
func NewSize(partition rollout.IntOrPercent, b rollout.Budget, total int64, size int32) int32 {
	return rollout.GrowTo(b, Limit(partition, b.Replicas), total, size)
}

// OldLimit returns how many of the old pods, of which oldTotal are wanted, the partition no
// longer needs, given the size of the ReplicaSet of the new template. It is below 0 if old
// pods are missing.
func OldLimit(partition rollout.IntOrPercent, replicas int32, oldTotal int64, size int32) int64 {
	return rollout.Surplus(replicas, Limit(partition, replicas), oldTotal, size)
}

// AtLeast reports whether partition current covers partition desired, so that nothing has
// to be written. Two numbers or two percentages compare as expected. A number and a
// percentage do not, because both are scaled to 10,000,000 pods: 20% covers 5.
//
// It mirrors IsCurrentMoreThanOrEqualToDesired of OpenKruise Rollouts. For a
// comparison by pods see the quirk MixedPartitionsNeverEnd.
func AtLeast(current, desired rollout.IntOrPercent) bool {
	const base = 10_000_000
	return current.OfUp64(base) >= desired.OfUp64(base)
}

// BatchSize returns how many of the replicas a batch updates: rounded up, from 0 to all of
// them.
//
// It mirrors CalculateBatchReplicas of OpenKruise Rollouts.
func BatchSize(batch rollout.IntOrPercent, replicas int32) int32 {
	return int32(max(0, min(batch.OfUp64(replicas), int64(replicas))))
}

// StableShare returns the percentage of old pods that a CloneSet keeps, so that stable of
// the replicas stay old. It is rounded down, but to at least 1% if it would keep no pod,
// unless the batch is 100%. 1% may keep more than one pod: see the quirk
// CloneSetKeepsExtraPods.
//
// It mirrors ParseIntegerAsPercentageIfPossible of OpenKruise Rollouts.
func StableShare(stable, replicas int32, batch rollout.IntOrPercent) rollout.IntOrPercent {
	switch {
	case stable >= replicas:
		return rollout.Percent(100)
	case stable <= 0:
		return rollout.Percent(0)
	}
	share := rollout.Percent(int32(int64(stable) * 100 / int64(replicas)))
	if share.OfUp(replicas) <= 0 && batch != rollout.Percent(100) {
		return rollout.Percent(1)
	}
	return share
}

// ExactShare reports whether some percentage keeps exactly the stable pods.
func ExactShare(stable, replicas int32) bool {
	return StableShare(stable, replicas, rollout.Percent(50)).OfUp(replicas) == stable
}
