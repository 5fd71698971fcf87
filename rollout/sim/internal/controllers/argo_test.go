// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/selector"
)

// newArgo returns a world with the controllers of Argo. Without faults no write meets a version that
// its writer does not know.
func newArgo(t *testing.T, rates trouble.Rates, seed uint64) *harness {
	h := newHarness(t, seed, rates, newArgoController, newReplicaSetController)
	if rates == (trouble.Rates{}) {
		t.Cleanup(func() { require.Zero(t, h.Trouble.Counts[trouble.AnsweredConflict]) })
	}
	return h
}

// argoCanary puts a Rollout of Argo that goes to 20%, for a time, or until a person approves if that
// is 0, and to 60%, until a person approves.
func argoCanary(h *harness, template string, replicas int32, pause int32) {
	first := &argo.Pause{Duration: &pause}
	if pause == 0 {
		first.Duration = nil
	}
	put(h, &h.ArgoRollouts, "web", func(r *cluster.ArgoRollout) {
		r.UID, r.TemplateLabels, r.TemplateHash, r.Generation = "argo", map[string]string{"app": "web"}, template, r.Generation+1
		r.Replicas, r.MaxSurge, r.MaxUnavailable = &replicas, rollout.Int(1), rollout.Int(0)
		r.Steps = []argo.Step{{SetWeight: ptr.To(int32(20))}, {Pause: first}, {SetWeight: ptr.To(int32(60))}, {Pause: &argo.Pause{}}}
	})
}

// sizes writes down how many pods each template has that are ready, whenever that changes.
func (h *harness) sizes(log *[]string) func() {
	return func() {
		n := h.templates()
		line := fmt.Sprintf("%d/%d", n["v2"], n["v1"])
		if len(*log) == 0 || (*log)[len(*log)-1] != line {
			*log = append(*log, line)
		}
	}
}

// A canary of five pods with a surge of one: one new pod, which is 20%, for a minute; three, which is
// 60%, until a person approves; all. There never are more than six, or less than five ready.
func TestArgoCanary(t *testing.T) {
	h := newArgo(t, trouble.Rates{}, 1)
	argoCanary(h, "v1", 5, 60)
	h.settle()
	require.Equal(t, map[string]int{"v1": 5}, h.templates())
	require.False(t, h.Approve(), "it waits for nothing")

	begin, second := h.Agenda.Now(), time.Duration(0)
	var log []string
	argoCanary(h, "v2", 5, 60)
	h.settle(h.sizes(&log), func() {
		require.LessOrEqual(t, len(h.Server.Pods.All()), 7, "with one that ends")
		if len(log) == 4 && second == 0 {
			second = h.Agenda.Now().Sub(begin).Round(time.Millisecond)
		}
	})
	require.Equal(t, []string{"0/5", "1/5", "1/4", "2/4", "2/3", "3/3", "3/2"}, log)
	require.Equal(t, 80*time.Second, second, "10 seconds until the first is ready, 60 of pause, 10 until the second is ready")
	require.Equal(t, argo.PhasePaused, h.ArgoRollouts.Get("web").Status.Phase)
	require.True(t, h.Approve())
	h.settle(h.sizes(&log))
	require.Equal(t, []string{"4/2", "4/1", "5/1", "5/0"}, log[7:])
	require.Equal(t, argo.PhaseHealthy, h.ArgoRollouts.Get("web").Status.Phase)
	require.Equal(t, "2", h.ReplicaSets.Get("web-v2").Annotations[argoRevision])
}

// A pause that ends after a time waits for no person.
func TestArgoApprove(t *testing.T) {
	h := newArgo(t, trouble.Rates{}, 1)
	argoCanary(h, "v1", 5, 60)
	h.settle()
	argoCanary(h, "v2", 5, 60)
	for h.ArgoRollouts.Get("web").Status.Phase != argo.PhasePaused {
		require.True(t, h.step())
	}
	require.False(t, h.Approve())
	argoCanary(h, "v2", 5, 0)
	require.True(t, h.Approve())
	h.settle()
	require.Equal(t, map[string]int{"v1": 2, "v2": 3}, h.templates(), "the next pause has begun")
}

