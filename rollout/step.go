// SPDX-License-Identifier: Apache-2.0

package rollout

// Step returns one step of an update by all policies. All counts must be of the same time. Old
// sets are given oldest first; terminating is the number of terminating pods that count against
// the surge. moves are the indexes of the old sets whose pods should move to the new set now.
//
//	OnDelete's sizes                            if p.OnDelete
//	Roll's sizes                                otherwise, and then
//	size = InPlace(size)                        if pods of an old set move
//	an old set loses one pod                    if nothing changes otherwise, and p.BreakDeadlock
//
// Pods of an old set with Moves move while the set has pods and the new set wants fewer pods
// than the replicas. Without [Policy].OnDelete and without such sets Step is [Roll].
//
// Invariants, if the counts are correct: a step never raises the number of wanted pods above
// replicas + surge, the minimum stays available, except for the one pod of BreakDeadlock, and no
// pod is created in place of a pod that moves. Cluster API needs these rules in this order.
func Step(b Budget, newSet Set, old []Set, terminating int64, p Policy) (r Rolling, moves []int) {
	if p.OnDelete {
		size, sizes := OnDelete(b.Replicas, newSet, old)
		return Rolling{Size: max(size, p.least(newSet)), Shrinking: p.given(old, sizes)}, nil
	}
	r = Roll(b, newSet, old, terminating, p)
	busy := newSet.Busy
	for i, s := range old {
		busy = busy || s.Busy
		if s.Moves && s.There > 0 && newSet.Wanted < b.Replicas {
			moves = append(moves, i)
		}
	}
	if len(moves) > 0 {
		r.Size = InPlace(b.Replicas, newSet, r.Size, old, r.Shrinking.Sizes(old), busy)
	}
	if p.BreakDeadlock { // moves may have caused a deadlock
		r = r.BreakDeadlock(newSet, old)
	}
	return r, moves
}

// given returns the losses of old sets that shrink to these sizes, but not below [Policy.Keeps]. It
// returns them as losses of unavailable pods.
func (p Policy) given(old []Set, sizes []int32) Shrinking {
	r := Shrinking{Ahead: -1, Idle: true, Unavailable: make([]int32, len(old))}
	for i, s := range old {
		r.Idle = r.Idle && s.Wanted == 0
		r.Unavailable[i] = saturate(int64(s.Wanted) - int64(max(sizes[i], p.least(s))))
		r.Removed += int64(r.Unavailable[i])
	}
	return r
}
