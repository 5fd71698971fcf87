// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"math"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/condition"
	"github.com/kplan-go/kplan/rollout/argo/reason"
)

// short returns the hold of a ReplicaSet that has fewer pods than the limit, or more pods
// than it wants.
func short(set *ReplicaSet, why kplan.Reason, have, limit int32) waiting {
	switch {
	case have < limit:
		return heldBy(set, why, have, limit)
	case have > limit && set.Replicas <= limit:
		return heldBy(set, reason.PodsRemain, have, limit)
	}
	return waiting{}
}

// needed returns how many of the wanted pods have to be available for [Threshold.Met].
func (t *Threshold) needed(wanted int32) int32 {
	switch {
	case t == nil || t.Value < 0:
		return wanted
	case t.Type == "Percent":
		return saturated(int64(math.Ceil(float64(wanted) * float64(t.Value) / 100)))
	}
	return t.Value
}

// unreached returns the holds of a step that waits for sizes, see [Canary.AtDesired].
func (c *counts) unreached(weights *TrafficWeights) (w waiting) {
	r := c.with(weights)
	want, fresh := r.Counts(), c.fresh
	if !r.ProgressThreshold.Met(fresh.Replicas, fresh.AvailableReplicas, want.Canary) {
		w = short(fresh, reason.BatchNotReady, fresh.AvailableReplicas, r.ProgressThreshold.needed(want.Canary))
	}
	if c.stable != nil && c.stable.Replicas == want.Stable && !(r.TrafficRouting && r.DynamicStableScale) {
		w = w.and(short(c.stable, reason.StableNotCreated, c.stable.StatusReplicas, want.Stable))
	}
	if r.TrafficRouting {
		return w
	}
	for _, set := range c.others() {
		if set.AvailableReplicas > 0 {
			w = w.and(c.stableLacks()).and(heldBy(set, reason.PodsRemain, set.AvailableReplicas, 0))
		}
	}
	return w
}

// unpromoted returns the hold of a canary after its last step, see [Canary.Promoted].
func (c *counts) unpromoted(weights *TrafficWeights) waiting {
	have, n := c.fresh.AvailableReplicas, c.replicas()
	switch needed := min(n, c.r.ProgressThreshold.needed(n)); {
	case c.fresh == c.stable:
		return c.unsettled(weights)
	case have < needed:
		return heldBy(c.fresh, reason.BatchNotReady, have, needed)
	}
	return waiting{}
}

// unsettled returns the holds of a stable template: its missing pods, and the other pods
// that are left. The phase may be Healthy earlier. A template that is not stable yet has no
// such holds.
func (c *counts) unsettled(weights *TrafficWeights) waiting {
	if c.fresh == nil || c.fresh != c.stable {
		return waiting{}
	}
	n := c.replicas()
	w := short(c.fresh, reason.StableUnavailable, c.fresh.AvailableReplicas, n)
	if c.fresh.StatusReplicas > n {
		w = w.and(heldBy(c.fresh, reason.PodsRemain, c.fresh.StatusReplicas, n))
	}
	if c.style() == StyleCanary {
		for _, set := range c.others() {
			if set.StatusReplicas > 0 {
				w = w.and(heldBy(set, reason.PodsRemain, set.StatusReplicas, 0))
			}
		}
	}
	if v := c.s.WeightVerified; weights != nil && v != nil && !*v {
		w = w.and(unverified(weights))
	}
	return w
}

// stableLacks returns the hold of a stable ReplicaSet with fewer available pods than it
// wants.
func (c *counts) stableLacks() waiting {
	if s := c.stable; s != nil && s.AvailableReplicas < s.Replicas {
		return heldBy(s, reason.StableUnavailable, s.AvailableReplicas, s.Replicas)
	}
	return waiting{}
}

// refused reports whether a ReplicaSet reports that it cannot create its missing pods, or
// delete its surplus pods.
func (set *ReplicaSet) refused() bool {
	f := condition.Find(set.Conditions, ConditionReplicaFailure)
	return f != nil && f.Status == kplan.ConditionTrue && set.StatusReplicas != set.Replicas
}

// refusals returns the holds of the ReplicaSets that cannot create or delete pods.
func (c *counts) refusals() (w waiting) {
	for _, set := range c.sets {
		if set.refused() {
			w = w.and(heldBy(set, reason.ReplicaFailure, set.StatusReplicas, set.Replicas))
		}
	}
	return w
}
