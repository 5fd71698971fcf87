// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/rollout"
)

// TestToldStays: what a Tracker was told of ReplicaSets stays what it was until it is told of others,
// although they are changed where they are.
func TestToldStays(t *testing.T) {
	start := finished(t, deployment("old", 12, quarter, quarter))
	next := deployment("new", 12, rollout.Int(1), quarter)
	next.RevisionHistoryLimit = new(int32)
	start.Update(next)
	r := begin(start, Config{Kubelet: Kubelet{ReadyAfter: 5 * time.Second, TerminateAfter: 3 * time.Second, Jitter: 4 * time.Second}})
	w := r.world
	w.deadline = w.now.Add(time.Hour)
	snapshot := func() string {
		s := w.controllers[1].worker.(*deploymentController).followed["web"].tracker.Snapshot()
		text, err := json.Marshal(s)
		require.NoError(t, err)
		return string(text)
	}
	told := ""
	plan, asked := w.Observer.Deployment, 0
	w.Observer.Deployment = func(p Planned[deploy.Snapshot, deploy.Options, deploy.Plan]) error {
		told = snapshot()
		asked++
		return plan(p)
	}
	for w.settle() {
		require.NoError(t, w.err)
		if asked > 0 {
			require.JSONEq(t, told, snapshot())
		}
	}
	require.True(t, r.complete())
	require.Greater(t, asked, 12)
	require.NotContains(t, told, "web-old", "which is removed")
}
