// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
)

// The table, the weights and the worked passes of Argo.
func TestCounts(t *testing.T) {
	for _, c := range []struct{ replicas, weight, surge, canary, stable int32 }{
		{10, 20, 1, 2, 8}, {3, 50, 1, 2, 2}, {3, 50, 0, 2, 1}, {1, 50, 1, 1, 1}, {1, 50, 0, 1, 0}, {5, 10, 0, 1, 4}, {6, 20, 2, 1, 5}, {0, 50, 1, 0, 0},
		{6, 50, 2, 3, 3}, {6, 100, 2, 6, 0}, {6, 0, 2, 0, 6},
	} {
		require.Equal(t, argo.Counts{Canary: c.canary, Stable: c.stable}, argo.Approximate(c.replicas, c.weight, 100, c.surge), "%+v", c)
	}
	weight := func(w int32) argo.Step { return argo.Step{SetWeight: &w} }
	index := func(i int32) *int32 { return &i }
	steps := []argo.Step{{Pause: &argo.Pause{}}, weight(10), {Pause: &argo.Pause{}}, weight(40)}
	for _, c := range []struct {
		why    string
		change func(r *argo.Canary)
		want   int32
	}{
		{"none yet", func(r *argo.Canary) { r.CurrentStepIndex = index(0) }, 0}, {"at it", func(r *argo.Canary) { r.CurrentStepIndex = index(1) }, 10},
		{"the last before", func(r *argo.Canary) { r.CurrentStepIndex = index(2) }, 10}, {"behind the end", func(r *argo.Canary) { r.CurrentStepIndex = index(4) }, 100},
		{"no steps", func(r *argo.Canary) { r.Steps = nil }, 100}, {"aborted", func(r *argo.Canary) { r.Abort = true }, 0},
		{"promoted in full, aborted or not", func(r *argo.Canary) { r.PromoteFull, r.Abort = true, true }, 100},
		{"no stable one", func(r *argo.Canary) { r.StableRS = "" }, 100}, {"it is the stable one", func(r *argo.Canary) { r.CurrentPodHash = "s" }, 100},
	} {
		r := argo.Canary{Steps: steps, CurrentStepIndex: index(1), CurrentPodHash: "n", StableRS: "s"}
		c.change(&r)
		require.Equal(t, c.want, r.DesiredWeight(), c.why)
	}
	for _, c := range []struct{ replicas, weight, surge, unavailable, canary, stable, wantCanary, wantStable int32 }{
		{10, 10, 1, 1, 0, 10, 1, 9}, {10, 30, 3, 0, 0, 10, 3, 10}, {10, 30, 0, 5, 0, 10, 0, 7}, {1, 5, 1, 0, 0, 1, 1, 1},
	} {
		set := func(n int32) *argo.Size {
			return &argo.Size{Replicas: n, AvailableReplicas: n, StatusReplicas: n}
		}
		r := argo.Canary{
			Replicas: &c.replicas, MaxSurge: rollout.Int(c.surge), MaxUnavailable: rollout.Int(c.unavailable), Steps: []argo.Step{weight(c.weight)},
			CurrentStepIndex: index(0), CurrentPodHash: "n", StableRS: "s", Canary: set(c.canary), Stable: set(c.stable),
		}
		require.Equal(t, argo.Counts{Canary: c.wantCanary, Stable: c.wantStable}, r.Basic(), "%+v", c)
		r.Others = []argo.Size{{Replicas: 1}}
		require.Equal(t, c.stable, r.Basic().Stable, "other templates have pods: nothing shrinks")
	}
}

