// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
)

// stepBy makes one step of a rolling update by the policies: see [rollout.Step]. Old sets that
// want no pods take part with their existing pods. Their available pods count only if the policy
// assumes the worst case. If the number of terminating pods is not known, nothing is started.
func (in *input) stepBy(newSet rollout.Set, terminating int64, known bool) (st step) {
	for i, s := range in.old {
		n := in.numbersOf(s)
		n.Age = i
		if n.Wanted == 0 && !in.policy.WorstCase {
			n.Available = 0
		}
		st.old = append(st.old, n)
	}
	st.Rolling, st.moves = rollout.Step(in.budget, newSet, st.old, terminating, in.policy)
	if !known {
		st.Size = min(st.Size, newSet.Wanted)
	}
	return st
}

// holdOld adds the reasons why a step leaves old sets as they are, oldest first. The sizes are
// the next sizes of sets, or nil if none shrinks.
func (in *input) holdOld(holds []kplan.Hold[Reason], st *step, sizes []drafted) []kplan.Hold[Reason] {
	s := in.newSet()
	holds = slices.Grow(holds, len(st.old))
	for k := range st.old {
		n := &st.old[k]
		name, size := in.sets[n.Age].rs.Name, n.Wanted
		if sizes != nil {
			size = sizes[n.Age].to
		}
		switch {
		case slices.Contains(st.moves, k):
			holds = append(holds, hold(name, ReasonMovesInPlace, int64(n.There), int64(in.replicas)-int64(s.size)))
		case size == 0:
		case in.policy.OnDelete:
			holds = append(holds, hold(name, ReasonOnDelete, int64(n.There), 0))
		case size <= in.policy.Keeps(*n):
			holds = append(holds, hold(name, ReasonKept, int64(size), int64(in.policy.Keeps(*n))))
		case k == st.Shrinking.Ahead:
			holds = append(holds, holdAhead(&in.sets[n.Age]))
		case st.Shrinking.Ahead < 0 && !st.Shrinking.Idle && (st.Size == s.size || in.policy.Together):
			holds = append(holds, hold(name, ReasonMinAvailable, st.Shrinking.Have, st.Shrinking.Limit))
		}
	}
	if len(holds) == 0 {
		return nil // and no capacity
	}
	return holds
}

// holdAhead returns the hold of a set that has ended the cleanup because it reports more
// available pods than it wants.
func holdAhead(s *set) kplan.Hold[Reason] {
	return hold(s.rs.Name, ReasonStatusAhead, int64(s.status().AvailableReplicas), int64(s.size))
}

// holdNew returns the reason why a step does not grow the new set.
func (in *input) holdNew(c *counts, st *step) kplan.Hold[Reason] {
	s := in.newSet()
	n, counted := in.numbersOf(s), in.policy
	if counted.OnDelete {
		counted = rollout.Policy{CountLarger: true}
	}
	existing, there := counted.Existing(n), int64(n.There)
	for _, o := range st.old {
		existing, there = existing+counted.Existing(o), there+int64(o.There)
	}
	terminating, known := c.terminatingThatCount(in)
	existing, most := in.policy.Sum(existing), in.policy.MaxTotal(in.budget)
	total := in.policy.Sum(existing + terminating)
	switch {
	case in.policy.OnDelete:
		return hold(s.rs.Name, ReasonOnDelete, existing, int64(in.replicas))
	case in.policy.WaitForNew && n.There != n.Wanted:
		return hold(s.rs.Name, ReasonStatusBehind, int64(n.There), int64(n.Wanted))
	case in.policy.FreezeOvershoot && there > most:
		return hold(s.rs.Name, ReasonSurgeExhausted, there, most)
	case !known:
		return hold(s.rs.Name, ReasonTerminatingUnknown, 0, 0)
	case len(st.moves) > 0 && total < most:
		return hold(s.rs.Name, ReasonMovesInPlace, int64(s.size), int64(in.replicas))
	case terminating > 0:
		return hold(s.rs.Name, ReasonTerminating, total, most)
	}
	return hold(s.rs.Name, ReasonSurgeExhausted, existing, most)
}
