// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
)

// TrafficWeight returns the weight that the canary gets in a pass. A canary without
// available pods gets no traffic, and the weight follows the step only when the sizes are
// reached. With dynamicStableScale it follows the available pods, back to the stable
// template after an abort, and forward in a full promotion.
//
// It mirrors reconcileTrafficRouting of Argo Rollouts.
func (r Canary) TrafficWeight() int32 {
	switch {
	case r.CurrentPodHash == r.StableRS:
		return 0
	case r.Abort:
		return r.weightBack()
	case r.Canary == nil || r.Canary.AvailableReplicas == 0:
		return 0
	case r.PromoteFull:
		return r.weightForward()
	case len(r.Steps) == 0:
		return 0
	}
	sizes := r
	sizes.Weights = nil // the current weights do not matter
	if sizes.AtDesired() {
		return r.SetWeight()
	}
	return r.weightBefore(min(r.stepIndex(), len(r.Steps)))
}

// weightForward returns the weight in a full promotion.
func (r Canary) weightForward() int32 {
	switch {
	case r.DynamicStableScale:
		return r.weightOf(r.Canary)
	case r.Weights != nil:
		return r.Weights.Canary
	}
	return 0
}

// weightBack returns the weight on the way back to the stable pods: the share that these
// cannot serve yet. It never rises.
func (r Canary) weightBack() int32 {
	if !r.DynamicStableScale || r.Stable == nil || r.Canary == nil || r.replicas() == 0 {
		return 0
	}
	served := r.weightOf(r.Stable)
	rest, want := max(0, r.MaxWeight()-served), r.CanaryWeight()
	switch {
	case r.Weights == nil:
		return max(rest, want)
	case want <= 0:
		return min(rest, r.Weights.Canary)
	case served < r.MaxWeight()-want:
		return r.Weights.Canary // the stable pods are still on their way
	}
	return min(want, r.Weights.Canary)
}

// weightOf returns the weight that the available pods of a ReplicaSet serve.
func (r Canary) weightOf(s *Size) int32 {
	if r.replicas() == 0 {
		return 0
	}
	return saturated(int64(r.MaxWeight()) * int64(s.AvailableReplicas) / int64(r.replicas()))
}

// StableServes reports whether the stable pods can serve the rest of the traffic if the
// canary gets a weight, and how many have to be available for that. If they cannot, the
// weight does not change.
func (r Canary) StableServes(weight int32) (enough bool, needed int32) {
	needed = saturated((int64(r.MaxWeight()) - int64(weight)) * int64(r.replicas()) / int64(r.MaxWeight()))
	if r.Repair.Has(quirk.NoPodServesRest) {
		needed = r.pods(r.MaxWeight() - weight)
	}
	if r.Stable == nil {
		return false, needed
	}
	enough = r.Stable.AvailableReplicas >= needed || r.ProgressThreshold.Met(r.Stable.Replicas, r.Stable.AvailableReplicas, needed)
	return enough, needed
}

// TrafficWeights are the weights of two ReplicaSets.
type TrafficWeights struct {
	Canary WeightDestination `json:"canary"`
	Stable WeightDestination `json:"stable"`
	// Verified indicates whether requests follow the weights now; nil if weights are not
	// verified.
	Verified *bool `json:"verified,omitempty"`
}

// A WeightDestination is the target of a share of the requests.
type WeightDestination struct {
	Weight  int32  `json:"weight"`
	Service string `json:"service,omitzero"`
	Hash    string `json:"hash,omitzero"`
}

// weights returns the two numbers, nil for nil.
func (w *TrafficWeights) weights() *Weights {
	if w == nil {
		return nil
	}
	return &Weights{Canary: w.Canary.Weight, Stable: w.Stable.Weight}
}

// names reports whether the pods of a hash get requests.
func (w *TrafficWeights) names(hash string) bool {
	return w != nil && (w.Canary.Hash == hash || w.Stable.Hash == hash)
}

// leadsOtherwise reports whether the weights differ from the previous ones.
func (w *TrafficWeights) leadsOtherwise(was *TrafficWeights) bool {
	return w != nil && (was == nil || was.Canary != w.Canary || was.Stable != w.Stable)
}

// unverified reports whether the weights are verified, and not in effect yet.
func (w *TrafficWeights) unverified() bool { return w != nil && w.Verified != nil && !*w.Verified }

// clone returns a copy that shares nothing with w.
func (w *TrafficWeights) clone() *TrafficWeights {
	if w == nil {
		return nil
	}
	c := *w
	if w.Verified != nil {
		c.Verified = ptr.To(*w.Verified)
	}
	return &c
}
