// SPDX-License-Identifier: Apache-2.0

package rollout

// Step is [Roll], and also moves pods of old sets to the new set where a set allows it: see
// [Set].Moves. It has the arguments of Roll.
//
//	Roll's sizes                                and then, without OnDelete:
//	size = InPlace(size)                        if pods of an old set move
//	old sets lose as many pods as in Roll       if this leaves size = wanted(new set)
//	an old set loses one pod                    if nothing changes otherwise, and p.BreakDeadlock
//
// Pods of an old set with Moves move while the set has pods and the new set wants fewer pods
// than the replicas. Without such sets Step is Roll.
//
// Invariants, if the counts are correct: a step never raises the number of wanted pods above
// replicas + surge, the minimum stays available, except for the one pod of BreakDeadlock, and no
// pod is created in place of a pod that moves. Cluster API needs these rules in this order.
func Step(b Budget, newSet Set, old []Set, terminating int64, p Policy) Rolling {
	r := Roll(b, newSet, old, terminating, p)
	if p.OnDelete {
		return r
	}
	busy := newSet.Busy
	for i, s := range old {
		busy = busy || s.Busy
		if s.Moves && s.There > 0 && newSet.Wanted < b.Replicas {
			r.Moves = append(r.Moves, i)
		}
	}
	if len(r.Moves) > 0 {
		grows := r.Size != newSet.Wanted
		r.Size = InPlace(b.Replicas, newSet, r.Size, old, r.Shrinking.Sizes(old), busy)
		if grows && r.Size == newSet.Wanted && !p.Together {
			r.Shrinking = p.shrink(b, newSet, r.Size, old)
		}
	}
	if p.BreakDeadlock { // moves may have caused a deadlock
		r = r.BreakDeadlock(newSet, old)
	}
	return r
}

// given returns the losses of old sets that shrink to these sizes, but not below [Counting.Keeps]. It
// returns them as losses of unavailable pods.
func (p Policy) given(old []Set, sizes []int32) Shrinking {
	r := Shrinking{Ahead: -1, Idle: true, Unavailable: make([]int32, len(old))}
	//proof:keeps len(r.Unavailable) == len(old) && r.Idle == all(k, 0, done, old[k].Wanted == 0)
	//proof:keeps all(k, 0, done, r.Unavailable[k] == old[k].Wanted-max(sizes[k], p.least(old[k])))
	//proof:keeps r.Removed == sum(k, done, r.Unavailable[k]) && -2147483648*done <= r.Removed && r.Removed <= 2147483647*done
	for i, s := range old {
		r.Idle = r.Idle && s.Wanted == 0
		r.Unavailable[i] = saturate(int64(s.Wanted) - int64(max(sizes[i], p.least(s))))
		r.Removed += int64(r.Unavailable[i])
	}
	return r
}
