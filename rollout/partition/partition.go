// SPDX-License-Identifier: Apache-2.0

package partition

import "github.com/kplan-go/kplan/rollout"

// A RollingUpdate holds the two limits of a rolling update, before they are resolved to
// numbers. A nil *RollingUpdate differs from one with both limits unset: see [Budget] and
// [CloneSetBudget].
type RollingUpdate struct {
	MaxUnavailable rollout.IntOrPercent `json:"maxUnavailable,omitzero"` // unset means 0, and 20% for a CloneSet
	MaxSurge       rollout.IntOrPercent `json:"maxSurge,omitzero"`       // unset means 0
}

// Limit returns how many pods the ReplicaSet of the new template may have: the partition, as a
// number or a percentage of the replicas, rounded up and limited to the range from 0 to
// replicas. A percentage other than 100% leaves at least one old pod if replicas is above 1.
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

// Budget resolves the limits of a Deployment that is updated by partition. If ru is nil, both
// are 0. Otherwise Budget is [rollout.Resolve] or, if exact is set, [rollout.ResolveExact]: see
// the quirk LimitsWrapAround.
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

// LowerBound returns the smallest size with which the ReplicaSet of the new template is
// created: 0 with a surge, and otherwise min(1, replicas), even at partition 0. See the quirk
// NewPodAtPartitionZero.
//
// It mirrors NewRSReplicasLowerBound of OpenKruise Rollouts.
func LowerBound(b rollout.Budget) int32 {
	if b.Surge > 0 {
		return 0
	}
	return min(1, b.Replicas)
}

// CreationSize returns the size with which the ReplicaSet of the new template is created: the
// larger of [NewSize] and [LowerBound]. total is the number of pods that all other ReplicaSets
// want. If noneAtZero is set and [Limit] is 0, CreationSize ignores LowerBound.
func CreationSize(partition rollout.IntOrPercent, b rollout.Budget, total int64, noneAtZero bool) int32 {
	size := NewSize(partition, b, total, 0)
	if noneAtZero && Limit(partition, b.Replicas) == 0 {
		return size
	}
	return max(size, LowerBound(b))
}

// NewSize returns the next size of the ReplicaSet of the new template. It wants size pods now,
// and all ReplicaSets want total pods. See [rollout.GrowTo]: if no other ReplicaSet wants pods,
// the result is the replicas, at any partition; otherwise it is at least size.
//
// It mirrors NewRSNewReplicas of OpenKruise Rollouts.
func NewSize(partition rollout.IntOrPercent, b rollout.Budget, total int64, size int32) int32 {
	return rollout.GrowTo(b, Limit(partition, b.Replicas), total, size)
}

// OldLimit returns how many old pods may be deleted at the partition. Old ReplicaSets want
// oldTotal pods, and the ReplicaSet of the new template wants size. A negative result is the
// number of missing old pods.
func OldLimit(partition rollout.IntOrPercent, replicas int32, oldTotal int64, size int32) int64 {
	return rollout.Surplus(replicas, Limit(partition, replicas), oldTotal, size)
}

// AtLeast reports whether the partition current updates at least as many pods as the partition
// desired: then no write is needed. It compares both as numbers of pods out of 10,000,000. This
// is wrong for a number and a percentage: 20% is at least 5, for any replicas.
//
// It mirrors IsCurrentMoreThanOrEqualToDesired of OpenKruise Rollouts. For a
// comparison by pods see the quirk MixedPartitionsNeverEnd.
func AtLeast(current, desired rollout.IntOrPercent) bool {
	const base = 10_000_000
	return current.OfUp64(base) >= desired.OfUp64(base)
}

// BatchSize returns how many pods a batch updates: a number or a percentage of the replicas,
// rounded up and limited to the range from 0 to replicas.
//
// It mirrors CalculateBatchReplicas of OpenKruise Rollouts.
func BatchSize(batch rollout.IntOrPercent, replicas int32) int32 {
	return int32(max(0, min(batch.OfUp64(replicas), int64(replicas))))
}

// StableShare returns the percentage of old pods to write to a CloneSet for which stable of the
// replicas stay old. It is rounded down. If it would be 0% although stable is above 0, it is 1%,
// unless batch is 100%. 1% may keep more than stable pods: see the quirk CloneSetKeepsExtraPods.
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

// ExactShare reports whether the percentage of [StableShare] keeps exactly stable pods.
func ExactShare(stable, replicas int32) bool {
	return StableShare(stable, replicas, rollout.Percent(50)).OfUp(replicas) == stable
}
