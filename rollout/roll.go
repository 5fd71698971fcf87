// SPDX-License-Identifier: Apache-2.0

package rollout

// A Rolling is one step of a rolling update.
type Rolling struct {
	Size      int32     `json:"size"`            // pods that the new set is to want
	Shrinking Shrinking `json:"shrinking"`       // what old sets lose
	Moves     []int     `json:"moves,omitempty"` // indexes of the old sets with pods that move to the new set now: see [Step]
}

// Roll returns one step of a rolling update. All counts must be of the same time. Old sets are
// given oldest first. terminating is the number of terminating pods of all sets that count against
// the surge. It is not read with CountLarger and CountThere, because then [Set].There includes
// these pods.
//
//	size = replicas                                     if wanted(new set) >= replicas
//	size = Grow(wanted of all + terminating)            otherwise
//	old sets lose Shrink(new set before the step, old)  if size = wanted(new set), or p.Together
//
// Other policies change this. "wanted of all" is the sum of [Policy.Existing]. The replicas are
// those of [Counting.Places]. WaitForNew and FreezeOvershoot may prevent growth. With WorstCase
// old sets lose the pods of [ShrinkWorstCase]. With BreakDeadlock, a step that would change
// nothing deletes one pod of the set that [Deadlock] returns. With OnDelete, [OnDelete] returns
// the sizes, but no set shrinks below [Counting.Keeps]. Roll does not read ScaleNewest, which is a
// rule of [Scale], and OfReady, which is one of [Policy.Resolve].
//
// By default a step either grows the new set or shrinks old sets, as in Kubernetes, which reads
// the counts again in between. With Together it does both, and neither limit is exceeded:
// growth counts the wanted pods before any set shrinks, and shrinking counts the available
// pods before any set grows. If size has wrapped around below 0, the new set keeps its size.
func Roll(b Budget, newSet Set, old []Set, terminating int64, p Policy) Rolling {
	if p.OnDelete {
		size, sizes := OnDelete(b.Replicas, newSet, old)
		return Rolling{Size: max(size, p.least(newSet)), Shrinking: p.given(old, sizes)}
	}
	total := p.Existing(newSet)
	//proof:keeps total == p.Existing(newSet) + sum(k, done, p.Existing(old[k]))
	//proof:keeps -2147483648*(done+1) <= total && total <= 2147483647*(done+1)
	for _, s := range old {
		total += p.Existing(s)
	}
	if p.CountLarger || p.CountThere {
		terminating = 0
	}
	places := p.Places(b, old)
	r := Rolling{Size: places.Replicas, Shrinking: Shrinking{Ahead: -1}}
	if newSet.Wanted < places.Replicas {
		r.Size = Grow(places, p.Sum(p.Sum(total)+terminating), newSet.Wanted, p.Counting)
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
