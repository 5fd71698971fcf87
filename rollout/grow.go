// SPDX-License-Identifier: Apache-2.0

package rollout

// Grow returns the size to which the new set may grow now, within the surge and up to the
// replicas. total is the number of pods that all sets want, and size the number that the new
// set wants.
//
//	size                                                if total >= replicas + surge
//	size + min(replicas + surge - total, replicas - size)        otherwise
//
// By default sums wrap around beyond the range of int32, and the result may be negative. With
// p.ExactSums it is never below size. Grow mirrors NewRSNewReplicas of the deployment util
// package of Kubernetes.
func Grow(b Budget, total int64, size int32, p Counting) int32 {
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

// GrowTo is [Grow] for a new set that may have at most limit pods, as with a partition. It never
// shrinks the set, except to the replicas if no other set wants pods: then the result is the
// replicas, and limit is ignored.
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

// Surplus returns how many pods old sets have too many if the new set may have limit pods and
// wants size. old is the number of pods that old sets want. A negative result is the number of
// missing old pods.
//
//	old - (replicas - max(limit, size))
//
// It mirrors ScaleDownLimitForOld of OpenKruise Rollouts (commit 9dd6279d).
func Surplus(replicas, limit int32, old int64, size int32) int64 {
	return old - (int64(replicas) - int64(max(limit, size)))
}

// Recreate returns the size of the new set for the strategy Recreate, which deletes all old
// pods first. wanted is the number of pods that old sets want, and left the number of their
// pods that have not ended. start is false until both are 0.
//
//	replicas, true    if wanted = 0 and left = 0
//	0, false          otherwise
//
// It mirrors rolloutRecreate of the deployment controller of Kubernetes.
func Recreate(replicas int32, wanted, left int64) (size int32, start bool) {
	if wanted > 0 || left > 0 {
		return 0, false
	}
	return replicas, true
}

// Saturated reports whether the new set needs no other set: it wants all replicas, all are
// available, and it was last scaled for these replicas. recorded is the number of replicas in
// its annotation.
//
//	wanted = available = recorded = replicas
//
// It mirrors IsSaturated of the deployment util package of Kubernetes.
func Saturated(newSet Set, recorded, replicas int32) bool {
	return newSet.Wanted == replicas && newSet.Available == replicas && recorded == replicas
}

// LeaveRoom lowers goal, the number of pods to want, by the terminating pods, but not below
// total, the number of pods that are wanted now. A goal up to total does not change.
//
//	goal                                if goal <= total
//	max(total, goal - terminating)      otherwise
func LeaveRoom(goal, total, terminating int64) int64 {
	if goal <= total {
		return goal
	}
	return max(total, goal-terminating)
}
