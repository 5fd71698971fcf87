// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/reason"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/selector"
)

// argoCanary goes to a fifth, for five seconds, and to half, until somebody approves.
func argoCanary(template string, replicas int32) cluster.ArgoRollout {
	return cluster.ArgoRollout{UID: "argo", TemplateLabels: map[string]string{"app": "web"}, Rollout: argo.Rollout{
		Name: "web", TemplateHash: template, Replicas: &replicas, MaxSurge: rollout.Int(1), MaxUnavailable: rollout.Int(0),
		Steps: []argo.Step{{SetWeight: ptr.To(int32(20))}, {Pause: &argo.Pause{Duration: ptr.To(int32(5))}}, {SetWeight: ptr.To(int32(50))}, {Pause: &argo.Pause{}}},
	}}
}

// blueGreen is promoted by somebody, and its old pods go after half a minute.
func blueGreen(template string, replicas int32) cluster.ArgoRollout {
	r := argoCanary(template, replicas)
	r.Steps, r.BlueGreen = nil, &argo.BlueGreen{AutoPromotionEnabled: ptr.To(false)}
	r.ActiveService, r.PreviewService = "active", "preview"
	return r
}

func argoServices() []traffic.Service { return []traffic.Service{{Name: "active"}, {Name: "preview"}} }

// ofTemplates is how many ready pods the ReplicaSets of Argo have, by their template.
func ofTemplates(v sim.View) map[string]int {
	counts := map[string]int{}
	for _, rs := range v.ReplicaSets() {
		if n := serving(v.PodsOf(rs.UID)); n > 0 {
			counts[rs.Template.ID] = n
		}
	}
	return counts
}

// A canary of ten pods: two of them, five, all; a template that comes in the middle begins
// anew, and one that is given up goes back.
func TestArgoCanary(t *testing.T) {
	w := newWorld(t, cluster.Snapshot{ArgoRollouts: []cluster.ArgoRollout{argoCanary("v1", 10)}}, sim.Config{Times: lives})
	settled(t, w)
	require.Equal(t, map[string]int{"v1": 10}, ofTemplates(w.View()))
	require.Zero(t, w.Approve())
	require.NoError(t, w.Put(argoCanary("v2", 10)))
	settled(t, w)
	require.Equal(t, map[string]int{"v1": 5, "v2": 5}, ofTemplates(w.View()))
	require.Equal(t, argo.PhasePaused, w.View().ArgoRollouts()[0].Status.Phase)
	require.Equal(t, 1, w.Approve())
	settled(t, w)
	require.Equal(t, map[string]int{"v2": 10}, ofTemplates(w.View()))
	require.Equal(t, argo.PhaseHealthy, w.View().ArgoRollouts()[0].Status.Phase)

	require.NoError(t, w.Put(argoCanary("v3", 10)))
	settled(t, w)
	given := argoCanary("v3", 10)
	given.Status.Abort = true
	require.NoError(t, w.Put(given))
	settled(t, w)
	require.Equal(t, map[string]int{"v2": 10}, ofTemplates(w.View()))
	require.Equal(t, argo.PhaseDegraded, w.View().ArgoRollouts()[0].Status.Phase)

	promoted := argoCanary("v4", 10)
	promoted.Status.PromoteFull = true
	require.NoError(t, w.Put(argoCanary("v4", 10)))
	require.NoError(t, w.Run(w.Now().Add(time.Second)))
	require.NoError(t, w.Put(promoted))
	settled(t, w)
	require.Equal(t, map[string]int{"v4": 10}, ofTemplates(w.View()), "no step is waited for")
	require.True(t, w.Scale(sim.KindArgoRollout, "web", 4))
	settled(t, w)
	require.Equal(t, map[string]int{"v4": 4}, ofTemplates(w.View()))
	require.True(t, w.Delete(sim.KindArgoRollout, "web"))
	settled(t, w)
	require.Empty(t, w.View().ReplicaSets())
	require.Empty(t, w.View().Pods())
}

// A blue-green update: all pods of both templates, then the active Service is switched, and
// those of the old one go half a minute later.
func TestArgoBlueGreen(t *testing.T) {
	c := sim.Config{Times: lives}
	w := newWorld(t, cluster.Snapshot{Services: argoServices(), ArgoRollouts: []cluster.ArgoRollout{blueGreen("v1", 4)}}, c)
	settled(t, w)
	active := func(w *sim.World) string { return w.Snapshot().Services[0].Selector[argo.HashLabel] }
	require.Equal(t, "v1", active(w))
	require.NoError(t, w.Put(blueGreen("v2", 4)))
	settled(t, w)
	require.Equal(t, map[string]int{"v1": 4, "v2": 4}, ofTemplates(w.View()))
	require.Equal(t, "v1", active(w))

	text, err := json.Marshal(w.Snapshot())
	require.NoError(t, err)
	var s cluster.Snapshot
	require.NoError(t, json.Unmarshal(text, &s))
	again := newWorld(t, s, c)
	require.Empty(t, cmp.Diff(w.Snapshot(), again.Snapshot(), versions), "and another world goes on from here")
	for _, w := range []*sim.World{w, again} {
		require.Equal(t, 1, w.Approve())
		require.NoError(t, w.Run(w.Now().Add(time.Second)))
		require.Equal(t, "v2", active(w))
		require.Equal(t, 4, ofTemplates(w.View())["v1"])
		settled(t, w)
		require.Equal(t, map[string]int{"v2": 4}, ofTemplates(w.View()))
	}
}

