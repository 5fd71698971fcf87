// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
)

// An update that is aborted, and whose pods are gone, gets none when stable pods are
// missing: because the Rollout grows, or because some are lost.
func TestAbortedUpdateGetsNoPods(t *testing.T) {
	for _, c := range []struct {
		why     string
		missing func(w *world)
		kept    int32
	}{
		{"the Rollout grows", func(w *world) {
			w.s.Rollout.Replicas = ptr.To(int32(8))
			w.pass()
			w.set("v1").AvailableReplicas = 4
		}, 2},
		{"stable pods are lost", func(w *world) { w.set("v1").AvailableReplicas = 1 }, 1},
	} {
		for repair, want := range map[quirk.Set]int32{0: c.kept, quirk.AbortGetsPodsAgain: 0} {
			w := newWorld(t, 4, weight(25), pause(-1))
			w.s.Rollout.Routing, w.repair = &argo.Routing{DynamicStableScale: true}, repair
			w.run(false)
			w.s.Rollout.TemplateHash = "v2"
			w.run(false)
			require.Equal(t, "v1=3 v2=1", w.sizes())
			w.s.Rollout.Status.Abort = true
			w.run(false)
			require.Equal(t, "v1=4", w.sizes())

			c.missing(w)
			w.pass()
			require.Equal(t, want, w.set("v2").Replicas, "%s, %v", c.why, repair)
			require.Equal(t, int32(0), w.s.Rollout.Status.Weights.Canary.Weight, "no request is led to them")
			w.run(false) // all pods come
			require.Zero(t, w.set("v2").Replicas)
			require.Equal(t, *w.s.Rollout.Replicas, w.set("v1").Replicas)
		}
	}
}

// Requests that are still led to an aborted update get as many pods as they need, and no
// more.
func TestAbortedUpdateServesWhatIsLedToIt(t *testing.T) {
	for _, c := range []struct {
		why            string
		led            int32
		kept, repaired int32
	}{
		{"half of 8 are 4 pods", 50, 4, 4},
		{"a quarter are 2, and 50 is the step that serves less than the 6 that are missing", 25, 4, 2},
		{"a tenth is 1, and no pod that is there goes", 10, 4, 2},
	} {
		r := argo.Canary{
			Replicas: ptr.To(int32(8)), Steps: []argo.Step{weight(25), weight(50), weight(75)}, TrafficRouting: true, DynamicStableScale: true,
			Abort: true, CurrentPodHash: "v2", StableRS: "v1", Weights: &argo.Weights{Canary: c.led, Stable: 100 - c.led},
			Canary: &argo.Size{Replicas: 2, AvailableReplicas: 2}, Stable: &argo.Size{Replicas: 8, AvailableReplicas: 2},
		}
		require.Equal(t, c.kept, r.Counts().Canary, c.why)
		stable := r.Counts().Stable
		r.Repair = quirk.AbortGetsPodsAgain
		require.Equal(t, argo.Counts{Canary: c.repaired, Stable: stable}, r.Counts(), c.why)
		r.Weights = nil
		require.Equal(t, argo.Counts{Canary: 4, Stable: 4}, r.Counts(), "nobody knows how requests are led")
	}
}

// Where the update is promoted or a scale is in force nothing follows the stable pods back.
func TestAbortedScaleInForce(t *testing.T) {
	scale := argo.Step{SetCanaryScale: &argo.CanaryScale{Weight: ptr.To(int32(50))}}
	r := argo.Canary{
		Replicas: ptr.To(int32(8)), Steps: []argo.Step{scale}, TrafficRouting: true, DynamicStableScale: true, AbortScaleDownDelaySeconds: ptr.To(int32(0)),
		Abort: true, CurrentPodHash: "v2", StableRS: "v1", Weights: &argo.Weights{Stable: 100}, Canary: &argo.Size{}, Stable: &argo.Size{Replicas: 8},
		Repair: quirk.AbortGetsPodsAgain,
	}
	require.Equal(t, int32(4), r.Counts().Canary, "an abort delay of 0 keeps the pods of the step")
	r.Steps, r.StableRS = []argo.Step{weight(25)}, "v2"
	require.Equal(t, int32(8), r.Counts().Canary, "the new ReplicaSet is the stable one")
}

// A pause that is in force ends when it would, also while unavailable pods go.
func TestPauseInForceWhilePodsGo(t *testing.T) {
	s := between(t, 4, []argo.Step{weight(50), pause(60)}, full(2), argo.Size{Replicas: 1}, full(2))
	s.Rollout.Status.ControllerPause, s.Rollout.Status.PauseConditions = true, []argo.PauseCondition{{Reason: argo.PauseStep, StartTime: now}}
	s.Rollout.Status.Conditions = []kplan.Condition{{Type: argo.ConditionProgressing, Status: "Unknown", Reason: "RolloutPaused"}, {Type: argo.ConditionPaused, Status: "True", Reason: "RolloutPaused"}}
	for _, repair := range []quirk.Set{0, quirk.PauseBeginsWhilePodsGo} {
		p, err := repaired(s, now, repair)
		require.NoError(t, err)
		require.Equal(t, "Scaled down replica set v2 from 1 to 0 (OtherTemplate)", actions(p))
		require.Equal(t, now.Add(time.Minute), p.RecheckAt, "%v", repair)
	}
}

