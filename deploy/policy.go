// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"

	"github.com/kplan-go/kplan/rollout"
)

// step is one step of a rolling update by the policies: see [rollout.Step]. Old sets that want
// no pods take part with what is there. Nobody counts on what they have, but where the worst is
// assumed.
func (in *input) step(c *counts, newSet rollout.Set) (st step) {
	for i, s := range in.old {
		n := in.numbersOf(s)
		if n.Wanted == 0 && !in.policy.WorstCase {
			n.Available = 0
		}
		st.old, st.places = append(st.old, n), append(st.places, i)
	}
	terminating, known := c.terminatingThatCount(in)
	st.Rolling, st.moves = rollout.Step(in.budget, newSet, st.old, terminating, in.policy)
	if !known {
		st.Size = min(st.Size, newSet.Wanted)
	}
	return st
}

type step struct {
	rollout.Rolling
	old    []rollout.Set
	places []int
	moves  []int // places in old
}

// rollBy makes one step of a rolling update by the policies.
func (in *input) rollBy(c *counts) sizing {
	s := in.newSet()
	st := in.step(c, in.numbersOf(s))
	z := sizing{holds: in.holdBy(c, &st)}
	if st.Size != s.size {
		reason := ReasonRolloutUp
		if st.Size < s.size {
			reason = ReasonSurplus
		}
		z.changes, z.moved = []change{{set: in.newAt, to: st.Size, reason: reason}}, true
	}
	d, lost := in.draft(), st.Shrinking
	d.removeUnavailable(st.places, st.old, lost.Unavailable)
	d.removeAvailable(st.places, lost.Available)
	z.changes = append(z.changes, d.changes()...)
	z.moved = z.moved || lost.Removed > 0 && lost.Ahead < 0
	return z
}

// shrinkBy is [input.rollBy] where nothing is started.
func (in *input) shrinkBy(c *counts) sizing {
	z := in.rollBy(c)
	z.changes = slices.DeleteFunc(z.changes, func(c change) bool { return c.to > in.sets[c.set].size })
	return z
}

// holdBy says why a step by the policies leaves sets as they are: the new one, and then old
// ones, oldest first.
func (in *input) holdBy(c *counts, st *step) (holds []Hold) {
	s := in.newSet()
	if st.Size == s.size && st.Size < in.policy.Places(in.budget, st.old).Replicas {
		holds = append(holds, in.holdNewBy(c, st))
	}
	sizes := st.Shrinking.Sizes(st.old)
	for k, i := range st.places {
		n, name := st.old[k], in.sets[i].rs.Name
		switch {
		case slices.Contains(st.moves, k):
			holds = append(holds, hold(name, ReasonMovesInPlace, int64(n.There), int64(in.replicas)-int64(s.size)))
		case sizes[k] == 0:
		case in.policy.OnDelete:
			holds = append(holds, hold(name, ReasonOnDelete, int64(n.There), 0))
		case sizes[k] <= in.policy.Keeps(n):
			holds = append(holds, hold(name, ReasonKept, int64(sizes[k]), int64(in.policy.Keeps(n))))
		case k == st.Shrinking.Ahead:
			holds = append(holds, holdAhead(&in.sets[i]))
		case st.Shrinking.Ahead < 0 && (st.Size == s.size || in.policy.Together):
			holds = append(holds, hold(name, ReasonMinAvailable, st.Shrinking.Have, st.Shrinking.Limit))
		}
	}
	return holds
}

// holdNewBy says why the new set does not grow.
func (in *input) holdNewBy(c *counts, st *step) Hold {
	s := in.newSet()
	n, existing, there := in.numbersOf(s), int64(0), int64(0)
	counted := in.policy
	if counted.OnDelete {
		counted = rollout.Policy{CountLarger: true}
	}
	for _, o := range append(slices.Clip(st.old), n) {
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