// Sizes with traffic routing.
func TestRoutedCounts(t *testing.T) {
	weight := func(w int32) argo.Step { return argo.Step{SetWeight: &w} }
	scale := func(s argo.CanaryScale) argo.Step { return argo.Step{SetCanaryScale: &s} }
	for _, c := range []struct {
		why            string
		change         func(r *argo.Canary)
		canary, stable int32
	}{
		{"25% of 10, rounded up", func(r *argo.Canary) {}, 3, 10},
		{"of another largest weight", func(r *argo.Canary) { r.MaxTrafficWeight = 1000 }, 1, 10},
		{"so many pods", func(r *argo.Canary) {
			r.Steps = append(r.Steps, scale(argo.CanaryScale{Replicas: ptr.To(int32(7))}))
		}, 7, 10},
		{"so much weight", func(r *argo.Canary) {
			r.Steps = append(r.Steps, scale(argo.CanaryScale{Weight: ptr.To(int32(50))}))
		}, 5, 10},
		{"as the traffic again", func(r *argo.Canary) {
			r.Steps = append(r.Steps, scale(argo.CanaryScale{Replicas: ptr.To(int32(7)), MatchTrafficWeight: true}))
		}, 3, 10},
		{"at least", func(r *argo.Canary) { r.MinPodsPerReplicaSet = ptr.To(int32(4)) }, 4, 10},
		{"but no more than there are", func(r *argo.Canary) { r.MinPodsPerReplicaSet = ptr.To(int32(99)) }, 10, 10},
		{"not of so many pods", func(r *argo.Canary) {
			r.MinPodsPerReplicaSet, r.Steps = ptr.To(int32(4)), append(r.Steps, scale(argo.CanaryScale{Replicas: ptr.To(int32(2))}))
		}, 2, 10},
		{"the stable ones follow", func(r *argo.Canary) { r.DynamicStableScale = true }, 3, 8},
		{"but not before the traffic", func(r *argo.Canary) {
			r.DynamicStableScale, r.Weights = true, &argo.Weights{Stable: 95, Canary: 5}
		}, 3, 10},
		{"dynamic, so many pods: the weight is 0", func(r *argo.Canary) {
			r.DynamicStableScale, r.Steps = true, append(r.Steps, scale(argo.CanaryScale{Replicas: ptr.To(int32(2))}))
		}, 2, 10},
		{"aborted", func(r *argo.Canary) { r.Abort = true }, 0, 10},
		{"aborted: a scale is ignored", func(r *argo.Canary) {
			r.Abort, r.Steps = true, append(r.Steps, scale(argo.CanaryScale{Replicas: ptr.To(int32(2))}))
		}, 0, 10},
		{"unless its pods are kept forever", func(r *argo.Canary) {
			r.Abort, r.AbortScaleDownDelaySeconds, r.Steps = true, ptr.To(int32(0)), append(r.Steps, scale(argo.CanaryScale{Replicas: ptr.To(int32(2))}))
		}, 2, 10},
	} {
		r := argo.Canary{Replicas: ptr.To(int32(10)), TrafficRouting: true, Steps: []argo.Step{weight(25)}, CurrentPodHash: "n", StableRS: "s"}
		c.change(&r)
		r.CurrentStepIndex = ptr.To(int32(len(r.Steps) - 1))
		require.Equal(t, argo.Counts{Canary: c.canary, Stable: c.stable}, r.Routed(), c.why)
	}
	pods, percent := &argo.Threshold{Type: "Pods", Value: 3}, &argo.Threshold{Type: "Percent", Value: 30}
	var none *argo.Threshold
	odd := &argo.Threshold{Type: "odd", Value: 3} // is a number of pods, as Argo reads it
	for _, c := range []struct {
		threshold                *argo.Threshold
		spec, available, desired int32
		want                     bool
	}{
		{none, 10, 10, 10, true}, {none, 10, 9, 10, false}, {none, 9, 10, 10, false}, {&argo.Threshold{Type: "Pods", Value: -1}, 10, 9, 10, false},
		{pods, 10, 3, 10, true}, {pods, 10, 2, 10, false}, {percent, 10, 3, 10, true}, {percent, 10, 2, 10, false}, {percent, 0, 0, 0, true},
		{&argo.Threshold{Type: "Percent", Value: 2_000_000}, 1, 20_000, 1, true}, // exactly, where the tolerance is lost in rounding
		{odd, 10, 10, 10, true}, {odd, 10, 2, 10, false}, {odd, 9, 10, 10, true}, {odd, 10, 3, 10, true},
		{&argo.Threshold{Value: 3}, 10, 3, 10, true}, {&argo.Threshold{Value: 3}, 10, 2, 10, false},
	} {
		require.Equal(t, c.want, c.threshold.Met(c.spec, c.available, c.desired), "%+v", c)
	}
	// An aborted canary whose stable pods come back serves what they do not yet, and
	// what its own pods can, unless these are about to go.
	for _, c := range []struct {
		delay *int32
		want  int32
	}{{nil, 60}, {ptr.To(int32(0)), 60}, {ptr.To(int32(30)), 20}} {
		r := argo.Canary{
			Replicas: ptr.To(int32(10)), TrafficRouting: true, DynamicStableScale: true, Abort: true, AbortScaleDownDelaySeconds: c.delay,
			Stable: &argo.Size{AvailableReplicas: 6}, Canary: &argo.Size{AvailableReplicas: 8},
			Steps: []argo.Step{weight(20), weight(60), weight(90)}, CurrentPodHash: "n", StableRS: "s",
		}
		require.Equal(t, c.want, r.CanaryWeight(), "%v", c.delay)
	}
	// Delays: 30 s, none without traffic routing, no abort delay with 0.
	for _, c := range []struct {
		style      argo.Style
		configured *int32
		down       int32
		abort      *int32
	}{
		{argo.StyleCanary, ptr.To(int32(5)), 0, ptr.To(int32(0))}, {argo.StyleRouted, nil, 30, ptr.To(int32(30))},
		{argo.StyleBlueGreen, ptr.To(int32(5)), 5, ptr.To(int32(5))}, {argo.StyleRouted, ptr.To(int32(0)), 0, nil},
	} {
		require.Equal(t, c.down, argo.ScaleDownDelay(c.style, c.configured))
		abort, _ := argo.AbortDelay(c.style, c.configured)
		require.Equal(t, c.abort, abort)
	}
}
