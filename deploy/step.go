// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/rollout"
)

// A step is one step of a rolling update, in numbers of pods.
type step struct {
	rollout.Rolling
	old   []rollout.Set // the counts of old sets, oldest first; Age is the index in input.sets
	moves []int         // indexes in old of the sets whose pods move in place
}

// oldSetHolds adds holds for the old pods that a step does not remove, oldest set first. The
// argument sizes has the next size of each set, or is nil if no old set shrinks.
func (in *input) oldSetHolds(holds []kplan.Hold, st *step, sizes []draftSize) []kplan.Hold {
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
			holds = append(holds, hold(name, reason.MovesInPlace, int64(n.There), int64(in.replicas)-int64(s.size)))
		case size == 0:
		case in.policy.OnDelete:
			holds = append(holds, hold(name, reason.OnDelete, int64(n.There), 0))
		case size <= in.policy.Keeps(*n):
			holds = append(holds, hold(name, reason.Kept, int64(size), int64(in.policy.Keeps(*n))))
		case k == st.Shrinking.Ahead:
			holds = append(holds, statusAheadHold(&in.sets[n.Age]))
		case st.Shrinking.Ahead < 0 && !st.Shrinking.Idle && (st.Size == s.size || in.policy.Together):
			holds = append(holds, hold(name, reason.MinAvailable, st.Shrinking.Have, st.Shrinking.Limit))
		}
	}
	if len(holds) == 0 {
		return nil // not an empty list
	}
	return holds
}

// statusAheadHold returns the hold of an old set that reports more available pods than it wants,
// which ends the removal of unavailable pods: see [quirk.StatusAheadStopsCleanup].
func statusAheadHold(s *set) kplan.Hold {
	return hold(s.rs.Name, reason.StatusAhead, int64(s.status().AvailableReplicas), int64(s.size))
}

// growthHold returns the hold of a new set that a step does not grow. Its totals count the pods of
// a set by [rollout.Policy.Existing]; with OnDelete they count the larger of the wanted and the
// existing pods.
func (in *input) growthHold(c *counts, st *step) kplan.Hold {
	s := in.newSet()
	n, counted := in.policySet(s), in.policy
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
		return hold(s.rs.Name, reason.OnDelete, existing, int64(in.replicas))
	case in.policy.WaitForNew && n.There != n.Wanted:
		return hold(s.rs.Name, reason.StatusBehind, int64(n.There), int64(n.Wanted))
	case in.policy.FreezeOvershoot && there > most:
		return hold(s.rs.Name, reason.SurgeExhausted, there, most)
	case !known:
		return hold(s.rs.Name, reason.TerminatingUnknown, 0, 0)
	case len(st.moves) > 0 && total < most:
		return hold(s.rs.Name, reason.MovesInPlace, int64(s.size), int64(in.replicas))
	case terminating > 0:
		return hold(s.rs.Name, reason.Terminating, total, most)
	}
	return hold(s.rs.Name, reason.SurgeExhausted, existing, most)
}
