// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/rollout"
)

// A step is one step of a rolling update, in numbers of pods.
type step struct {
	rollout.Rolling
	old []rollout.Set // the counts of old sets, oldest first; Age is the index in input.sets
}

// holds returns the holds of a step: of the new set if it does not grow, and of the pods of old
// sets that the step does not remove, oldest set first.
func (in *input) holds(c *counts, st *step) []kplan.Hold {
	terminating, known := c.terminatingThatCount(in)
	holds := make([]kplan.Hold, 0, 1+len(st.old))
	for w := range st.Waits(in.budget, in.policySet(in.newSet()), st.old, terminating, in.policy) {
		name := in.newSet().rs.Name
		if w.Set >= 0 {
			name = in.sets[st.old[w.Set].Age].rs.Name
		} else if !known && w.Reason != reason.OnDelete && w.Reason != reason.StatusBehind {
			w = rollout.Wait{Reason: reason.TerminatingUnknown}
		}
		holds = append(holds, hold(name, w.Reason, w.Have, w.Limit))
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
