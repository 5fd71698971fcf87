// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// takenBack lets v2 have 2 of 6 pods, and v3 come. Its Rollout deletes the BatchRelease of v2 then,
// which takes the batch controller four requests: phase Finalizing, the workload, phase Completed,
// and the finalizer. After some of them a person goes back to v1.
func takenBack(t *testing.T, led bool, repair quirk.Set, requests int) string {
	h := releasingDeployment(t, 1, repair, 6, trouble.Rates{})
	s := steps(20, 100)
	if led {
		h.led(s)
		s.Steps[1].Traffic = rollout.IntOrPercent{}
	}
	canary(h, webDeployment, s)
	h.admit(webDeployment, "v2")
	h.rest()
	h.pods(4, 2, "20 of 100, rounded up")
	sent, deleted, back := 0, false, false
	h.Observe(func(e store.Write) {
		deleted = deleted || e.Kind == store.KindBatchRelease && e.Verb == store.Delete
		if deleted && e.By == store.BatchController {
			sent++
		}
	})
	h.admit(webDeployment, "v3")
	h.rest(func() {
		if deleted && sent == requests && !back {
			back = true
			require.Equal(t, requests < 4, h.BatchReleases.Get("web") != nil)
			h.admit(webDeployment, "v1")
		}
	})
	require.True(t, back)
	require.Zero(t, h.BatchReleases.Len())
	require.Zero(t, h.of("v3"))
	d := h.Deployments.Get("web")
	return fmt.Sprintf("v1 %d, v2 %d, paused %v, %s", h.of("v1"), h.of("v2"), d.Paused, d.Strategy)
}

// A rollback that comes while a BatchRelease ends can leave the Deployment paused for good: see
// [quirk.RollbackLeavesPaused].
//
//   - With traffic, the Rollout has written a step of its reset down by then. The rollback goes on
//     after that step, and the one that gives the workload back is before it.
//   - Without traffic it asks the BatchRelease to give the workload back. Once that has let go of the
//     workload, it does nothing about it any more.
//
// A BatchRelease that is deleted takes its mark off the workload only, and leaves it as it is.
func TestRolledBackWhileBatchReleaseEnds(t *testing.T) {
	const paused, done = "v1 4, v2 2, paused true, Recreate", "v1 6, v2 0, paused false, RollingUpdate"
	for requests, withoutTraffic := range []string{done, done, paused, paused, paused} {
		t.Run(fmt.Sprint(requests, " requests"), func(t *testing.T) {
			require.Equal(t, paused, takenBack(t, true, 0, requests))
			require.Equal(t, withoutTraffic, takenBack(t, false, 0, requests))
			require.Equal(t, done, takenBack(t, true, quirk.RollbackLeavesPaused, requests))
			require.Equal(t, done, takenBack(t, false, quirk.RollbackLeavesPaused, requests))
			require.Equal(t, done, takenBack(t, true, quirk.All, requests))
			require.Equal(t, done, takenBack(t, false, quirk.All, requests))
		})
	}
}
