// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// An analysis succeeds if nothing is said of it, and gives the update up if it is said to fail.
func TestArgoAnalysis(t *testing.T) {
	h := newArgo(t, trouble.Rates{}, 1)
	analysed := func(template string) {
		argoCanary(h, template, 5, 60)
		put(h, &h.ArgoRollouts, "web", func(r *cluster.ArgoRollout) {
			r.Steps = []argo.Step{{SetWeight: ptr.To(int32(20))}, {Other: argo.StepAnalysis}}
		})
	}
	analysed("v1")
	h.settle()
	analysed("v2")
	h.settle()
	require.Equal(t, map[string]int{"v2": 5}, h.templates())
	analysed("v3")
	for at := func() int32 { return *h.ArgoRollouts.Get("web").Status.CurrentStepIndex }; h.templates()["v3"] == 0 || at() < 1; {
		require.True(t, h.step())
	}
	put(h, &h.ArgoRollouts, "web", func(r *cluster.ArgoRollout) { r.Status.Runs.Step = argo.Run{Phase: argo.RunFailed} })
	h.settle()
	require.Equal(t, map[string]int{"v2": 5}, h.templates())
	require.True(t, h.ArgoRollouts.Get("web").Status.Abort)
	require.Equal(t, argo.PhaseDegraded, h.ArgoRollouts.Get("web").Status.Phase)
}

// A template that comes back within the window of rollbacks takes no step. Its ReplicaSet is the
// old one.
func TestArgoRollback(t *testing.T) {
	for window, want := range map[int32]map[string]int{0: {"v1": 3, "v2": 2}, 1: {"v1": 5}} {
		h := newArgo(t, trouble.Rates{}, 1)
		for _, template := range []string{"v1", "v2", "v1"} {
			argoCanary(h, template, 5, 60)
			put(h, &h.ArgoRollouts, "web", func(r *cluster.ArgoRollout) { r.RollbackWindow = window })
			h.settle()
			if template == "v2" {
				require.True(t, h.Approve())
				h.settle()
			}
		}
		require.Equal(t, want, h.templates(), "window %d", window)
		require.Equal(t, 2, h.ReplicaSets.Len())
	}
}

// While old pods of a blue-green update are kept, their ReplicaSet is annotated with when they go,
// and no more once its template is wanted again.
func TestArgoDelay(t *testing.T) {
	h := newArgo(t, trouble.Rates{}, 1)
	put(h, &h.Services, "active", func(*store.Service) {})
	blueGreen := func(template string) {
		put(h, &h.ArgoRollouts, "web", func(r *cluster.ArgoRollout) {
			r.UID, r.TemplateLabels, r.TemplateHash, r.Generation = "argo", map[string]string{"app": "web"}, template, r.Generation+1
			r.Replicas, r.BlueGreen, r.ActiveService = ptr.To(int32(2)), &argo.BlueGreen{}, "active"
		})
	}
	blueGreen("v1")
	h.settle()
	blueGreen("v2")
	for h.ReplicaSets.Get("web-v1").Annotations[argoDeadline] == "" {
		require.True(t, h.step())
	}
	until := h.Agenda.Now().Add(30 * time.Second).Truncate(time.Second).Format(time.RFC3339)
	require.Equal(t, until, h.ReplicaSets.Get("web-v1").Annotations[argoDeadline])
	blueGreen("v1")
	h.settle()
	require.NotContains(t, h.ReplicaSets.Get("web-v1").Annotations, argoDeadline)
	require.Equal(t, map[string]int{"v1": 2}, h.templates())
}

// The Rollout and its ReplicaSets are written only as they were seen, or written by the same pass:
// another write in between lets a write fail.
func TestArgoConflicts(t *testing.T) {
	touched := map[store.Kind]int{}
	for seed := range uint64(20) {
		h := newHarness(t, seed, trouble.Rates{trouble.Conflict: 4}, newArgoController)
		h.Observe(func(e store.Write) {
			if e.By == store.Monkey {
				touched[e.Kind]++
			}
		})
		for _, n := range []int32{5, 6, 7, 8} {
			argoCanary(h, "v1", n, 60)
			h.settle()
			require.Equal(t, n, *h.ReplicaSets.Get("web-v1").Replicas, "seed %d", seed)
		}
		require.Equal(t, h.Trouble.Counts[trouble.WrittenBetween], h.Trouble.Counts[trouble.AnsweredConflict], "seed %d", seed)
	}
	require.Greater(t, touched[store.KindArgoRollout], 20)
	require.Greater(t, touched[store.KindReplicaSet], 10, "three sizes are written in each of 20 worlds, and four in ten meet another write")
}

