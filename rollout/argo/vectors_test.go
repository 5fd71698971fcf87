// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
)

// limit is a limit as Argo reads it: all text is a percentage.
type limit struct{ rollout.IntOrPercent }

func (v *limit) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) != nil || s == "" {
		return v.IntOrPercent.UnmarshalJSON(data)
	}
	parsed, err := argo.Parse(s)
	v.IntOrPercent = parsed
	return err
}

func TestVectorsArgoApproximate(t *testing.T) {
	recorded.Agree(t, "argo/approximate_weighted_counts", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct{ MaxSurge, MaxWeight, Replicas, Weight int32 }
		r.Read(t, &in)
		return argo.Approximate(in.Replicas, in.Weight, in.MaxWeight, in.MaxSurge), ""
	})
}

func TestVectorsArgoBasic(t *testing.T) {
	recorded.Agree(t, "argo/basic_canary_counts", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			Abort, PromoteFull, StableIsCanary bool
			Canary, Stable                     *argo.Size
			Others                             []argo.Size
			MaxSurge, MaxUnavailable           limit
			SetWeight                          int32
			Replicas                           *int32
			StatusStableRS                     string
		}
		r.Read(t, &in)
		ro := argo.Canary{
			Replicas: in.Replicas, MaxSurge: in.MaxSurge.IntOrPercent, MaxUnavailable: in.MaxUnavailable.IntOrPercent,
			Steps: []argo.Step{{SetWeight: &in.SetWeight}}, CurrentStepIndex: ptr.To(int32(0)), CurrentPodHash: "new",
			StableRS: in.StatusStableRS, Abort: in.Abort, PromoteFull: in.PromoteFull,
			Canary: in.Canary, Stable: in.Stable, Others: in.Others, StableIsCanary: in.StableIsCanary,
		}
		counts := ro.Basic()
		replicas := int32(1)
		if in.Replicas != nil {
			replicas = *in.Replicas
		}
		b := argo.Budget(replicas, ro.MaxSurge, ro.MaxUnavailable)
		return map[string]any{
			"atDesiredReplicaCounts": ro.AtDesired(), "canary": counts.Canary, "stable": counts.Stable,
			"maxSurge": b.Surge, "maxUnavailable": b.Unavailable,
		}, ""
	})
}

func TestVectorsArgoRouted(t *testing.T) {
	recorded.Agree(t, "argo/traffic_routed_counts", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			Abort, PromoteFull, DynamicStableScale           bool
			AbortScaleDownDelaySeconds, MinPodsPerReplicaSet *int32
			ActualWeights                                    *argo.Weights
			Canary, Stable                                   *argo.Size
			CurrentStepIndex, MaxTrafficWeight               int32
			Replicas                                         *int32
			StatusCurrentPodHash, StatusStableRS             string
			Steps                                            []argo.Step
		}
		r.Read(t, &in)
		ro := argo.Canary{
			Replicas: in.Replicas, Steps: in.Steps, TrafficRouting: true, MaxTrafficWeight: in.MaxTrafficWeight,
			DynamicStableScale: in.DynamicStableScale, MinPodsPerReplicaSet: in.MinPodsPerReplicaSet,
			AbortScaleDownDelaySeconds: in.AbortScaleDownDelaySeconds, CurrentStepIndex: &in.CurrentStepIndex,
			CurrentPodHash: in.StatusCurrentPodHash, StableRS: in.StatusStableRS, Abort: in.Abort, PromoteFull: in.PromoteFull,
			Weights: in.ActualWeights, Canary: in.Canary, Stable: in.Stable,
		}
		counts := ro.Routed()
		return map[string]any{
			"atDesiredReplicaCounts": ro.AtDesired(), "canary": counts.Canary, "stable": counts.Stable,
			"currentSetWeight": ro.SetWeight(), "desiredCanaryWeight": ro.CanaryWeight(),
		}, ""
	})
}

func TestVectorsArgoThreshold(t *testing.T) {
	recorded.Agree(t, "argo/replica_progress_threshold", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			AvailableReplicas, Desired, SpecReplicas int32
			Threshold                                *argo.Threshold
		}
		r.Read(t, &in)
		return in.Threshold.Met(in.SpecReplicas, in.AvailableReplicas, in.Desired), ""
	})
}

func TestVectorsArgoPreviewSize(t *testing.T) {
	recorded.Agree(t, "argo/bluegreen_new_rs_replicas", func(t *testing.T, r recorded.Recording) (any, string) {
		var in argo.Preview
		r.Read(t, &in)
		in.ActiveExists = in.ActiveSelector == "new" || in.ActiveSelector == "stable"
		return in.PreviewSize(), ""
	})
}

func TestVectorsArgoScaleDownDelay(t *testing.T) {
	recorded.Agree(t, "argo/scale_down_delay_defaults", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			Configured *int32
			Style      argo.Style
		}
		r.Read(t, &in)
		abort, explicit := argo.AbortDelay(in.Style, in.Configured)
		return map[string]any{
			"abortExplicit": explicit, "abortScaleDownDelaySeconds": abort,
			"scaleDownDelaySeconds": argo.ScaleDownDelay(in.Style, in.Configured),
		}, ""
	})
}

func TestParse(t *testing.T) {
	_, err := argo.Parse("many")
	require.ErrorIs(t, err, kplan.ErrInvalid)
}