// An analysis that fails gives the update up.
func TestArgoAnalysis(t *testing.T) {
	analysed := func(template string) cluster.ArgoRollout {
		r := argoCanary(template, 10)
		r.Steps = []argo.Step{{SetWeight: ptr.To(int32(20))}, {Other: argo.StepAnalysis}}
		return r
	}
	w := newWorld(t, cluster.Snapshot{ArgoRollouts: []cluster.ArgoRollout{analysed("v1")}}, sim.Config{Times: lives})
	settled(t, w)
	require.NoError(t, w.Put(analysed("v2")))
	settled(t, w)
	require.Equal(t, map[string]int{"v2": 10}, ofTemplates(w.View()))
	require.NoError(t, w.Put(analysed("v3")))
	for i := w.View().ArgoRollouts()[0].Status.CurrentStepIndex; i == nil || *i < 1 || w.View().ArgoRollouts()[0].Status.CurrentPodHash != "v3"; {
		more, err := w.Step()
		require.NoError(t, err)
		require.True(t, more)
		i = w.View().ArgoRollouts()[0].Status.CurrentStepIndex
	}
	failed := analysed("v3")
	failed.Status.Runs.Step = argo.Run{Phase: argo.RunFailed}
	require.NoError(t, w.Put(failed))
	settled(t, w)
	require.Equal(t, map[string]int{"v2": 10}, ofTemplates(w.View()))
	require.True(t, w.View().ArgoRollouts()[0].Status.Abort)
}

// A restart replaces the pods one after the other, as far as a budget allows.
func TestArgoRestart(t *testing.T) {
	s := cluster.Snapshot{ArgoRollouts: []cluster.ArgoRollout{argoCanary("v1", 4)}, Budgets: []cluster.Budget{
		{Name: "web", Selector: selector.FromLabels(map[string]string{"app": "web"}), MinAvailable: rollout.Int(3)},
	}}
	w := newWorld(t, s, sim.Config{Times: lives})
	settled(t, w)
	before := map[string]bool{}
	for _, p := range w.View().Pods() {
		before[p.Name] = true
	}
	r := argoCanary("v1", 4)
	r.MaxUnavailable = rollout.Int(2)
	r.RestartAt = w.Now().Add(time.Second)
	require.NoError(t, w.Put(r))
	least := 4
	for {
		more, err := w.Step()
		require.NoError(t, err)
		if !more {
			break
		}
		least = min(least, ofTemplates(w.View())["v1"])
	}
	for _, p := range w.View().Pods() {
		require.False(t, before[p.Name], p.Name)
	}
	require.Equal(t, map[string]int{"v1": 4}, ofTemplates(w.View()))
	require.Equal(t, 3, least, "two might go at once, and the budget lets one")
}

// A quota that lets no new pod be made is told in the conditions of the Rollout, and is what it waits for.
func TestArgoQuota(t *testing.T) {
	var last argo.Plan
	c := sim.Config{Times: lives, Planned: func(p sim.Plan) {
		if plan, is := p.Plan.(argo.Plan); is {
			last = plan
		}
	}}
	s := cluster.Snapshot{ArgoRollouts: []cluster.ArgoRollout{argoCanary("v1", 10)}, Quotas: []cluster.Quota{{Name: "pods", Hard: map[string]int64{"pods": 10}}}}
	w := newWorld(t, s, c)
	settled(t, w)
	require.NoError(t, w.Put(argoCanary("v2", 10)))
	settled(t, w)
	require.Equal(t, map[string]int{"v1": 10}, ofTemplates(w.View()))
	require.Equal(t, reason.ReplicaFailure, last.Holds[0].Reason)
}

// A blue-green update is promoted when its time is over.
func TestArgoPromotesInTime(t *testing.T) {
	of := func(template string) cluster.ArgoRollout {
		r := blueGreen(template, 4)
		r.BlueGreen = &argo.BlueGreen{AutoPromotionSeconds: 90}
		return r
	}
	w, begun := updated(t, cluster.Snapshot{Services: argoServices()}, sim.Config{}, of)
	require.NoError(t, w.Run(begun.Add(90*time.Second)))
	require.Equal(t, "v1", w.Snapshot().Services[0].Selector[argo.HashLabel])
	require.NoError(t, w.Run(begun.Add(91*time.Second)))
	require.Equal(t, "v2", w.Snapshot().Services[0].Selector[argo.HashLabel])
}