// A blue-green update of four pods: four of the new template, then a person lets the active Service
// select them, and half a minute later the old ones go.
func TestArgoBlueGreen(t *testing.T) {
	h := newArgo(t, trouble.Rates{}, 1)
	blueGreen := func(template string) {
		put(h, &h.ArgoRollouts, "web", func(r *cluster.ArgoRollout) {
			r.UID, r.TemplateLabels, r.TemplateHash, r.Generation = "argo", map[string]string{"app": "web"}, template, r.Generation+1
			r.Replicas, r.BlueGreen = ptr.To(int32(4)), &argo.BlueGreen{AutoPromotionEnabled: ptr.To(false)}
			r.ActiveService, r.PreviewService = "active", "preview"
		})
	}
	blueGreen("v1")
	h.settle()
	require.Zero(t, h.ReplicaSets.Len(), "there is no Service yet")
	for _, name := range []string{"active", "preview"} {
		put(h, &h.Services, name, func(*store.Service) {})
	}
	h.settle()
	selected := func(service string) string { return h.Services.Get(service).Selector[argo.HashLabel] }
	require.Equal(t, "v1", selected("active"))
	blueGreen("v2")
	h.settle()
	require.Equal(t, map[string]int{"v1": 4, "v2": 4}, h.templates())
	require.Equal(t, "v2 v1", selected("preview")+" "+selected("active"))
	require.True(t, h.Approve())
	begin, switched, left := h.Agenda.Now(), time.Duration(-1), time.Duration(-1)
	h.settle(func() {
		since := h.Agenda.Now().Sub(begin).Round(time.Millisecond) // a pause ends a nanosecond later than it might
		if switched < 0 && selected("active") == "v2" {
			switched = since
		}
		if left < 0 && h.templates()["v1"] < 4 {
			left = since
		}
	})
	require.Equal(t, [2]time.Duration{0, 30 * time.Second}, [2]time.Duration{switched, left})
	require.Equal(t, map[string]int{"v2": 4}, h.templates())
}

// A restart evicts all four pods. Two may be unavailable, but a budget wants three: one goes at a
// time.
func TestArgoRestart(t *testing.T) {
	for _, least := range []int{3, 2} { // the budget counts, then the Rollout
		h := newArgo(t, trouble.Rates{}, 1)
		h.Budgets.Put(cluster.Budget{Name: "web", Selector: selector.FromLabels(map[string]string{"app": "web"}), MinAvailable: rollout.Int(int32(least))})
		argoCanary(h, "v1", 4, 60)
		h.settle()
		before := h.Server.Pods.All()
		put(h, &h.ArgoRollouts, "web", func(r *cluster.ArgoRollout) {
			r.RestartAt, r.MaxUnavailable, r.Generation = h.Agenda.Now().Add(time.Second), rollout.Int(2), r.Generation+1
		})
		evicted, ready := 0, 4
		h.Observe(func(e store.Write) {
			if e.Stage == store.Evicted {
				evicted++
			}
		})
		h.settle(func() { ready = min(ready, h.templates()["v1"]) })
		require.Equal(t, map[string]int{"v1": 4}, h.templates())
		require.Equal(t, least, ready)
		require.Equal(t, 4, evicted)
		for _, p := range h.Server.Pods.All() {
			require.False(t, slices.ContainsFunc(before, func(o *store.Pod) bool { return o.UID == p.UID }))
		}
		require.Equal(t, h.ArgoRollouts.Get("web").RestartAt, h.ArgoRollouts.Get("web").Status.RestartedAt)
	}
}

// All faults together only delay it.
func TestArgoInTrouble(t *testing.T) {
	rates := trouble.Rates{}
	for f := range rates {
		rates[f] = 1
	}
	for seed := range uint64(40) {
		h := newArgo(t, rates, seed)
		run := func() {
			for until := h.Agenda.Now().Add(10 * time.Minute); h.Agenda.Now().Before(until) && h.step(); {
				require.NoError(t, h.Err())
			}
		}
		argoCanary(h, "v1", 5, 60)
		run()
		argoCanary(h, "v2", 5, 60)
		run()
		h.heal()
		h.settle()
		for h.Approve() {
			h.settle()
		}
		require.Equal(t, map[string]int{"v2": 5}, h.templates(), "seed %d", seed)
	}
}
