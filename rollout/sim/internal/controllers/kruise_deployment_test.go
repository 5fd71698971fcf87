// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

func TestRolloutByPartition(t *testing.T) {
	for _, repair := range []quirk.Set{0, quirk.All} {
		h := releasingDeployment(t, 1, repair, 10, trouble.Rates{})
		canary(h, webDeployment, steps(20, 60, 100))
		require.Equal(t, kruise.PhaseHealthy, h.Rollouts.Get("web").Status.Phase)
		h.admit(webDeployment, "v2")
		require.True(t, h.Deployments.Get("web").Paused, "admission pauses it at once")
		h.rest()
		h.pods(8, 2, "20 of 100")
		require.True(t, h.Approve())
		h.rest()
		h.pods(4, 6, "60 of 100")
		require.True(t, h.Approve())
		h.rest()
		h.pods(0, 10, "the last step asks nobody")
		require.False(t, h.Approve())
		h.finished()
	}
}

// A canary is a Deployment beside the stable one. Its pods are of the new template, and those of the
// stable one stay until the end.
func TestRolloutWithCanary(t *testing.T) {
	h := releasingDeployment(t, 1, quirk.All, 10, trouble.Rates{})
	s := steps(20, 100)
	s.EnableExtraWorkloadForCanary = true
	canary(h, webDeployment, s)
	h.admit(webDeployment, "v2")
	h.rest()
	require.Equal(t, 2, h.Deployments.Len())
	h.pods(10, 2, "20 of 100 are added")
	require.True(t, h.Approve())
	h.rest()
	h.pods(0, 10, "the stable Deployment has the new template, and the canary is deleted")
	h.finished()
}

// A canary whose generated name another Deployment has gets the next one at once, as from an API
// server: the creation is not answered with a conflict.
func TestCanaryNameTaken(t *testing.T) {
	h := releasingDeployment(t, 1, 0, 10, trouble.Rates{})
	s := steps(20, 100)
	s.EnableExtraWorkloadForCanary = true
	canary(h, webDeployment, s)
	taken := fmt.Sprint("web-", h.serial+1)
	put(h, &h.Deployments, taken, func(d *store.Deployment) { d.Replicas = ptr.To(int32(0)) })
	h.admit(webDeployment, "v2")
	h.rest()
	require.Equal(t, 3, h.Deployments.Len())
	require.Zero(t, h.Trouble.Counts[trouble.AnsweredExists])
}

// led makes a route lead traffic to a Service, and a Rollout lead it step by step.
func (h *harness) led(s *kruise.Strategy) {
	put(h, &h.Services, "web", func(o *store.Service) { o.Selector = webApp })
	put(h, &h.Routes, "route", func(o *traffic.Route) {
		o.Rules = []traffic.Rule{{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "web"}}}}
	})
	s.TrafficRoutings = []traffic.Routing{{Service: "web", Gateway: &traffic.GatewayRef{HTTPRouteName: ptr.To("route")}}}
	for i := range s.Steps {
		s.Steps[i].Traffic = s.Steps[i].Replicas
	}
}

// weights are how much of 100 requests each Service gets, by its name.
func (h *harness) weights() map[string]int32 {
	w := map[string]int32{}
	for _, o := range h.Routes.Get("route").Rules[0].BackendRefs {
		if w[o.Name] = 100; o.Weight != nil {
			w[o.Name] = *o.Weight
		}
	}
	return w
}

func TestRolloutBlueGreen(t *testing.T) {
	h := releasingDeployment(t, 1, quirk.All, 10, trouble.Rates{})
	s := steps(50, 100)
	h.led(s)
	s.Steps[0].Traffic, s.Steps[1].Traffic = rollout.Percent(10), rollout.Percent(100)
	put(h, &h.Rollouts, "web", func(r *store.Rollout) { r.Generation, r.WorkloadRef, r.BlueGreen = 1, webDeployment, s })
	h.rest()
	h.admit(webDeployment, "v2")
	h.rest()
	h.pods(10, 5, "half of 10 are added, and no old pod goes")
	require.Equal(t, map[string]int32{"web": 90, "web-canary": 10}, h.weights())
	pinned := h.Services.Get("web").Selector[workload.LabelPodTemplateHash]
	require.Equal(t, "v1", pinned, "the stable Service selects old pods only")
	require.True(t, h.Approve())
	h.rest(func() { require.GreaterOrEqual(t, h.of("v2"), 5) })
	h.pods(0, 10, "the old pods go when the release is over")
	require.Equal(t, webApp, h.Services.Get("web").Selector)
	require.Equal(t, 1, h.Services.Len(), "the canary Service is deleted")
	h.finished()
}

