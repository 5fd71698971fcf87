// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout/argo"
)

// A pause that is in force ends when it would, also while unavailable pods go.
func TestPauseInForceWhilePodsGo(t *testing.T) {
	s := between(t, 4, []argo.Step{weight(50), pause(60)}, full(2), argo.Size{Replicas: 1}, full(2))
	s.Rollout.Status.ControllerPause, s.Rollout.Status.PauseConditions = true, []argo.PauseCondition{{Reason: argo.PauseStep, StartTime: now}}
	s.Rollout.Status.Conditions = []argo.Condition{{Type: argo.ConditionProgressing, Status: "Unknown", Reason: "RolloutPaused"}, {Type: argo.ConditionPaused, Status: "True", Reason: "RolloutPaused"}}
	for _, repair := range []argo.Quirks{0, argo.PauseBeginsWhilePodsGo} {
		p, err := repaired(s, now, repair)
		require.NoError(t, err)
		require.Equal(t, "Scaled down replica set v2 from 1 to 0 (OtherTemplate)", actions(p))
		require.Equal(t, now.Add(time.Minute), p.RecheckAt, "%v", repair)
	}
}
