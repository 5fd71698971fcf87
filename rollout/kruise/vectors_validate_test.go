// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// reference reads "apps/v1/Deployment".
func reference(text string) workload.Ref {
	at := strings.LastIndexByte(text, '/')
	return workload.Ref{APIVersion: text[:at], Kind: text[at+1:], Name: "demo"}
}

func verdict(es []*kplan.FieldError) any {
	details := []string{}
	for _, e := range es {
		details = append(details, e.Detail)
	}
	return map[string]any{"details": details, "valid": len(es) == 0}
}

func TestVectorsValidate(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/validate_rollout", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			Steps []struct {
				HasMatches bool
				Replicas   recorded.Loose
				Traffic    recorded.Loose
			}
			Style           string
			TrafficRoutings int
			Workload        string
		}
		r.Read(t, &in)
		s := &kruise.Strategy{TrafficRoutings: routings(in.TrafficRoutings)}
		for _, step := range in.Steps {
			one := kruise.Step{Replicas: step.Replicas.IntOrPercent, Traffic: step.Traffic.IntOrPercent}
			if step.Traffic.Rule == "malformed" {
				one.Traffic = rollout.Int(1) // no percentage either
			}
			if step.HasMatches {
				one.Matches = []traffic.Match{{Headers: []traffic.ValueMatch{{Name: "a", Value: "b"}}}}
			}
			s.Steps = append(s.Steps, one)
		}
		ro := kruise.Rollout{Name: "ro", WorkloadRef: reference(in.Workload), Canary: s}
		switch in.Style {
		case "blueGreen":
			ro.Canary, ro.BlueGreen = nil, s
		case "canary":
			s.EnableExtraWorkloadForCanary = true
		}
		return verdict(kruise.Validate(ro, nil, kruise.Options{})), ""
	})
}

func TestVectorsValidateV1alpha1(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/validate_rollout_v1alpha1", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			RollingStyleAnnotation string
			Steps                  []struct {
				Replicas recorded.Loose
				Weight   *int32
			}
			TrafficRoutings int
			Workload        string
		}
		r.Read(t, &in)
		ro := kruise.RolloutV1alpha1{
			Name: "ro", WorkloadRef: reference(in.Workload), TrafficRoutings: routings(in.TrafficRoutings),
			Annotations: map[string]string{workload.AnnotationRollingStyle: in.RollingStyleAnnotation},
		}
		for _, s := range in.Steps {
			ro.Steps = append(ro.Steps, kruise.StepV1alpha1{Replicas: s.Replicas.IntOrPercent, Weight: s.Weight})
		}
		return verdict(kruise.ValidateV1alpha1(ro, kruise.Options{})), ""
	})
}

func TestVectorsPlanHash(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/release_plan_hash", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			ReleasePlan     json.RawMessage
			ReleasePlanJSON string
		}
		r.Read(t, &in)
		var plan batchrelease.ReleasePlan
		if err := json.Unmarshal(in.ReleasePlan, &plan); err != nil {
			require.ErrorIs(t, err, kplan.ErrInvalid)
			return nil, "malformed"
		}
		require.Equal(t, in.ReleasePlanJSON, plan.Text(), r.ID)
		return plan.Hash(), ""
	})
}

func TestVectorsClosingSequence(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/finalising_sequence", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct{ Reason, Style string }
		r.Read(t, &in)
		style := workload.Canary
		if in.Style == "blueGreen" {
			style = workload.BlueGreen
		}
		return kruise.ClosingSequence(style, kruise.ClosingReason(in.Reason)), ""
	})
}
