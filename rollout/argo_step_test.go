package rollout_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
)

// When steps of an Argo canary end, and who gets the traffic.
func TestArgoSteps(t *testing.T) {
	require.Equal(t, rollout.ArgoCounts{}, rollout.ArgoApproximate(3, 1, 0, 1), "no weight at all")
	at := rollout.ArgoProgress{AtDesired: true, OtherDone: true}
	for _, s := range []rollout.ArgoStep{{SetWeight: new(int32(1))}, {SetCanaryScale: &rollout.ArgoCanaryScale{}}, {Other: "analysis"}, {}} {
		done, _ := s.Completed(at, now)
		require.True(t, done)
		done, _ = s.Completed(rollout.ArgoProgress{}, now)
		require.Equal(t, s == rollout.ArgoStep{}, done)
	}
	done, _ := rollout.ArgoStep{SetWeight: new(int32(1))}.Completed(rollout.ArgoProgress{AtDesired: true, Unverified: true}, now)
	require.False(t, done)
	timed := rollout.ArgoStep{Pause: &rollout.ArgoPause{Duration: new(int32(60))}}
	done, end := timed.Completed(rollout.ArgoProgress{PausedAt: now}, now.Add(time.Minute))
	require.False(t, done)
	require.Equal(t, now.Add(time.Minute), end)
	done, _ = timed.Completed(rollout.ArgoProgress{PausedAt: now}, now.Add(time.Minute+1))
	require.True(t, done)
	done, _ = rollout.ArgoStep{Pause: &rollout.ArgoPause{}}.Completed(rollout.ArgoProgress{PausedAt: now}, now.Add(time.Hour))
	require.False(t, done)
	done, _ = timed.Completed(rollout.ArgoProgress{ControllerPause: true}, now)
	require.True(t, done, "resumed by a person")

	r := rollout.ArgoRollout{
		Replicas: new(int32(4)), Steps: []rollout.ArgoStep{{SetWeight: new(int32(25))}, {SetWeight: new(int32(50))}}, TrafficRouting: true,
		CurrentStepIndex: new(int32(1)), CurrentPodHash: "new", StableRS: "stable",
		Canary: &rollout.ArgoSet{Replicas: 1, AvailableReplicas: 1, StatusReplicas: 1}, Stable: &rollout.ArgoSet{Replicas: 4, AvailableReplicas: 4, StatusReplicas: 4},
	}
	require.Equal(t, int32(25), r.TrafficWeight(), "the sizes of 50 are not reached")
	require.False(t, r.Promoted())
	r.Canary = &rollout.ArgoSet{Replicas: 2, AvailableReplicas: 2, StatusReplicas: 2}
	require.Equal(t, int32(50), r.TrafficWeight())
	r.Canary.AvailableReplicas = 0
	require.Zero(t, r.TrafficWeight(), "nobody could serve it")
	r.Canary.AvailableReplicas, r.CurrentStepIndex = 1, new(int32(0))
	r.Steps[0].SetWeight = new(int32(75))
	require.Zero(t, r.TrafficWeight())
	r.CurrentStepIndex = new(int32(2))
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
	require.Zero(t, rollout.ArgoRollout{CurrentPodHash: "a", Canary: r.Canary}.TrafficWeight())
	r.CurrentPodHash = "stable"
	require.Zero(t, r.TrafficWeight())
	require.True(t, (&rollout.ArgoThreshold{Type: "odd"}).Met(1, 1, 2), "no pods are asked for")
}
