// SPDX-License-Identifier: Apache-2.0

package rollout

// Grow returns the size that the new set may have, given the pods that all sets want,
// total, and its own, size: as many more as the surge leaves room for, up to the replicas.
//
//	size                                                if total >= replicas + surge
//	size + min(replicas + surge - total, replicas - size)        otherwise
//
// By default it wraps around beyond the range of int32, so that the result can be below 0;
// with exact sums it is never below size. It mirrors NewRSNewReplicas of the deployment
// util package of Kubernetes.
func Grow(b Budget, total int64, size int32, p Policy) int32 {
	if p.ExactSums {
		more := min(p.MaxTotal(b)-total, int64(b.Replicas)-int64(size))
		return p.Size(int64(size) + max(0, more))
	}
	limit, wanted := b.Replicas+b.Surge, int32(total)
	if wanted >= limit {
		return size
	}
	return size + min(limit-wanted, b.Replicas-size)
}

// GrowTo is [Grow] for a new set that may have limit pods, as with a partition. It never
// shrinks the set; if no other set wants pods, the new one gets all replicas, whatever the
// limit is.
//
//	replicas                                                  if total <= size
//	max(size, min(size + replicas + surge - total, limit))    otherwise
//
// It mirrors NewRSNewReplicas of OpenKruise Rollouts (commit 9dd6279d).
func GrowTo(b Budget, limit int32, total int64, size int32) int32 {
	if total <= int64(size) {
		return b.Replicas
	}
	room := int64(b.Replicas) + int64(b.Surge) - total
	return int32(max(int64(size), min(int64(size)+room, int64(limit))))
}

// Surplus returns how many pods old sets, which want old, have beyond the share that the
// limit of the new set leaves to them; if it is below 0, that many are missing.
//
//	old - (replicas - max(limit, size))
//
// It mirrors ScaleDownLimitForOld of OpenKruise Rollouts (commit 9dd6279d).
func Surplus(replicas, limit int32, old int64, size int32) int64 {
	return old - (int64(replicas) - int64(max(limit, size)))
}

// Recreate returns the size of the new set where all old pods go first: it may start when
// old sets want no pods, and all of their pods have ended.
//
//	replicas    if wanted = 0 and left = 0
//	none        otherwise
//
// It mirrors rolloutRecreate of the deployment controller of Kubernetes.
func Recreate(replicas int32, wanted, left int64) (size int32, start bool) {
	if wanted > 0 || left > 0 {
		return 0, false
	}
	return replicas, true
}

// Saturated reports whether the new set serves alone: it wants all replicas, they are
// available, and recorded, the replicas for which it was last scaled, is the same number.
//
//	wanted = available = recorded = replicas
//
// It mirrors IsSaturated of the deployment util package of Kubernetes.
func Saturated(newSet Set, recorded, replicas int32) bool {
	return newSet.Wanted == replicas && newSet.Available == replicas && recorded == replicas
}

// LeaveRoom lowers a goal above the total by the terminating pods that take up room, but
// not below the total.
//
//	goal                                if goal <= total
//	max(total, goal - terminating)      otherwise
func LeaveRoom(goal, total, terminating int64) int64 {
	if goal <= total {
		return goal
	}
	return max(total, goal-terminating)
}
