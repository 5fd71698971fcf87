// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
)

// A pass that only notes a pause writes the status as it was read, with an abort that
// the next pass will drop because the status names the stable template: Argo decides to
// drop it, but writes what it has read.
func TestAbortSurvivesTheNoteOfAPause(t *testing.T) {
	canary := recordedPass{
		Replicas: 3, MaxUnavailable: limit{rollout.Int(1)}, MaxSurge: limit{rollout.Percent(25)},
		Steps: []argo.Step{weight(0), weight(80)}, CurrentStepIndex: ptr.To(int32(2)), StatusCurrentPodHash: "stable",
		Abort: true, SpecPaused: true,
	}
	canary.New.Replicas, canary.New.Available, canary.Stable.Replicas, canary.Stable.Available = 4, 4, 2, 1
	green := recordedPass{Replicas: 2, StatusCurrentPodHash: "stable", ActiveSelector: "new", Abort: true, SpecPaused: true}
	green.New.Replicas, green.New.Available, green.Stable.Replicas, green.Stable.Available = 1, 1, 2, 2
	for _, c := range []struct {
		why       string
		in        recordedPass
		blueGreen bool
		change    func(s *argo.Snapshot)
	}{
		{"a canary", canary, false, nil},
		{"a blue-green update", green, true, nil},
		{"the template is stable", canary, false, func(s *argo.Snapshot) { s.Rollout.TemplateHash = "stable" }},
		{"with a preview", green, true, func(s *argo.Snapshot) { s.Preview = &argo.Service{Name: "preview"} }},
		{"paused by a condition", canary, false, func(s *argo.Snapshot) {
			s.Rollout.Paused = false
			s.Rollout.Status.PauseConditions = []argo.PauseCondition{{Reason: argo.PauseInconclusive, StartTime: now.Add(-time.Minute)}}
		}},
		{"resumed", green, true, func(s *argo.Snapshot) {
			s.Rollout.Paused = false
			s.Rollout.Status.Conditions = []kplan.Condition{{Type: argo.ConditionPaused, Status: "True"}}
		}},
		{"before the first status", canary, false, func(s *argo.Snapshot) {
			s.Rollout.Status.CurrentPodHash, s.Rollout.Status.StableRS = "", ""
		}},
	} {
		s := c.in.snapshot(c.blueGreen)
		if c.change != nil {
			c.change(&s)
		}
		p, err := reconcile(s, now)
		require.NoError(t, err, c.why)
		want := s.Rollout.Status
		want.Conditions, want.Phase, want.Message = p.Status.Conditions, p.Status.Phase, p.Status.Message
		require.Equal(t, want, p.Status, c.why) // nothing else is lost either
		require.True(t, p.Status.Abort, c.why)
		require.NotEqual(t, s.Rollout.Status.Conditions, p.Status.Conditions, c.why)

		s.Rollout.Status = p.Status
		p, err = reconcile(s, now)
		require.NoError(t, err, c.why)
		require.False(t, p.Status.Abort, "%s: there is nothing left to give up", c.why)
	}
}

// An abort that is still there is not retried, whatever the status names as stable.
func TestAbortIsNoRetry(t *testing.T) {
	in := recordedPass{Replicas: 3, Steps: []argo.Step{weight(20)}, CurrentStepIndex: ptr.To(int32(0)), StatusCurrentPodHash: "stable", Abort: true}
	in.Stable.Replicas, in.Stable.Available = 3, 3
	s := in.snapshot(false)
	s.Rollout.Status.Conditions = []kplan.Condition{{Type: argo.ConditionProgressing, Status: "False", Reason: "RolloutAborted"}}
	p, err := reconcile(s, now)
	require.NoError(t, err)
	require.NotEqual(t, "RolloutRetry", argoCondition(p.Status, argo.ConditionProgressing).Reason)
	s.Rollout.Status.Abort = false
	p, err = reconcile(s, now)
	require.NoError(t, err)
	require.Equal(t, "RolloutRetry", argoCondition(p.Status, argo.ConditionProgressing).Reason)
}

// An index that is not written down yet is that of the first step, everywhere.
func TestNilIndexIsTheFirstStep(t *testing.T) {
	scale := argo.Step{SetCanaryScale: &argo.CanaryScale{Replicas: ptr.To(int32(7))}}
	full := argo.Size{Replicas: 10, AvailableReplicas: 10, StatusReplicas: 10}
	for _, steps := range [][]argo.Step{nil, {weight(20)}, {weight(20), weight(50)}, {scale, weight(50)}, {pause(-1)}} {
		for _, routed := range []bool{false, true} {
			for _, canary := range []*argo.Size{nil, {}, {Replicas: 2, AvailableReplicas: 2, StatusReplicas: 2}, &full} {
				r := argo.Canary{
					Replicas: ptr.To(int32(10)), Steps: steps, TrafficRouting: routed, CurrentPodHash: "n", StableRS: "s", Canary: canary, Stable: &full,
				}
				first := r
				first.CurrentStepIndex = ptr.To(int32(0))
				require.Equal(t, argoNumbers(first), argoNumbers(r), "%+v", r)
			}
		}
	}
	r := argo.Canary{Replicas: ptr.To(int32(10)), Steps: []argo.Step{weight(20)}, CurrentPodHash: "n", StableRS: "s", Stable: &full}
	require.EqualValues(t, 20, r.SetWeight())
	require.Equal(t, argo.Counts{Canary: 2, Stable: 8}, argo.Approximate(10, r.DesiredWeight(), r.MaxWeight(), 0))
	r.TrafficRouting, r.DynamicStableScale = true, true
	require.Equal(t, argo.Counts{Canary: 2, Stable: 8}, r.Routed())
	r.Steps = []argo.Step{scale}
	require.Equal(t, scale.SetCanaryScale, r.CanaryScale())
}

// argoNumbers returns everything that depends on the current step.
func argoNumbers(r argo.Canary) []any {
	return []any{r.SetWeight(), r.DesiredWeight(), r.CanaryWeight(), r.CanaryScale(), r.TrafficWeight(), r.Basic(), r.Routed(), r.AtDesired(), r.Promoted()}
}
