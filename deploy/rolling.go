// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"

	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/rollout"
)

// step computes one step of a rolling update with [rollout.Roll], or with [rollout.Step] if there
// are policies. If terminating pods count but some ReplicaSet does not report them, the new
// ReplicaSet does not grow. The argument newSet has the counts of the new ReplicaSet; they are 0
// before it is created.
func (in *input) step(c *counts, newSet rollout.Set) (st step) {
	terminating, known := c.terminatingThatCount(in)
	if in.hasPolicies {
		return in.stepBy(newSet, terminating, known)
	}
	if !known && newSet.Wanted < in.replicas {
		return in.stepDown(newSet)
	}
	st.old = in.oldPolicySets()
	st.Rolling = rollout.Roll(in.budget, newSet, st.old, terminating, in.policy)
	return st
}

// stepDown is [input.step] without growth of the new ReplicaSet.
func (in *input) stepDown(newSet rollout.Set) (st step) {
	st.old = in.oldPolicySets()
	st.Size, st.Shrinking = newSet.Wanted, rollout.Shrink(in.budget, newSet, st.old, in.policy.Counting)
	return st
}

// roll makes one step of a rolling update. It grows the new ReplicaSet or, if that keeps its size,
// shrinks the old ones. Some policies do both in one step.
//
// It mirrors rolloutRolling of the deployment controller of Kubernetes.
func (z *sizing) roll(in *input, c *counts) {
	if in.partitioned() {
		*z = in.rollToPartition(c)
		return
	}
	s := in.newSet()
	st := in.step(c, in.policySet(s))
	if st.Size != s.size {
		why := reason.RolloutUp
		if st.Size < s.size {
			why = reason.Surplus
		}
		z.changes, z.moved = []change{{set: in.newAt, to: st.Size, reason: why}}, true
	}
	z.shrinkOld(in, &st)
	z.holds = in.holds(c, &st)
}

// shrink is [sizing.roll] without the changes that start pods.
//
// It mirrors reconcileOldReplicaSets of the deployment controller of Kubernetes.
func (in *input) shrink(c *counts) (z sizing) {
	switch {
	case in.partitioned():
		return in.shrinkToPartition()
	case in.hasPolicies:
		z.roll(in, c)
		z.changes = slices.DeleteFunc(z.changes, func(c change) bool { return c.to > in.sets[c.set].size })
		return z
	}
	st := in.stepDown(in.newSet().rolloutSet())
	z.shrinkOld(in, &st)
	z.holds = in.holds(c, &st)
	return z
}

// shrinkOld adds the changes of old sets in a step.
func (z *sizing) shrinkOld(in *input, st *step) {
	var d draft
	lost := st.Shrinking
	if lost.Unavailable != nil {
		d = in.newDraft()
		d.removeUnavailable(st.old, lost.Unavailable)
		for k, n := range lost.Available {
			d.removeAvailable(st.old[k].Age, n)
		}
		z.changes = d.appendTo(z.changes)
	}
	z.moved = z.moved || lost.Removed > 0 && lost.Ahead < 0
}

// oldPolicySets returns the counts of the active old sets, oldest first. The Age of each is its
// index in input.sets.
func (in *input) oldPolicySets() (old []rollout.Set) {
	for i := range in.sets {
		if s := &in.sets[i]; i != in.newAt && s.size > 0 {
			numbers := in.policySet(s)
			numbers.Age = i
			old = append(old, numbers)
		}
	}
	return old
}
