// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/recorded"
	"github.com/kplan-go/kplan/rollout/argo"
)

// A recordedSet is a ReplicaSet of Argo in a recorded table.
type recordedSet struct{ Replicas, Available, There int32 }

func (s *recordedSet) set() *argo.Size {
	if s == nil {
		return nil
	}
	return &argo.Size{Replicas: s.Replicas, AvailableReplicas: s.Available, StatusReplicas: s.There}
}

// A recordedArgo is a Rollout of Argo in a recorded table, where an index that is null is
// that of the first step.
type recordedArgo struct {
	Abort, PromoteFull, DynamicStableScale, StableIsCanary, TrafficRouting bool
	AbortScaleDownDelaySeconds, MinPodsPerReplicaSet, CurrentStepIndex     *int32
	Canary, Stable                                                         *recordedSet
	Others                                                                 []*recordedSet
	CurrentPodHash, StablePodHash                                          string
	MaxSurge, MaxUnavailable                                               limit
	MaxTrafficWeight, Replicas                                             *int32
	ProgressThreshold                                                      *argo.Threshold
	Steps                                                                  []recordedStep
	Weights                                                                *argo.Weights
}

// A recordedStep may hold a weight and a scale, which one step of ours does not.
type recordedStep struct {
	SetWeight      *int32
	SetCanaryScale *argo.CanaryScale
	Pause, Other   any
}

func (in recordedArgo) rollout() argo.Canary {
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

// agreeTable compares a recorded table of Argo, and requires cases without an index.
func agreeTable(t *testing.T, name string, decide func(r argo.Canary) any) {
	t.Helper()
	unindexed := 0
	recorded.Agree(t, "adopters/"+name, func(t *testing.T, r recorded.Recording) (any, string) {
		var in recordedArgo
		r.Read(t, &in)
		if in.CurrentStepIndex == nil && len(in.Steps) > 0 {
			unindexed++
		}
		return decide(in.rollout()), ""
	})
	require.Positive(t, unindexed)
}

func TestVectorsArgoTables(t *testing.T) {
	agreeTable(t, "argo_at_desired", func(r argo.Canary) any { return r.AtDesired() })
	agreeTable(t, "argo_basic_counts", func(r argo.Canary) any { return r.Basic() })
	agreeTable(t, "argo_routed_counts", func(r argo.Canary) any { return r.Routed() })
	agreeTable(t, "argo_desired_weight", func(r argo.Canary) any { return r.CanaryWeight() })
}
