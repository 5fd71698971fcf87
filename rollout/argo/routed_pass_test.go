// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
	"github.com/kplan-go/kplan/rollout/argo/reason"
)

// routed makes the update lead requests by weights, with a Service for each side.
func (w *world) routed(r argo.Routing) *world {
	w.s.Rollout.Routing = &r
	w.s.StableService, w.s.CanaryService = &argo.Service{Name: "stable"}, &argo.Service{Name: "canary"}
	return w
}

func (w *world) weights() (canary, stable int32) {
	if t := w.s.Rollout.Status.Weights; t != nil {
		return t.Canary.Weight, t.Stable.Weight
	}
	return 0, 0
}

func (w *world) holds(reason kplan.Reason) bool {
	for _, h := range w.plan.Holds {
		if h.Reason == reason {
			return true
		}
	}
	return false
}

// A canary with traffic routing keeps all stable pods until the end, leads requests only
// to pods that are there, and lets the old pods serve for a while behind the promotion.
func TestRoutedLife(t *testing.T) {
	w := newWorld(t, 5, weight(20), pause(-1), weight(60), argo.Step{Other: argo.StepAnalysis}).routed(argo.Routing{})
	w.run(false)
	require.Equal(t, "v1=5", w.sizes())
	require.Equal(t, argo.PhaseHealthy, w.s.Rollout.Status.Phase)
	require.Equal(t, "v1", w.s.StableService.Selector[argo.HashLabel])
	require.Equal(t, "v1", w.s.CanaryService.Selector[argo.HashLabel])

	w.s.Rollout.TemplateHash = "v2"
	w.pass() // begins anew
	require.True(t, w.pass())
	require.Equal(t, "v1=5 v2=1", w.sizes())
	canary, _ := w.weights()
	require.Zero(t, canary, "no pod could serve it")
	w.run(false)
	require.Equal(t, &argo.TrafficWeights{
		Canary: argo.WeightDestination{Weight: 20, Service: "canary", Hash: "v2"}, Stable: argo.WeightDestination{Weight: 80, Service: "stable", Hash: "v1"},
	}, w.s.Rollout.Status.Weights)
	require.Equal(t, "v2", w.s.CanaryService.Selector[argo.HashLabel])
	require.Equal(t, "v1", w.s.StableService.Selector[argo.HashLabel])
	require.Equal(t, argo.PauseStep, w.s.Rollout.Status.Message)

	w.s.Rollout.Status.PauseConditions = nil
	w.run(false)
	require.Equal(t, "v1=5 v2=3", w.sizes())
	canary, stable := w.weights()
	require.Equal(t, []int32{60, 40}, []int32{canary, stable})
	require.Equal(t, []kplan.Hold{{Reason: reason.Analysis, Have: 4, Limit: 4}}, w.plan.Holds)
	w.s.Rollout.Status.Runs.Step.Phase = argo.RunSuccessful
	for w.s.Rollout.Status.StableRS == "v1" {
		require.True(t, w.pass())
	}
	require.Equal(t, argo.Runs{}, w.s.Rollout.Status.Runs)
	canary, _ = w.weights()
	require.Equal(t, int32(100), canary)
	w.pass()
	require.Equal(t, "v2", w.s.StableService.Selector[argo.HashLabel])
	require.Equal(t, "v1=5 v2=5", w.sizes(), "requests may be on their way")
	w.run(false)
	require.Equal(t, "v2=5", w.sizes())
	canary, stable = w.weights()
	require.Equal(t, []int32{0, 100}, []int32{canary, stable})
	require.Equal(t, argo.PhaseHealthy, w.s.Rollout.Status.Phase)
}

// An abort leads all requests back at once, and keeps the new pods for a while.
func TestRoutedAbort(t *testing.T) {
	w := newWorld(t, 4, weight(50), pause(-1)).routed(argo.Routing{AbortScaleDownDelaySeconds: ptr.To(int32(60))})
	w.run(false)
	w.s.Rollout.TemplateHash = "v2"
	w.run(false)
	require.Equal(t, "v1=4 v2=2", w.sizes())
	w.s.Rollout.Status.Abort = true
	w.pass() // scales nothing while it is noted
	w.pass()
	canary, stable := w.weights()
	require.Equal(t, []int32{0, 100}, []int32{canary, stable})
	require.Equal(t, "v1", w.s.CanaryService.Selector[argo.HashLabel])
	require.Equal(t, "v1=4 v2=2", w.sizes())
	require.Equal(t, time.Minute, w.set("v2").ScaleDownAt.Sub(w.clock.Truncate(time.Second)))
	w.run(false)
	require.Equal(t, "v1=4", w.sizes())
}