// The routes of a step are kept with the Rollout until requests all go to the new pods.
func TestArgoRoutes(t *testing.T) {
	h := newArgo(t, trouble.Rates{}, 1)
	testers := argo.Route{Name: "testers", Headers: []argo.HeaderMatch{{Name: "user"}}}
	for _, name := range []string{"stable", "canary"} {
		put(h, &h.Services, name, func(*store.Service) {})
	}
	for _, template := range []string{"v1", "v2"} {
		argoCanary(h, template, 5, 60)
		put(h, &h.ArgoRollouts, "web", func(r *cluster.ArgoRollout) {
			r.Routing, r.StableService, r.CanaryService = &argo.Routing{}, "stable", "canary"
			r.Steps = []argo.Step{{SetWeight: ptr.To(int32(20))}, {Pause: &argo.Pause{}, Routes: []argo.Route{testers}}}
		})
		h.settle()
	}
	r := h.ArgoRollouts.Get("web")
	require.Equal(t, []argo.Route{testers}, r.Routes)
	require.EqualValues(t, 20, r.Status.Weights.Canary.Weight)
	require.Equal(t, map[string]int{"v1": 5, "v2": 1}, h.templates(), "the stable pods stay")
	require.True(t, h.Approve())
	h.settle()
	require.Empty(t, h.ArgoRollouts.Get("web").Routes)
	require.Equal(t, map[string]int{"v2": 5}, h.templates())
}

// A plan may scale what it has created: the ReplicaSet is written as the creation has left it.
func TestArgoScalesCreated(t *testing.T) {
	h := newArgo(t, trouble.Rates{}, 1)
	argoCanary(h, "v1", 5, 60)
	c := &argoController{env: h.Env, Controller: h.list[0]}
	p := &argoPass{c: c, r: h.ArgoRollouts.Get("web"), sets: map[string]*replicaset.ReplicaSet{}, plan: argo.Plan{Actions: argo.Actions{
		argo.CreateReplicaSet{Name: "web-v1", Hash: "v1", Replicas: 1}, argo.ScaleReplicaSet{Name: "web-v1", Hash: "v1", From: 1, To: 3},
	}}}
	for p.next() {
	}
	require.EqualValues(t, 3, *h.ReplicaSets.Get("web-v1").Replicas)
}

// While a restart evicts pods two of four may be unavailable. The last one, which somebody else has deleted or
// which is not ready, is one of them; one that has failed is none of the four, and stays.
func TestArgoRestartCounts(t *testing.T) {
	for name, harm := range map[string]func(h *harness, pod string){
		"deleted": func(h *harness, pod string) { h.DeletePod(apiserver.By(store.User, pod)) },
		"unready": func(h *harness, pod string) { h.Life.Unready(pod) },
		"failed":  func(h *harness, pod string) { h.Life.Failed(pod, podorder.Failed) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newArgo(t, trouble.Rates{}, 1)
			argoCanary(h, "v1", 4, 60)
			h.settle()
			list := h.Server.Pods.All()
			last := slices.MaxFunc(list, func(a, b *store.Pod) int { return strings.Compare(a.Name, b.Name) })
			put(h, &h.ArgoRollouts, "web", func(r *cluster.ArgoRollout) {
				r.RestartAt, r.MaxUnavailable, r.Generation = h.Agenda.Now(), rollout.Int(2), r.Generation+1
			})
			h.Agenda.Advance(h.Agenda.Now().Add(time.Second))
			harm(h, last.Name)
			least := 4
			h.settle(func() { least = min(least, h.templates()["v1"]) })
			require.Equal(t, 2, least)
			require.Equal(t, map[string]int{"v1": 4}, h.templates())
			require.Equal(t, name == "failed", h.Server.Pods.Get(last.Name) != nil)
		})
	}
}