// Back to the old template in the middle of a release, and the new pods go.
func TestRolloutIsTakenBack(t *testing.T) {
	for _, repair := range []quirk.Set{0, quirk.All} {
		h := releasingDeployment(t, 1, repair, 10, trouble.Rates{})
		s := steps(20, 60, 100)
		h.led(s)
		s.Steps[1].Traffic = rollout.IntOrPercent{}
		canary(h, webDeployment, s)
		h.admit(webDeployment, "v2")
		h.rest()
		h.pods(8, 2, "20 of 100")
		require.Equal(t, map[string]int32{"web": 80, "web-canary": 20}, h.weights())
		h.admit(webDeployment, "v1")
		h.rest()
		h.pods(10, 0, "nobody is asked")
		require.Equal(t, map[string]int32{"web": 1}, h.weights(), "a weight of 1 alone is all")
		h.finished()
	}
}

// What is in the middle of a release when its Rollout is deleted is given back.
func TestRolloutIsDeleted(t *testing.T) {
	for _, c := range []struct {
		repair quirk.Set
		v1, v2 int
		why    string
	}{
		{0, 0, 10, "upstream lets the Deployment go on by itself"},
		{quirk.All, 10, 3, "repaired, it stays paused: its controller scales 8 and 2 to 10 and a surge of 3"},
	} {
		h := releasingDeployment(t, 1, c.repair, 10, trouble.Rates{})
		canary(h, webDeployment, steps(20, 60, 100))
		h.admit(webDeployment, "v2")
		h.rest()
		require.True(t, h.DeleteRollout("web"))
		require.NotNil(t, h.Rollouts.Get("web"), "it has a finalizer")
		h.rest()
		require.Zero(t, h.Rollouts.Len())
		require.Zero(t, h.BatchReleases.Len())
		h.pods(c.v1, c.v2, c.why)
		require.False(t, h.DeleteRollout("web"))
		require.False(t, h.Admit(workload.Ref{Kind: "Deployment", Name: "other"}, func(*workload.Workload) {}), "it is not there")
	}
}

// A Rollout without a finalizer is gone at once, before its controller has seen it.
func TestRolloutIsDeletedAtOnce(t *testing.T) {
	h := releasingDeployment(t, 1, quirk.All, 10, trouble.Rates{})
	put(h, &h.Rollouts, "web", func(r *store.Rollout) { r.Generation, r.WorkloadRef, r.Canary = 1, webDeployment, steps(20, 100) })
	require.True(t, h.Releases(webDeployment))
	require.True(t, h.DeleteRollout("web"))
	require.False(t, h.Releases(webDeployment))
	h.admit(webDeployment, "v2")
	h.rest()
	h.pods(0, 10, "no Rollout holds it")
}

// A Rollout is of the workloads of its namespace only.
func TestRolloutOfAnotherNamespace(t *testing.T) {
	h := releasingDeployment(t, 1, quirk.All, 10, trouble.Rates{})
	put(h, &h.Rollouts, "shop/web", func(r *store.Rollout) {
		r.Generation, r.WorkloadRef, r.Canary = 1, webDeployment, steps(20, 100)
	})
	require.False(t, h.Releases(webDeployment))
	h.admit(webDeployment, "v2")
	h.rest()
	h.pods(0, 10, "no Rollout of its namespace holds it")
}

// The hash of a template has what collisions add. A Rollout that patches the Deployment does not make
// that part of the template.
func TestRolloutAfterCollision(t *testing.T) {
	h := releasingDeployment(t, 1, quirk.All, 4, trouble.Rates{})
	put(h, &h.Deployments, "web", func(d *store.Deployment) { d.Status.CollisionCount = ptr.To(int32(3)) })
	canary(h, webDeployment, steps(50, 100))
	h.admit(webDeployment, "v2")
	h.rest()
	h.pods(2, 2, "half of 4")
	require.True(t, h.Approve())
	h.rest()
	h.pods(0, 4, "all")
	require.Equal(t, 2, h.ReplicaSets.Len())
	require.NotNil(t, h.ReplicaSets.Get("web-v23"), "v2, and 3 collisions")
	h.finished()
}
