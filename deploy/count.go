// SPDX-License-Identifier: Apache-2.0

package deploy

// counts are the sums over all ReplicaSets before the plan.
type counts struct {
	wanted, replicas, ready, available int64

	terminating int64
	known       bool // every ReplicaSet that has been synced reports its terminating pods

	conditions bool // some ReplicaSet has conditions, which report only failures
}

// count sums up the ReplicaSets.
func (c *counts) count(in *input) {
	c.known = true
	for i := range in.sets {
		s := &in.sets[i]
		status := s.status()
		c.wanted += int64(s.size)
		c.replicas += int64(status.Replicas)
		c.ready += int64(status.ReadyReplicas)
		c.available += int64(status.AvailableReplicas)
		c.conditions = c.conditions || len(status.Conditions) > 0
		switch {
		case status.TerminatingReplicas != nil:
			c.terminating += int64(*status.TerminatingReplicas)
		case status.ObservedGeneration != 0:
			c.known = false
		}
	}
}

// terminatingThatCount returns the number of terminating pods that take up room by the
// policy. If known is false, nothing may be started until the number is known.
func (c *counts) terminatingThatCount(in *input) (n int64, known bool) {
	if in.opts.Terminating == TerminationStarted {
		return 0, true
	}
	if !c.known {
		return 0, in.opts.Terminating != TerminationKnown
	}
	return int64(in.policy.Size(c.terminating)), true
}
