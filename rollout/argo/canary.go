// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"math"
	"strconv"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
)

// A Size holds the counts of a ReplicaSet of an Argo Rollout, as its controller counts
// them.
type Size struct {
	Replicas          int32 `json:"replicas"` // wanted
	AvailableReplicas int32 `json:"availableReplicas"`
	StatusReplicas    int32 `json:"statusReplicas"` // there
}

// Counts are the sizes of the new and of the stable ReplicaSet.
type Counts struct {
	Canary int32 `json:"canary"`
	Stable int32 `json:"stable"`
}

// Parse reads a limit as Argo does: every percent sign is ignored, and all text is a
// percentage. Text that is not a number is an error.
func Parse(s string) (rollout.IntOrPercent, error) {
	n, err := strconv.ParseInt(strings.ReplaceAll(s, "%", ""), 10, 32)
	if err != nil {
		return rollout.IntOrPercent{}, &kplan.FieldError{Value: s, Detail: "must be a percentage", Err: err}
	}
	return rollout.Percent(int32(n)), nil
}

// Budget resolves the limits of an Argo Rollout; unset ones mean 25%.
func Budget(replicas int32, surge, unavailable rollout.IntOrPercent) rollout.Budget {
	if surge.IsZero() {
		surge = rollout.Percent(25)
	}
	if unavailable.IsZero() {
		unavailable = rollout.Percent(25)
	}
	up, down := rollout.Fenceposts(replicas, surge, unavailable)
	return rollout.Budget{Replicas: replicas, Surge: up, Unavailable: min(down, replicas)}
}

// Approximate returns the sizes that come closest to a weight out of maxWeight
// without traffic routing: a total of replicas or, with a surge, one more. Unless the
// weight is 0 or all, each side keeps at least one pod where there is room for two.
//
//	Approximate(10, 20, 100, 1) // 2, 8
//	Approximate(3, 50, 100, 1)  // 2, 2
//
// It mirrors approximateWeightedCanaryStableReplicaCounts of Argo Rollouts.
func Approximate(replicas, weight, maxWeight, surge int32) Counts {
	if replicas == 0 || maxWeight == 0 {
		return Counts{}
	}
	share := float64(replicas*weight) / float64(maxWeight) // in int32, as upstream
	low, high := int32(math.Floor(share)), int32(math.Ceil(share))
	zero := weight == maxWeight || weight == 0 || (replicas == 1 && surge == 0)
	tied := func(total int32) bool {
		_, fraction := math.Modf(float64(total) * (float64(weight) / float64(maxWeight)))
		return fraction == 0.5
	}
	best, distance := Counts{Canary: 0, Stable: replicas}, math.Inf(1)
	try := func(canary, total int32) {
		d := math.Abs(float64(canary*maxWeight)/float64(total) - float64(weight))
		if d < distance {
			best, distance = Counts{Canary: canary, Stable: total - canary}, d
		}
	}
	if high < replicas || zero {
		try(high, replicas)
	}
	if !tied(replicas) && (low != 0 || zero) {
		try(low, replicas)
	}
	if surge > 0 {
		try(high, replicas+1)
		if !tied(replicas+1) && (low != 0 || zero) {
			try(low, replicas+1)
		}
	}
	return best
}

// A Step is one step of an Argo canary. One member is set; a step of another kind
// (analysis, experiment, plugin, routes) has Other. SetCanaryScale may be set with another
// member: a pause then decides when the step is over, otherwise the scale does. Routes may
// be set with any member.
type Step struct {
	SetWeight      *int32       `json:"setWeight,omitempty"`
	Pause          *Pause       `json:"pause,omitempty"`
	SetCanaryScale *CanaryScale `json:"setCanaryScale,omitempty"`
	Other          string       `json:"other,omitempty"`
	Routes         []Route      `json:"routes,omitempty"` // routes to set, or to remove if they match nothing
}

// A Pause is a pause of some seconds; nil waits for a user.
type Pause struct {
	Duration *int32 `json:"duration,omitempty"`
}

// A CanaryScale sets the size of the canary independently of its traffic.
type CanaryScale struct {
	Replicas           *int32 `json:"replicas,omitempty"`
	Weight             *int32 `json:"weight,omitempty"`
	MatchTrafficWeight bool   `json:"matchTrafficWeight,omitempty"`
}

// Weights are the current weights of the traffic.
type Weights struct {
	Canary int32 `json:"canary"`
	Stable int32 `json:"stable"`
}

