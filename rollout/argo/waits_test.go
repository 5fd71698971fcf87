// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/argo"
)

func selecting(name, hash string) *argo.Service {
	return &argo.Service{Name: name, Selector: map[string]string{argo.HashLabel: hash}, Managed: true}
}

// green makes an update blue-green, whose active Service selects v1.
func green(s argo.Snapshot, b argo.BlueGreen) argo.Snapshot {
	s.Rollout.BlueGreen, s.Active, s.Rollout.Status.ActiveSelector = &b, selecting("active", "v1"), "v1"
	return s
}

// with returns a snapshot that a function has changed.
func with(s argo.Snapshot, change func(s *argo.Snapshot)) argo.Snapshot {
	change(&s)
	return s
}

// A Rollout that plans nothing says which pods are missing, or who has to act.
func TestWaits(t *testing.T) {
	no := ptr.To(false)
	half := &argo.Threshold{Type: "Percent", Value: 50}
	for _, c := range []struct {
		why  string
		s    argo.Snapshot
		want string
	}{
		{"the preview of 1 is complete: a person promotes", green(updating(5, set("v1", 5, 5, 5, 5), set("v2", 5, 1, 1, 1)), argo.BlueGreen{AutoPromotionEnabled: no, PreviewReplicaCount: ptr.To(int32(1))}), "held back: Approval"},
		{"or an analysis ends before", green(updating(5, set("v1", 5, 5, 5, 5), set("v2", 5, 1, 1, 1)), argo.BlueGreen{PrePromotionAnalysis: true, PreviewReplicaCount: ptr.To(int32(1))}), "held back: Analysis"},
		{"one pod of the preview is not available", green(updating(5, set("v1", 5, 5, 5, 5), set("v2", 5, 2, 2, 1)), argo.BlueGreen{AutoPromotionEnabled: no, PreviewReplicaCount: ptr.To(int32(2))}), "web-v2 held back: PreviewNotReady (1 of 2)"},
		{"a rollback pauses at no preview, and nothing else lets it grow", with(green(updating(5, set("v1", 5, 5, 5, 5), set("v2", 5, 1, 1, 1)), argo.BlueGreen{AutoPromotionSeconds: 60, PreviewReplicaCount: ptr.To(int32(1))}), func(s *argo.Snapshot) {
			s.Rollout.RollbackWindow, s.Sets[1].CreationTimestamp = 1, now.Add(-24*time.Hour)
		}), "held back: Approval"},
		{"a pause of the canary that it was before goes with a person", with(green(updating(5, set("v1", 5, 5, 5, 5), set("v2", 5, 5, 5, 5)), argo.BlueGreen{AutoPromotionSeconds: 60}), func(s *argo.Snapshot) {
			s.Rollout.Status.PauseConditions, s.Rollout.Status.ControllerPause = []argo.PauseCondition{{Reason: argo.PauseStep, StartTime: now}}, true
		}), "held back: Paused"},
		{"it is given up, and requests stay with v1", with(green(updating(5, set("v1", 5, 5, 5, 5), set("v2", 5, 0, 0, 0)), argo.BlueGreen{}), func(s *argo.Snapshot) {
			s.Rollout.Status.Abort, s.Sets[1].ScaleDownAt = true, now.Add(-time.Minute)
		}), "held back: Aborted"},
		{"given up, and new pods stay until the stable ones are there", with(green(updating(5, set("v1", 5, 5, 5, 4), set("v2", 5, 5, 5, 5)), argo.BlueGreen{}), func(s *argo.Snapshot) {
			s.Rollout.Status.Abort = true
		}), "web-v1 held back: StableUnavailable (4 of 5)\nheld back: Aborted"},

		{"the pods of the step are there, those of v1 are not created", at(updating(3, set("v1", 3, 2, 0, 0), set("v2", 3, 1, 1, 1)), 0, weight(34)), "web-v1 held back: StableNotCreated (0 of 2)"},
		{"and are refused", at(updating(3, refusing(set("v1", 3, 2, 0, 0), ""), set("v2", 3, 1, 1, 1)), 0, weight(34)), "web-v1 held back: ReplicaFailure (0 of 2)"},
		{"new pods are refused", at(updating(3, set("v1", 3, 2, 2, 2), refusing(set("v2", 3, 1, 0, 0), "")), 0, weight(34)), "web-v2 held back: ReplicaFailure (0 of 1)"},
		{"one of two is refused, and the other one is not available", at(updating(4, set("v1", 4, 2, 2, 2), refusing(set("v2", 4, 2, 1, 0), "")), 0, weight(50)), "web-v2 held back: ReplicaFailure (1 of 2)\nweb-v2 held back: BatchNotReady (0 of 2)"},
		{"a condition of pods that are there by now says nothing", at(updating(3, refusing(set("v1", 3, 2, 2, 2), ""), set("v2", 3, 1, 1, 0)), 0, weight(34)), "web-v2 held back: BatchNotReady (0 of 1)"},
		{"half of 4 is asked for", with(at(updating(4, set("v1", 4, 0, 0, 0), set("v2", 4, 4, 4, 1)), 0, weight(100)), func(s *argo.Snapshot) { s.Rollout.ProgressThreshold = half }), "web-v2 held back: BatchNotReady (1 of 2)"},
		{"a pod of a template in between serves until one of v1 does", at(updating(3, set("v0", 3, 1, 1, 1), set("v1", 3, 2, 2, 1), set("v2", 3, 1, 1, 1)), 0, weight(34)), "web-v1 held back: StableUnavailable (1 of 2)\nweb-v0 held back: PodsRemain (1 of 0)"},
	} {
		var p argo.Plan
		for range 4 { // the first ones write the status
			var err error
			p, err = reconcile(c.s, now)
			require.NoError(t, err)
			require.Empty(t, p.Actions, c.why)
			c.s.Rollout.Status = p.Status
		}
		require.Equal(t, c.want, p.String(), c.why)
	}
}

