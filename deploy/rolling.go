// SPDX-License-Identifier: Apache-2.0

package deploy

import "github.com/kplan-go/kplan/rollout"

// roll makes one step of a rolling update: it grows the new ReplicaSet, or else shrinks
// the old ones.
//
// It mirrors rolloutRolling of the deployment controller of Kubernetes.
func (in *input) roll(c *counts) sizing {
	if in.byPolicy {
		return in.rollBy(c)
	}
	grown := in.grow(c)
	if grown.moved {
		return grown
	}
	shrunk := in.shrink()
	shrunk.holds = append(grown.holds, shrunk.holds...)
	return shrunk
}

// grow brings the new ReplicaSet closer to the Deployment's replicas.
func (in *input) grow(c *counts) (z sizing) {
	s := in.newSet()
	to, reason := in.replicas, ReasonSurplus
	if s.size < in.replicas {
		to, reason = in.newSize(c, s.size), ReasonRolloutUp
		if to == s.size {
			z.holds = []Hold{in.holdNew(c, s)}
		}
	}
	if to >= 0 && to != s.size {
		z.changes, z.moved = []change{{set: in.newAt, to: to, reason: reason}}, true
	}
	return z
}

// newSize returns the size that the new ReplicaSet, which wants size pods, may have.
func (in *input) newSize(c *counts, size int32) int32 {
	if in.d.Strategy == Recreate {
		return in.replicas
	}
	if in.byPolicy {
		return in.step(c, rollout.Set{Wanted: size}).Size
	}
	terminating, known := c.terminatingThatCount(in)
	if !known {
		return size
	}
	total := in.policy.Sum(in.policy.Sum(c.wanted) + terminating)
	if in.partitioned() {
		return in.partitionedSize(total, size)
	}
	if n := rollout.Grow(in.budget, total, size, in.policy); n >= 0 {
		return n
	}
	return size // it has wrapped around
}

// holdNew says why the new ReplicaSet does not grow.
func (in *input) holdNew(c *counts, s *set) Hold {
	terminating, known := c.terminatingThatCount(in)
	total := in.policy.Sum(c.wanted)
	switch {
	case in.atLimit(s):
		return hold(s.rs.Name, ReasonPartition, int64(s.size), int64(in.limit()))
	case !known:
		return hold(s.rs.Name, ReasonTerminatingUnknown, 0, 0)
	case terminating > 0:
		return hold(s.rs.Name, ReasonTerminating, in.policy.Sum(total+terminating), in.policy.MaxTotal(in.budget))
	}
	return hold(s.rs.Name, ReasonSurgeExhausted, total, in.policy.MaxTotal(in.budget))
}

// shrink removes pods of old templates: see [rollout.Shrink].
//
// It mirrors reconcileOldReplicaSets of the deployment controller of Kubernetes.
func (in *input) shrink() sizing {
	if in.partitioned() {
		return in.shrinkToPartition()
	}
	old, places := in.oldNumbers()
	if len(old) == 0 {
		return sizing{}
	}
	lost, d := rollout.Shrink(in.budget, in.newSet().numbers(), old, in.policy), in.draft()
	d.removeUnavailable(places, old, lost.Unavailable)
	d.removeAvailable(places, lost.Available)
	z := sizing{changes: d.changes()}
	switch {
	case lost.Ahead >= 0:
		z.holds = []Hold{holdAhead(&in.sets[places[lost.Ahead]])}
	case !lost.Idle:
		z.holds, z.moved = d.holdOld(lost.Have), lost.Removed > 0
	}
	return z
}

// holdAhead says that a set which reports more available pods than it wants has ended
// the cleanup.
func holdAhead(s *set) Hold {
	return hold(s.rs.Name, ReasonStatusAhead, int64(s.status().AvailableReplicas), int64(s.size))
}

// holdOld says why the old sets keep the pods that they keep.
func (d *draft) holdOld(available int64) (holds []Hold) {
	n := 0
	for i := range d.in.activeOld {
		if d.sizes[i].to > 0 {
			n++
		}
	}
	holds = make([]Hold, 0, n)
	for i, s := range d.in.activeOld {
		if d.sizes[i].to > 0 {
			holds = append(holds, hold(s.rs.Name, ReasonMinAvailable, available, d.in.policy.MinAvailable(d.in.budget)))
		}
	}
	return holds
}