// An abort delay of 0 keeps the pods of a blue-green update. A canary with traffic routing goes by
// its weight of 0 or, since an abort goes back to the first step, by a setCanaryScale there. A canary
// without traffic routing has no such delay.
func TestNoAbortDelay(t *testing.T) {
	zero, scale := ptr.To(int32(0)), argo.Step{SetCanaryScale: &argo.CanaryScale{Replicas: ptr.To(int32(3))}}
	routed := func(dynamic bool, steps ...argo.Step) *world {
		return newWorld(t, 4, steps...).routed(argo.Routing{AbortScaleDownDelaySeconds: zero, DynamicStableScale: dynamic})
	}
	for _, c := range []struct {
		why           string
		w             *world
		before, after string
	}{
		{"with routing: by weight", routed(false, weight(50), pause(-1)), "v1=4 v2=2", "v1=4"},
		{"a scale at the first step", routed(false, scale, pause(-1)), "v1=4 v2=3", "v1=4 v2=3"},
		{"a scale at a later step", routed(false, weight(0), scale, pause(-1)), "v1=4 v2=3", "v1=4"},
		{"with dynamicStableScale: by weight", routed(true, weight(50), pause(-1)), "v1=2 v2=2", "v1=4"},
		{"and a scale at the first step", routed(true, scale, weight(50), pause(-1)), "v1=4 v2=3", "v1=4 v2=3"},
		{"without routing", newWorld(t, 4, weight(50), pause(-1)), "v1=2 v2=2", "v1=4"},
		{"blue-green", newWorld(t, 4).green(argo.BlueGreen{AutoPromotionEnabled: ptr.To(false), AbortScaleDownDelaySeconds: zero}), "v1=4 v2=4", "v1=4 v2=4"},
		{"with a preview", newWorld(t, 4).green(argo.BlueGreen{
			AutoPromotionEnabled: ptr.To(false), PreviewReplicaCount: ptr.To(int32(1)), AbortScaleDownDelaySeconds: zero,
		}), "v1=4 v2=1", "v1=4 v2=1"},
	} {
		c.w.run(false)
		c.w.s.Rollout.TemplateHash = "v2"
		c.w.run(false)
		require.Equal(t, c.before, c.w.sizes(), c.why)
		c.w.s.Rollout.Status.Abort = true
		c.w.run(false)
		c.w.clock = c.w.clock.Add(24 * time.Hour)
		c.w.run(false)
		require.Equal(t, c.after, c.w.sizes(), c.why)
	}
}

// With dynamicStableScale the stable pods go as the requests go, one pass behind them,
// and after an abort the requests return as the stable pods do.
func TestRoutedDynamic(t *testing.T) {
	w := newWorld(t, 4, weight(50), pause(-1)).routed(argo.Routing{DynamicStableScale: true})
	w.run(false)
	w.s.Rollout.TemplateHash = "v2"
	w.run(false)
	require.Equal(t, "v1=2 v2=2", w.sizes())
	w.s.Rollout.Status.Abort = true
	for {
		changed := w.pass()
		canary, _ := w.weights()
		served := w.set("v2").Replicas * 25
		require.LessOrEqual(t, canary, served, "more requests than the pods can serve: %s", w.sizes())
		if !changed {
			break
		}
	}
	require.Equal(t, "v1=4", w.sizes())
	w.s.Rollout.Status.Abort = false
	w.run(true)
	require.Equal(t, "v2=4", w.sizes())
}

// The weight stays as it is while the stable pods cannot serve what is left to them.
func TestStableServes(t *testing.T) {
	w := newWorld(t, 4, weight(50), pause(-1)).routed(argo.Routing{})
	w.run(false)
	w.s.Rollout.TemplateHash = "v2"
	w.run(false)
	w.set("v1").AvailableReplicas = 3
	w.s.Rollout.Status.Abort = true
	p, err := reconcile(w.s, w.clock)
	require.NoError(t, err)
	require.NotContains(t, p.String(), "Set weight")
	require.Contains(t, p.Holds, kplan.Hold{Name: "web-v1", Reason: reason.StableNotReady, Have: 3, Limit: 4})
	w.s.Rollout.ProgressThreshold = &argo.Threshold{Type: "Percent", Value: 75}
	p, err = reconcile(w.s, w.clock)
	require.NoError(t, err)
	require.Contains(t, p.String(), "Set weight of replica set v2 to 0, of v1 to 100 (Traffic)")
}

