// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// rolledBack lets v2 have 2 of 6 pods, and v3 come, so that the BatchRelease of v2 is deleted. After so many
// requests of its controller since then, a person goes back to v1.
func rolledBack(t *testing.T, requests int, repair quirk.Set) string {
	t.Helper()
	s := inSteps(refOf(webShop("v1")), func(*kruise.Strategy) {})
	s.Rollouts[0].Canary.TrafficRoutings = nil
	for i := range s.Rollouts[0].Canary.Steps { // each waits for a person
		s.Rollouts[0].Canary.Steps[i].Traffic = rollout.IntOrPercent{}
		s.Rollouts[0].Canary.Steps[i].Pause.Duration = nil
	}
	deleted, sent := false, 0
	w, err := sim.New(s, sim.Config{
		Times:   cluster.Times{Ready: cluster.Exactly(10 * time.Second), End: cluster.Exactly(5 * time.Second)},
		Rollout: kruise.Options{Repair: repair},
		Observe: func(c sim.Change) {
			deleted = deleted || c.Kind == "BatchRelease" && c.Verb == sim.Delete
			if deleted && c.By == "batch controller" {
				sent++
			}
		},
	})
	require.NoError(t, err)
	require.NoError(t, w.Put(webShop("v1")))
	settled(t, w)
	require.NoError(t, w.Put(webShop("v2")))
	settled(t, w)
	require.Len(t, podsOf(w.Snapshot(), "v2"), 2)
	deleted = false
	require.NoError(t, w.Put(webShop("v3")))
	for !deleted || sent < requests {
		more, err := w.Step()
		require.NoError(t, err)
		require.True(t, more)
	}
	require.NoError(t, w.Put(webShop("v1")))
	settled(t, w)
	s = w.Snapshot()
	require.Empty(t, s.Releases)
	require.Empty(t, podsOf(s, "v3"))
	d := s.Deployments[0]
	return fmt.Sprintf("v1 %d, v2 %d, paused %v, %s", len(podsOf(s, "v1")), len(podsOf(s, "v2")), d.Paused, d.Strategy)
}

// A rollback while the BatchRelease of the release before is being finalised ends as in a cluster: once that
// has let go of the workload, nobody gives the workload back, and it stays as it is. An action of a person
// comes between two requests of a controller in a world, too: here the batch controller is the next one to
// work. It is upstream's defect, and can be repaired.
func TestRollbackWhileBatchReleaseEnds(t *testing.T) {
	const frozen, back = "v1 4, v2 2, paused true, Recreate", "v1 6, v2 0, paused false, RollingUpdate"
	for requests := range 5 {
		require.Equal(t, frozen, rolledBack(t, requests, 0), "%d requests", requests)
		require.Equal(t, back, rolledBack(t, requests, quirk.RollbackLeavesPaused), "%d requests", requests)
		require.Equal(t, back, rolledBack(t, requests, quirk.All), "%d requests", requests)
	}
}
