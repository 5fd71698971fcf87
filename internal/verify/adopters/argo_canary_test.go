// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"encoding/json"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
)

// An argoLimit is a limit as Argo reads it: all text is a percentage.
type argoLimit struct{ rollout.IntOrPercent }

func (v *argoLimit) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) != nil || s == "" {
		return v.IntOrPercent.UnmarshalJSON(data)
	}
	parsed, err := argo.Parse(s)
	v.IntOrPercent = parsed
	return err
}

// An argoSet is a ReplicaSet of Argo in a recorded table.
type argoSet struct{ Replicas, Available, There int32 }

func (s *argoSet) set() *argo.Size {
	if s == nil {
		return nil
	}
	return &argo.Size{Replicas: s.Replicas, AvailableReplicas: s.Available, StatusReplicas: s.There}
}

// A recordedCanary is a Rollout of Argo in a recorded table, in which a null index is the first
// step.
type recordedCanary struct {
	Abort, PromoteFull, DynamicStableScale, StableIsCanary, TrafficRouting bool
	AbortScaleDownDelaySeconds, MinPodsPerReplicaSet, CurrentStepIndex     *int32
	Canary, Stable                                                         *argoSet
	Others                                                                 []*argoSet
	CurrentPodHash, StablePodHash                                          string
	MaxSurge, MaxUnavailable                                               argoLimit
	MaxTrafficWeight, Replicas                                             *int32
	ProgressThreshold                                                      *argo.Threshold
	Steps                                                                  []recordedStep
	Weights                                                                *argo.Weights
	Weight, MaxWeight                                                      int32
}

// A recordedStep may have a weight and a scale, unlike a step of ours.
type recordedStep struct {
	SetWeight      *int32
	SetCanaryScale *argo.CanaryScale
	Pause, Other   any
}

func (in recordedCanary) canary() argo.Canary {
	r := argo.Canary{
		Replicas: in.Replicas, MaxSurge: in.MaxSurge.IntOrPercent, MaxUnavailable: in.MaxUnavailable.IntOrPercent, TrafficRouting: in.TrafficRouting,
		DynamicStableScale: in.DynamicStableScale, MinPodsPerReplicaSet: in.MinPodsPerReplicaSet, AbortScaleDownDelaySeconds: in.AbortScaleDownDelaySeconds,
		ProgressThreshold: in.ProgressThreshold, CurrentStepIndex: in.CurrentStepIndex, CurrentPodHash: in.CurrentPodHash, StableRS: in.StablePodHash,
		Abort: in.Abort, PromoteFull: in.PromoteFull, Weights: in.Weights, Canary: in.Canary.set(), Stable: in.Stable.set(), StableIsCanary: in.StableIsCanary,
	}
	if in.MaxTrafficWeight != nil {
		r.MaxTrafficWeight = *in.MaxTrafficWeight
	}
	for _, s := range in.Steps {
		r.Steps = append(r.Steps, argo.Step{SetWeight: s.SetWeight, SetCanaryScale: s.SetCanaryScale})
	}
	for _, o := range in.Others {
		if o != nil {
			r.Others = append(r.Others, *o.set())
		}
	}
	return r
}
