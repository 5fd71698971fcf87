// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/argo"
)

// When steps of an Argo canary end, and who gets the traffic.
// A pause decides when a step with a scale is over, the scale when one with a route is.
func TestStepsOfTwoKinds(t *testing.T) {
	scale := &argo.CanaryScale{Replicas: ptr.To(int32(1))}
	for name, c := range map[string]struct {
		step argo.Step
		p    argo.Progress
		want bool
	}{
		"paused":     {argo.Step{Pause: &argo.Pause{}, SetCanaryScale: scale}, argo.Progress{AtDesired: true, PausedAt: now}, false},
		"resumed":    {argo.Step{Pause: &argo.Pause{}, SetCanaryScale: scale}, argo.Progress{ControllerPause: true}, true},
		"scaled":     {argo.Step{Other: argo.StepHeaderRoute, SetCanaryScale: scale}, argo.Progress{AtDesired: true}, true},
		"not scaled": {argo.Step{Other: argo.StepHeaderRoute, SetCanaryScale: scale}, argo.Progress{OtherDone: true}, false},
		"unverified": {argo.Step{SetWeight: ptr.To(int32(1)), SetCanaryScale: scale}, argo.Progress{AtDesired: true, Unverified: true}, true},
	} {
		done, _ := c.step.Completed(c.p, now)
		require.Equal(t, c.want, done, name)
	}
}

func TestSteps(t *testing.T) {
	require.Equal(t, argo.Counts{}, argo.Approximate(3, 1, 0, 1), "no weight at all")
	at := argo.Progress{AtDesired: true, OtherDone: true}
	for i, s := range []argo.Step{{SetWeight: ptr.To(int32(1))}, {SetCanaryScale: &argo.CanaryScale{}}, {Other: "analysis"}, {}} {
		done, _ := s.Completed(at, now)
		require.True(t, done)
		done, _ = s.Completed(argo.Progress{}, now)
		require.Equal(t, i == 3, done)
	}
	done, _ := argo.Step{SetWeight: ptr.To(int32(1))}.Completed(argo.Progress{AtDesired: true, Unverified: true}, now)
	require.False(t, done)
	timed := argo.Step{Pause: &argo.Pause{Duration: ptr.To(int32(60))}}
	done, end := timed.Completed(argo.Progress{PausedAt: now}, now.Add(time.Minute))
	require.False(t, done)
	require.Equal(t, now.Add(time.Minute), end)
	done, _ = timed.Completed(argo.Progress{PausedAt: now}, now.Add(time.Minute+1))
	require.True(t, done)
	done, _ = argo.Step{Pause: &argo.Pause{}}.Completed(argo.Progress{PausedAt: now}, now.Add(time.Hour))
	require.False(t, done)
	done, _ = timed.Completed(argo.Progress{ControllerPause: true}, now)
	require.True(t, done, "resumed by a person")

	r := argo.Canary{
		Replicas: ptr.To(int32(4)), Steps: []argo.Step{{SetWeight: ptr.To(int32(25))}, {SetWeight: ptr.To(int32(50))}}, TrafficRouting: true,
		CurrentStepIndex: ptr.To(int32(1)), CurrentPodHash: "new", StableRS: "stable",
		Canary: &argo.Size{Replicas: 1, AvailableReplicas: 1, StatusReplicas: 1}, Stable: &argo.Size{Replicas: 4, AvailableReplicas: 4, StatusReplicas: 4},
	}
	require.Equal(t, int32(25), r.TrafficWeight(), "the sizes of 50 are not reached")
	require.False(t, r.Promoted())
	r.Canary = &argo.Size{Replicas: 2, AvailableReplicas: 2, StatusReplicas: 2}
	require.Equal(t, int32(50), r.TrafficWeight())
	r.Canary.AvailableReplicas = 0
	require.Zero(t, r.TrafficWeight(), "nobody could serve it")
	r.Canary.AvailableReplicas, r.CurrentStepIndex = 1, ptr.To(int32(0))
	r.Steps[0].SetWeight = ptr.To(int32(75))
	require.Zero(t, r.TrafficWeight())
	r.CurrentStepIndex = ptr.To(int32(2))
	require.False(t, r.Promoted())
	r.Canary.AvailableReplicas = 4
	require.True(t, r.Promoted())
	r.Abort = true
	require.False(t, r.Promoted())
	require.Zero(t, r.TrafficWeight())
	r.StableRS = ""
	require.True(t, r.Promoted())
	r.StableRS, r.Abort, r.CurrentStepIndex = "stable", false, nil
	r.Canary.Replicas = 9
	require.Zero(t, argo.Canary{CurrentPodHash: "a", Canary: r.Canary}.TrafficWeight())
	r.CurrentPodHash = "stable"
	require.Zero(t, r.TrafficWeight())
	require.True(t, (&argo.Threshold{Type: "odd"}).Met(1, 1, 2), "no pods are asked for")
}
