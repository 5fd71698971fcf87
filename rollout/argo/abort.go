// SPDX-License-Identifier: Apache-2.0

package argo

import "github.com/kplan-go/kplan/rollout/argo/quirk"

// An abort changes the sizes, depending on the style of the Rollout:
//
//	canary                 its weight is 0 ([Canary.SetWeight]): all pods are stable again,
//	                       as fast as the limits let them ([Canary.Basic])
//	canary with routing    the new ReplicaSet keeps its pods for [AbortDelay], counted from
//	                       when the stable ones are all there, and loses them all then
//	                       (counts.freshScaled); with a delay of 0 its size follows its weight
//	                       at once, or a setCanaryScale of the first step
//	                       ([Canary.CanaryScale]); with dynamicStableScale and no configured delay above 0
//	                       it keeps the pods for requests that the stable one cannot serve yet
//	                       ([Canary.CanaryWeight]), or that still go to it ([Canary.Routed])
//	blue-green             the new ReplicaSet keeps its pods for [AbortDelay], counted in the
//	                       same way; with a delay of 0 it keeps the size of the preview
//
// and the rest of the Rollout:
//
//	traffic                weights go back to the stable pods (weight.go); the active Service of
//	                       blue-green does too, but only while the new pods are complete and
//	                       nothing pauses (counts.switchActive)
//	status                 a canary is at its first step again, and pauses are dropped
//
// A new template, a promotion, and a rollback within the window take the abort back.

// CanaryScale returns the setCanaryScale that is in force: the last at or before the current step.
// It is nil
//
//   - without such a step, and if that step matches the weight again;
//   - without traffic routing, and after the last step;
//   - with 0 replicas, if [quirk.ZeroReplicasTakeSteps] is repaired;
//   - in an aborted update, except with a configured abort delay of 0: an abort goes back to the
//     first step, and a setCanaryScale there is in force.
func (r Canary) CanaryScale() *CanaryScale {
	i := r.stepIndex()
	if !r.TrafficRouting || i >= len(r.Steps) || r.replicas() == 0 && r.Repair.Has(quirk.ZeroReplicasTakeSteps) {
		return nil
	}
	if r.Abort && (r.AbortScaleDownDelaySeconds == nil || *r.AbortScaleDownDelaySeconds != 0) {
		return nil
	}
	for ; i >= 0; i-- {
		if scale := r.Steps[i].SetCanaryScale; scale != nil {
			if scale.MatchTrafficWeight {
				return nil
			}
			return scale
		}
	}
	return nil
}

// CanaryWeight returns the weight that the sizes follow while there are steps to take:
// [Canary.SetWeight] or, in an aborted canary that follows its stable pods back
// (dynamicStableScale), the weight of the last step that has fewer pods than are still needed, 0
// without such a step. Needed are as many new pods as stable ones are not available; without a
// configured delay above 0, at least the available new pods. A step with fewer pods removes some
// in each pass, but it may remove too many: see [quirk.AbortLeavesRequests].
func (r Canary) CanaryWeight() int32 {
	if !r.followsBack() {
		return r.SetWeight()
	}
	needed := r.replicas() - r.Stable.AvailableReplicas
	if r.Repair.Has(quirk.AbortLeavesRequests) && needed <= 0 && r.Canary.AvailableReplicas <= r.atLeast(1) {
		return 0
	}
	if r.AbortScaleDownDelaySeconds == nil || *r.AbortScaleDownDelaySeconds == 0 {
		needed = max(needed, r.Canary.AvailableReplicas)
	}
	for i := len(r.Steps) - 1; i >= 0; i-- {
		if w := r.Steps[i].SetWeight; w != nil && r.pods(*w) < needed {
			return *w
		}
	}
	return 0
}

// followsBack reports whether the sizes of an aborted canary follow its stable pods back.
func (r Canary) followsBack() bool {
	return r.Abort && r.DynamicStableScale && r.Stable != nil && r.Canary != nil
}

// AbortDelay returns for how many seconds the new ReplicaSet keeps its pods after an abort,
// and whether the delay was configured. With traffic routing or blue-green it is nil for the
// value 0, which turns the delay and the removal at its end off. Then the new ReplicaSet of a blue-green update keeps the size
// of the preview until the next update. In a canary with traffic routing its size follows
// its weight, which is 0, so that its pods go at once; only a setCanaryScale of the first
// step keeps pods.
//
// For a canary without traffic routing it points to 0, whatever is configured. With
// dynamicStableScale a pass applies the delay only if it is explicit and not nil: otherwise
// the pods go as stable pods become available.
func AbortDelay(style Style, configured *int32) (seconds *int32, explicit bool) {
	n := int32(30)
	switch {
	case style == StyleCanary:
		n = 0
		return &n, false
	case configured == nil:
		return &n, false
	case *configured == 0:
		return nil, true
	}
	n = *configured
	return &n, true
}