// A template that is stable is healthy to Argo Rollouts once as many pods are available as
// it wants, of whatever template.
func TestWaitsThoughHealthy(t *testing.T) {
	back := func(available int32) argo.Snapshot { // from v2 to v1, with all requests at v2
		s := at(updating(4, set("v1", 4, 4, 4, available), set("v2", 4, 4, 4, 4)), 4, weight(25), pause(-1), weight(100), pause(-1))
		s.Rollout.TemplateHash, s.Rollout.Status.CurrentPodHash = "v1", "v1"
		s.Rollout.Routing = &argo.Routing{DynamicStableScale: true}
		s.Rollout.Status.Weights = &argo.TrafficWeights{Canary: argo.WeightDestination{Weight: 100, Hash: "v2"}, Stable: argo.WeightDestination{Hash: "v1"}}
		return s
	}
	p, err := reconcile(back(0), now)
	require.NoError(t, err)
	require.Equal(t, []any{argo.PhaseHealthy, "web-v1 held back: StableUnavailable (0 of 4)"}, []any{p.Status.Phase, p.String()})

	s := back(4) // v1 serves by now, if the router has taken it over
	s.WeightVerified = ptr.To(false)
	s.Rollout.Status.Weights = &argo.TrafficWeights{Canary: argo.WeightDestination{Hash: "v1"}, Stable: argo.WeightDestination{Weight: 100, Hash: "v1"}, Verified: ptr.To(false)}
	s.Sets = s.Sets[:1]
	p, err = reconcile(s, now)
	require.NoError(t, err)
	require.Equal(t, []any{argo.PhaseHealthy, "held back: Unverified (0 of 100)"}, []any{p.Status.Phase, p.String()})

	done := updating(4, set("v1", 4, 0, 1, 1), set("v2", 4, 4, 5, 4)) // ReplicaSets have pods left to delete
	done.Rollout.Status.StableRS = "v2"
	p, err = reconcile(done, now)
	require.NoError(t, err)
	require.Equal(t, "web-v2 held back: PodsRemain (5 of 4)\nweb-v1 held back: PodsRemain (1 of 0)", p.String())
}