// A Canary holds the numbers from which the sizes of an Argo canary follow.
type Canary struct {
	Replicas       *int32               `json:"replicas,omitzero"`       // nil means 1
	MaxSurge       rollout.IntOrPercent `json:"maxSurge,omitzero"`       // unset means 25%
	MaxUnavailable rollout.IntOrPercent `json:"maxUnavailable,omitzero"` // unset means 25%
	Steps          []Step               `json:"steps,omitempty"`
	// TrafficRouting means that traffic is split by weights.
	TrafficRouting       bool   `json:"trafficRouting,omitzero"`
	MaxTrafficWeight     int32  `json:"maxTrafficWeight,omitzero"` // 0 means 100
	DynamicStableScale   bool   `json:"dynamicStableScale,omitzero"`
	MinPodsPerReplicaSet *int32 `json:"minPodsPerReplicaSet,omitzero"`
	// AbortScaleDownDelaySeconds is 30 if nil, and 0 is no delay: see [AbortDelay]. It is
	// read only with TrafficRouting. With 0 a setCanaryScale of the first step stays in force
	// after an abort. With DynamicStableScale only a delay above 0 keeps the pods; with nil
	// and 0 they go as stable pods become available.
	AbortScaleDownDelaySeconds *int32     `json:"abortScaleDownDelaySeconds,omitzero"`
	ProgressThreshold          *Threshold `json:"progressThreshold,omitzero"`

	// The state that the controller has written down.

	CurrentStepIndex *int32   `json:"currentStepIndex,omitzero"` // nil means 0
	CurrentPodHash   string   `json:"currentPodHash,omitzero"`
	StableRS         string   `json:"stableRS,omitzero"`
	Abort            bool     `json:"abort,omitzero"`
	PromoteFull      bool     `json:"promoteFull,omitzero"`
	Weights          *Weights `json:"weights,omitzero"` // nil if not known

	// The ReplicaSets; nil if missing.

	Canary *Size  `json:"canary,omitzero"`
	Stable *Size  `json:"stable,omitzero"`
	Others []Size `json:"others,omitempty"`
	// StableIsCanary means that the new ReplicaSet is the stable one.
	StableIsCanary bool `json:"stableIsCanary,omitzero"`

	// Repair lists the quirks that the counts do not have.
	Repair quirk.Set `json:"repair,omitzero"`
}

// MaxWeight returns the weight that means all traffic.
func (r Canary) MaxWeight() int32 {
	if r.TrafficRouting && r.MaxTrafficWeight != 0 {
		return r.MaxTrafficWeight
	}
	return 100
}

func (r Canary) replicas() int32 {
	if r.Replicas == nil {
		return 1
	}
	return *r.Replicas
}

func (r Canary) budget() rollout.Budget { return Budget(r.replicas(), r.MaxSurge, r.MaxUnavailable) }

// SetWeight returns the weight of the last setWeight step at or before the current one: 0
// without such a step or after an abort, and all of the traffic without steps or after the
// last one.
func (r Canary) SetWeight() int32 {
	switch i := r.stepIndex(); {
	case r.Abort:
		return 0
	case i >= len(r.Steps):
		return r.MaxWeight()
	default:
		return r.weightBefore(i + 1)
	}
}

// weightBefore returns the weight of the last setWeight step before step n, 0 without such
// a step.
func (r Canary) weightBefore(n int) int32 {
	for ; n > 0; n-- {
		if w := r.Steps[n-1].SetWeight; w != nil {
			return *w
		}
	}
	return 0
}

// stepIndex returns the current step, the first one if the status has none yet.
func (r Canary) stepIndex() int {
	if r.CurrentStepIndex == nil {
		return 0
	}
	return int(*r.CurrentStepIndex)
}

// DesiredWeight returns the weight that the sizes follow: all if no step is left to take,
// otherwise [Canary.CanaryWeight].
func (r Canary) DesiredWeight() int32 {
	if r.promoted() {
		return r.MaxWeight()
	}
	return r.CanaryWeight()
}

// promoted reports whether no step is left to take.
func (r Canary) promoted() bool {
	return r.PromoteFull || r.StableRS == "" || r.CurrentPodHash == r.StableRS
}

// A Threshold determines how many pods of a canary must be available before the next step.
type Threshold struct {
	Type  string `json:"type"` // Percent; any other type is a number of pods
	Value int32  `json:"value"`
}

// Met reports whether a ReplicaSet is close enough to the desired size. No threshold, or
// one below 0, asks for all of its pods.
func (t *Threshold) Met(spec, available, desired int32) bool {
	if t == nil || t.Value < 0 {
		return spec == desired && available == desired
	}
	if t.Type == "Percent" {
		return desired == 0 || float64(available)/float64(desired)*100+1e-10 >= float64(t.Value)
	}
	return available >= t.Value
}
