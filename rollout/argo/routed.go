// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"math"

	"github.com/kplan-go/kplan/rollout/argo/quirk"
)

// Routed returns the sizes of a canary with traffic routing. They are absolute: the limits
// of a rolling update do not apply.
//
// It mirrors CalculateReplicaCountsForTrafficRoutedCanary of Argo Rollouts.
func (r Canary) Routed() Counts {
	weight := r.DesiredWeight()
	var canary int32
	if scale := r.CanaryScale(); scale != nil && scale.Replicas != nil && !r.promoted() {
		canary, weight = *scale.Replicas, 0
	} else {
		if scale != nil && scale.Weight != nil && !r.promoted() {
			weight = *scale.Weight
		}
		canary = r.atLeast(r.pods(weight))
		if scale == nil && r.Weights != nil && r.followsBack() && !r.promoted() && r.Repair.Has(quirk.AbortGetsPodsAgain) {
			canary = min(canary, r.Canary.Replicas)
		}
	}
	if !r.DynamicStableScale {
		return Counts{Canary: canary, Stable: r.replicas()}
	}
	stable := r.pods(r.MaxWeight() - weight)
	if r.Weights != nil {
		stable = max(stable, r.pods(r.Weights.Stable))
		if r.Abort {
			canary = max(canary, r.pods(r.Weights.Canary))
		}
	}
	return Counts{Canary: r.atLeast(canary), Stable: r.atLeast(stable)}
}

// pods returns how many pods serve a weight, rounded up.
func (r Canary) pods(weight int32) int32 {
	n, d := int64(weight)*int64(r.replicas()), int64(r.MaxWeight())
	pods := n / d
	if n%d > 0 {
		pods++
	}
	return saturated(pods)
}

// saturated returns n, or the closest number of 32 bits.
func saturated(n int64) int32 { return int32(max(math.MinInt32, min(n, math.MaxInt32))) }

// atLeast raises a size to the minimum that keeps each ReplicaSet highly available, unless
// it is 0.
func (r Canary) atLeast(n int32) int32 {
	if n == 0 || r.MinPodsPerReplicaSet == nil {
		return n
	}
	return max(n, min(*r.MinPodsPerReplicaSet, r.replicas()))
}
