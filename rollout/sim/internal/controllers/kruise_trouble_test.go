// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// someTrouble lets requests fail, controllers crash, see the past and miss events, and pods flap.
var someTrouble = trouble.Rates{
	trouble.Crash: 1, trouble.Stale: 1, trouble.Skip: 1, trouble.Request: 1, trouble.Visibility: 1, trouble.Disorder: 1,
	trouble.Readiness: 1, trouble.Conflict: 1, trouble.LostEvents: 1, trouble.Termination: 1,
}

// A person releases, goes back, scales and confirms in the middle of all trouble. Once that is over
// and all steps are confirmed, all pods are of the last template, and nothing of a release is left.
func TestRolloutsInTrouble(t *testing.T) {
	styles := map[string]func(r *store.Rollout){
		"partition": func(r *store.Rollout) { r.Canary = steps(20, 60, 100) },
		"canary": func(r *store.Rollout) {
			r.Canary = steps(20, 100)
			r.Canary.EnableExtraWorkloadForCanary = true
		},
	}
	for style, set := range styles {
		for seed := range uint64(20) {
			t.Run(fmt.Sprint(style, seed), func(t *testing.T) {
				h := releasingDeployment(t, seed, quirk.All, 6, someTrouble)
				put(h, &h.Rollouts, "web", func(r *store.Rollout) {
					r.Generation, r.WorkloadRef = 1, webDeployment
					set(r)
				})
				template := h.someRequests(webDeployment)
				h.heal()
				h.rest()
				for range 10 {
					h.Approve()
					h.rest()
				}
				n := int(*h.Deployments.Get("web").Replicas)
				require.Equal(t, n, h.of(template), "all %d pods are of %s", n, template)
				require.Equal(t, n, h.Server.Pods.Len())
				h.finished()
			})
		}
	}
}

// someRequests lets 2,000 steps happen, and a person act in between. It returns the last template.
func (h *harness) someRequests(ref workload.Ref) (template string) {
	template = "v1"
	for range 2000 {
		h.step()
		require.NoError(h.t, h.Err())
		switch h.Trouble.IntN(150) {
		case 0, 1:
			template = fmt.Sprint("v", h.Trouble.IntN(3)+1)
			h.admit(ref, template)
		case 2:
			require.True(h.t, h.Admit(ref, func(o *workload.Workload) { o.Replicas = ptr.To(h.Trouble.Int32N(6) + 2) }))
		case 3, 4, 5:
			h.Approve()
		case 6:
			h.Agenda.PerformUntil(h.Agenda.Now().Add(10 * time.Second))
		}
		h.collect()
	}
	return template
}

// Two controllers of each kind at once do no harm that lasts.
func TestTwoRolloutControllers(t *testing.T) {
	h := releasingDeployment(t, 1, quirk.All, 6, trouble.Rates{})
	h.list = append(h.list, newRolloutController(h.Env, 1), newBatchController(h.Env, 1))
	canary(h, webDeployment, steps(50, 100))
	h.admit(webDeployment, "v2")
	h.rest()
	h.pods(3, 3, "half of 6")
	require.True(t, h.Approve())
	h.rest()
	h.pods(0, 6, "all steps are done")
	h.finished()
	require.Equal(t, kruise.PhaseHealthy, h.Rollouts.Get("web").Status.Phase)
}
