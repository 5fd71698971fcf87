// SPDX-License-Identifier: Apache-2.0

package rollout

// Step makes one step of an update by all policies, from counts of one moment. Old sets are
// given oldest first; terminating is how many terminating pods take up room. Moves are the
// indexes of the old sets whose pods should move to the new one now.
//
//	OnDelete's sizes                            if p.OnDelete
//	Roll's sizes                                otherwise, and then
//	size = InPlace(size)                        if some old set moves
//	one pod of an old set less                  if nothing changes otherwise, and p.BreakDeadlock
//
// An old set with Moves moves as long as it has pods and the new one wants fewer than the
// replicas. Without [Policy].OnDelete and without sets that move Step is [Roll].
//
// Invariants: with truthful counts no more pods are wanted than replicas plus surge, or
// than before, and enough stay available, except for the one pod of a broken deadlock; no
// pod is created for one that moves. Cluster API needs it, in this order.
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
	if p.BreakDeadlock { // moves may have caused one
		r = r.BreakDeadlock(newSet, old)
	}
	return r, moves
}

// given returns the losses of old sets that get these sizes, all as unavailable pods.
func (p Policy) given(old []Set, sizes []int32) Shrinking {
	r := Shrinking{Ahead: -1, Idle: true, Unavailable: make([]int32, len(old))}
	for i, s := range old {
		r.Idle = r.Idle && s.Wanted == 0
		r.Unavailable[i] = saturate(int64(s.Wanted) - int64(max(sizes[i], p.least(s))))
		r.Removed += int64(r.Unavailable[i])
	}
	return r
}