// A step waits until requests are known to be led by its weight, and it is asked again.
func TestVerifiedWeights(t *testing.T) {
	w := newWorld(t, 4, weight(50), pause(-1)).routed(argo.Routing{})
	w.run(false)
	w.s.WeightVerified, w.s.Rollout.TemplateHash = ptr.To(true), "v2"
	w.pass()
	for range 9 {
		w.pass()
		if canary, _ := w.weights(); canary == 50 {
			break
		}
	}
	require.Equal(t, ptr.To(false), w.s.Rollout.Status.Weights.Verified, "the answer was about other weights")
	require.Equal(t, []kplan.Hold{{Reason: reason.Unverified, Have: 50, Limit: 100}}, w.plan.Holds)
	require.Equal(t, w.clock.Add(10*time.Second), w.plan.RecheckAt)
	w.s.WeightVerified = ptr.To(false)
	w.pass()
	require.Zero(t, *w.s.Rollout.Status.CurrentStepIndex)
	w.s.WeightVerified = ptr.To(true)
	w.pass()
	require.EqualValues(t, 1, *w.s.Rollout.Status.CurrentStepIndex)
}

// Analyses give an update up, or pause it until a person resumes it and another one is
// run. Nothing else of the pass happens when it begins to pause.
func TestCanaryAnalyses(t *testing.T) {
	begin := func() *world {
		w := newWorld(t, 4, weight(50), argo.Step{Other: argo.StepAnalysis})
		w.run(false)
		w.s.Rollout.TemplateHash = "v2"
		w.run(false)
		require.True(t, w.holds(reason.Analysis))
		return w
	}
	for _, run := range []func(*argo.Runs) *argo.Run{
		func(r *argo.Runs) *argo.Run { return &r.Step }, func(r *argo.Runs) *argo.Run { return &r.Background },
	} {
		w := begin()
		*run(&w.s.Rollout.Status.Runs) = argo.Run{Phase: argo.RunFailed, Message: "too slow"}
		w.pass()
		require.True(t, w.s.Rollout.Status.Abort)
		require.Contains(t, w.s.Rollout.Status.Message, "error/failed: too slow")
		w.run(false)
		require.Equal(t, "v1=4", w.sizes())

		w = begin()
		run(&w.s.Rollout.Status.Runs).Phase = argo.RunInconclusive
		w.s.Sets[0].Replicas++ // to be scaled by a pass that goes on
		p, err := reconcile(w.s, w.clock)
		require.NoError(t, err)
		require.Empty(t, p.Actions)
		w.s.Sets[0].Replicas--
		w.run(false)
		require.Equal(t, argo.PauseInconclusive, w.s.Rollout.Status.Message)
		w.s.Rollout.Status.PauseConditions = nil
		w.run(false)
		require.Empty(t, run(&w.s.Rollout.Status.Runs).Phase, "another one is run")
		require.Equal(t, argo.PhaseProgressing, w.s.Rollout.Status.Phase)
		w.s.Rollout.Status.Runs.Step.Phase = argo.RunSuccessful
		w.run(false)
		require.Equal(t, "v2=4", w.sizes())
	}
}

// A blue-green update is promoted when the analysis before that has succeeded, and done
// when the one behind it has; until then the old pods serve.
func TestBlueGreenAnalyses(t *testing.T) {
	begin := func() *world {
		w := newWorld(t, 3).green(argo.BlueGreen{PrePromotionAnalysis: true, PostPromotionAnalysis: true})
		w.run(false)
		w.s.Rollout.TemplateHash = "v2"
		w.run(false)
		require.True(t, w.holds(reason.Analysis))
		require.Equal(t, "v1", w.s.Active.Selector[argo.HashLabel])
		return w
	}
	w := begin()
	w.s.Rollout.Status.Runs.PrePromotion.Phase = argo.RunSuccessful
	w.run(false)
	require.Equal(t, "v2", w.s.Active.Selector[argo.HashLabel])
	require.True(t, w.holds(reason.Analysis))
	require.Equal(t, "v1=3 v2=3", w.sizes())
	require.Equal(t, "v1", w.s.Rollout.Status.StableRS)
	older := argo.ReplicaSet{
		Name: "v0", Hash: "v0", DesiredReplicas: w.s.Rollout.Replicas, ScaleDownAt: w.clock.Add(-time.Minute), Size: argo.Size{Replicas: 3, AvailableReplicas: 3, StatusReplicas: 3},
	}
	w.s.Sets = append(w.s.Sets, older)
	w.run(false)
	require.Equal(t, "v1=3 v2=3 v0=3", w.sizes(), "no old pod goes while nobody knows")
	w.s.Rollout.BlueGreen.ScaleDownDelaySeconds = ptr.To(int32(30))
	w.run(false)
	require.Equal(t, "v1=3 v2=3", w.sizes(), "unless a delay is asked for")
	w.s.Rollout.Status.Runs.PostPromotion.Phase = argo.RunSuccessful
	w.run(false)
	require.Equal(t, "v2=3", w.sizes())
	require.Equal(t, argo.PhaseHealthy, w.s.Rollout.Status.Phase)

	w = begin()
	w.s.Rollout.Status.Runs.PrePromotion.Phase = argo.RunError
	w.run(false)
	require.Equal(t, "v1=3", w.sizes())
	require.Equal(t, argo.PhaseDegraded, w.s.Rollout.Status.Phase)

	w = begin()
	w.s.Rollout.Status.Runs.PrePromotion.Phase = argo.RunSuccessful
	w.run(false)
	w.s.Rollout.Status.Runs.PostPromotion.Phase = argo.RunFailed
	w.run(false)
	require.Equal(t, "v1", w.s.Active.Selector[argo.HashLabel], "the traffic goes back")
}