// empty has 0 replicas of v1, in each of the ways in which an update waits for a person.
func empty(t *testing.T, repair quirk.Set) map[string]*world {
	scale := argo.Step{SetCanaryScale: &argo.CanaryScale{Replicas: ptr.To(int32(1))}}
	list := map[string]*world{
		"basic":      newWorld(t, 0, weight(50), pause(-1)),
		"routed":     newWorld(t, 0, scale, pause(-1), weight(50), pause(-1)),
		"analysis":   newWorld(t, 0, argo.Step{Other: argo.StepAnalysis}),
		"blue-green": newWorld(t, 0).green(argo.BlueGreen{AutoPromotionEnabled: ptr.To(false), PreviewReplicaCount: ptr.To(int32(1))}),
		"analysed":   newWorld(t, 0).green(argo.BlueGreen{PrePromotionAnalysis: true, PostPromotionAnalysis: true}),
	}
	list["routed"].s.Rollout.Routing = &argo.Routing{}
	for why, w := range list {
		w.repair = repair
		w.run(false)
		require.Equal(t, "v1", w.s.Rollout.Status.StableRS, why)
		w.s.Rollout.TemplateHash = "v2"
	}
	return list
}

// With 0 replicas an update starts pods and waits for a person, as upstream has it.
// Repaired, it starts none and is promoted, and the Rollout grows with the new template.
func TestUpdateOfNothing(t *testing.T) {
	pods := map[string]string{"routed": "v2=1", "blue-green": "v2=1"}
	for why, w := range empty(t, 0) {
		w.run(false)
		require.Equal(t, "v1", w.s.Rollout.Status.StableRS, why)
		require.Equal(t, pods[why], w.sizes(), why)
	}
	for why, w := range empty(t, quirk.ZeroReplicasTakeSteps) {
		w.check = func() { require.Equal(t, "", w.sizes(), why) }
		w.run(false)
		require.Equal(t, "v2", w.s.Rollout.Status.StableRS, why)
		require.Equal(t, argo.PhaseHealthy, w.s.Rollout.Status.Phase, why)
		require.False(t, w.s.Rollout.Status.ControllerPause, why)
		if n := len(w.s.Rollout.Steps); n > 0 {
			require.Equal(t, int32(n), *w.s.Rollout.Status.CurrentStepIndex, why)
		}
		w.check, w.s.Rollout.Replicas = nil, ptr.To(int32(3))
		w.run(false)
		require.Equal(t, "v2=3", w.sizes(), why)
	}
}

// What a person has paused or given up is not promoted, and starts no pod either.
func TestUpdateOfNothingThatStays(t *testing.T) {
	for why, stop := range map[string]func(*argo.Rollout){
		"paused": func(r *argo.Rollout) { r.Paused = true }, "aborted": func(r *argo.Rollout) { r.Status.Abort = true },
	} {
		for how, w := range empty(t, quirk.ZeroReplicasTakeSteps) {
			w.check = func() { require.Equal(t, "", w.sizes(), how) }
			if why == "aborted" && w.s.Rollout.BlueGreen == nil {
				w.pass() // the steps begin anew, which takes an abort back
			} else if why == "aborted" {
				w.s.Rollout.Status.CurrentPodHash = "v2"
			}
			stop(&w.s.Rollout)
			w.run(false)
			require.Equal(t, "v1", w.s.Rollout.Status.StableRS, "%s, %s", why, how)
		}
	}
}

// Repaired, the stable one of two Services that take turns selects the stable pods from the
// first update on, and no Service with requests ever selects others.
func TestPingPongRepaired(t *testing.T) {
	w := newWorld(t, 4, weight(50), pause(-1)).turning(argo.Routing{})
	w.repair = quirk.StablePingPongSelectsAll
	w.run(false)
	require.Equal(t, "v1", w.s.Ping.Selector[argo.HashLabel])
	require.Empty(t, w.s.Pong.Selector)
	w.check = func() {
		for _, s := range []*argo.Service{w.s.Ping, w.s.Pong} {
			if s.Name == w.led.Stable.Service && w.led.Stable.Weight > 0 {
				require.Equal(t, w.led.Stable.Hash, s.Selector[argo.HashLabel])
			}
		}
	}
	for _, hash := range []string{"v2", "v3"} {
		w.s.Rollout.TemplateHash = hash
		w.run(true)
		require.Equal(t, hash+"=4", w.sizes())
	}
}

// A Service that nobody manages yet leads its requests elsewhere once all pods there are
// available, one that is managed once one is.
func TestPingPongRepairedWaits(t *testing.T) {
	for _, c := range []struct {
		managed   bool
		available int32
		want      string
	}{{false, 3, ""}, {false, 4, "v1"}, {true, 0, ""}, {true, 1, "v1"}} {
		s := between(t, 4, []argo.Step{weight(50)}, argo.Size{Replicas: 4, AvailableReplicas: c.available}, argo.Size{})
		s.Rollout.Routing, s.Ping, s.Pong = &argo.Routing{}, &argo.Service{Name: "ping"}, &argo.Service{Name: "pong", Managed: c.managed}
		p, err := repaired(s, now, quirk.StablePingPongSelectsAll)
		require.NoError(t, err)
		s, err = p.Apply(s, now)
		require.NoError(t, err)
		require.Equal(t, c.want, s.Pong.Selector[argo.HashLabel], "%+v", c)
	}
}
