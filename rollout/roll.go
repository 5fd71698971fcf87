// SPDX-License-Identifier: Apache-2.0

package rollout

// A Rolling is one step of a rolling update.
type Rolling struct {
	Size      int32     `json:"size"`      // pods that the new set is to want
	Shrinking Shrinking `json:"shrinking"` // what old sets lose
}

// Roll makes one step of a rolling update, from counts of one moment. Old sets are given
// oldest first; terminating is how many terminating pods take up room.
//
//	size = replicas                                     if the new set wants as many, or more
//	size = Grow(wanted of all + terminating)            otherwise
//	old sets lose Shrink(new set as it is, old)         if size = wanted(new set), or together
//
// The sum of wanted pods is the sum of [Policy.Existing], and the replicas are the ones of
// [Policy.Places]; WaitForNew and FreezeOvershoot hold growth back. With [Policy].WorstCase
// old sets lose the pods of [ShrinkWorstCase], and with BreakDeadlock one pod of the set
// that [Deadlock] returns if nothing changes otherwise.
//
// By default a step either grows or shrinks, as Kubernetes does, which reads the counts
// again between the two. With [Policy].Together it does both, and both bounds still hold:
// growing counts the wanted pods before any set shrinks, and shrinking counts the available
// pods before any set grows. A size that has wrapped around below 0 changes nothing.
func Roll(b Budget, newSet Set, old []Set, terminating int64, p Policy) Rolling {
	total := p.Existing(newSet)
	//proof:keeps total == p.Existing(newSet) + sum(k, done, p.Existing(old[k]))
	//proof:keeps -2147483648*(done+1) <= total && total <= 2147483647*(done+1)
	for _, s := range old {
		total += p.Existing(s)
	}
	places := p.Places(b, old)
	r := Rolling{Size: places.Replicas, Shrinking: Shrinking{Ahead: -1}}
	if newSet.Wanted < places.Replicas {
		r.Size = Grow(places, p.Sum(p.Sum(total)+terminating), newSet.Wanted, p)
	}
	if r.Size < 0 {
		r.Size = newSet.Wanted
	}
	r.Size = max(p.held(b, newSet, r.Size, old), p.least(newSet))
	if r.Size == newSet.Wanted || p.Together {
		r.Shrinking = p.shrink(b, newSet, r.Size, old)
	}
	if p.BreakDeadlock {
		return r.BreakDeadlock(newSet, old)
	}
	return r
}