// Whatever the steps are, a routed Rollout ends with all pods of the template, no request
// is led to pods that are not there, and the stable ones can serve what is left to them.
func TestRoutedEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		replicas := rapid.Int32Range(1, 9).Draw(t, "replicas")
		steps := []argo.Step{weight(10), weight(50), weight(100), pause(-1), pause(5), {Other: argo.StepHeaderRoute}, {SetCanaryScale: &argo.CanaryScale{Replicas: ptr.To(int32(1))}}, {SetCanaryScale: &argo.CanaryScale{MatchTrafficWeight: true}}}
		var drawn []argo.Step
		for range rapid.IntRange(0, 5).Draw(t, "steps") {
			drawn = append(drawn, rapid.SampledFrom(steps).Draw(t, "step"))
		}
		r := argo.Routing{DynamicStableScale: rapid.Bool().Draw(t, "dynamic")}
		// See Kept from upstream in rules.md: what is kept keeps some of this from holding.
		repair := rapid.SampledFrom([]quirk.Set{0, quirk.All}).Draw(t, "repair")
		if kept := r.DynamicStableScale && repair == 0; !kept && rapid.Bool().Draw(t, "least") {
			r.MinPodsPerReplicaSet = ptr.To(int32(2))
		}
		if rapid.Bool().Draw(t, "delay") {
			r.AbortScaleDownDelaySeconds = ptr.To(rapid.Int32Range(0, 9).Draw(t, "seconds"))
		}
		w := newWorld(t, replicas, drawn...).routed(r)
		w.repair = repair
		w.run(true)
		w.check = func() {
			for _, to := range []argo.WeightDestination{w.led.Canary, w.led.Stable} {
				if r.DynamicStableScale && repair == 0 && to.Weight*replicas < 100 {
					continue
				}
				for _, set := range w.s.Sets {
					if set.Hash == to.Hash && to.Weight > 0 && set.Replicas == 0 {
						t.Fatalf("%d of the requests go to %s, which has no pods", to.Weight, set.Hash)
					}
				}
			}
		}
		w.s.Rollout.TemplateHash = "v2"
		for range rapid.IntRange(0, 12).Draw(t, "passes") {
			w.pass()
		}
		if rapid.Bool().Draw(t, "abort") && w.s.Rollout.Status.StableRS == "v1" && w.s.Rollout.Status.CurrentPodHash == "v2" {
			w.s.Rollout.Status.Abort = true
			w.run(true)
			if canary, _ := w.weights(); canary != 0 {
				t.Fatalf("given up, and %d of the requests go to the new pods", canary)
			}
			w.s.Rollout.Status.Abort = false
		}
		if r.DynamicStableScale && repair == 0 {
			w.check = nil
		}
		w.s.Rollout.TemplateHash = rapid.SampledFrom([]string{"v1", "v2", "v3"}).Draw(t, "template")
		w.run(true)
		if w.set(w.s.Rollout.TemplateHash).Replicas != replicas || w.s.Rollout.Status.StableRS != w.s.Rollout.TemplateHash {
			t.Fatalf("%s %+v %v", w.sizes(), w.s.Rollout.Status, w.plan.Holds)
		}
	})
}

// Behind the last step no stable pod goes, and nothing is promoted, before all requests
// are known to be led to the new pods.
func TestVerifiedEnd(t *testing.T) {
	w := newWorld(t, 4, weight(50)).routed(argo.Routing{DynamicStableScale: true})
	w.run(false)
	w.s.WeightVerified, w.s.Rollout.TemplateHash = ptr.To(true), "v2"
	for range 20 {
		w.s.WeightVerified = ptr.To(!w.atEnd())
		w.pass()
	}
	canary, stable := w.weights()
	require.Equal(t, []int32{100, 0}, []int32{canary, stable})
	require.Equal(t, "v1", w.s.Rollout.Status.StableRS)
	require.Equal(t, "v1=2 v2=4", w.sizes())
	require.Equal(t, []kplan.Hold{{Reason: reason.Unverified, Have: 100, Limit: 100}}, w.plan.Holds)
	require.Equal(t, w.clock.Add(10*time.Second), w.plan.RecheckAt)
	w.s.WeightVerified = ptr.To(true)
	w.run(false)
	require.Equal(t, "v2=4", w.sizes())
}

// atEnd reports whether all requests are led to the new pods.
func (w *world) atEnd() bool {
	canary, _ := w.weights()
	return canary == 100
}
