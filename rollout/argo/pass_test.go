// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/condition"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/reason"
)

// The pause that a step begins waits for its time from the first pass on, not for a person.
func TestCanaryPauseBegins(t *testing.T) {
	w := newWorld(t, 6, weight(20), pause(60))
	w.run(false)
	w.s.Rollout.TemplateHash = "v2"
	for w.pass() {
		for _, h := range w.plan.Holds {
			require.NotEqual(t, reason.Approval, h.Reason)
		}
	}
	require.Equal(t, []kplan.Hold{{Reason: reason.Pause, Have: 0, Limit: 60}}, w.plan.Holds)
}

// A canary from its first deployment to a promotion, in the pause of
// which nothing moves.
func TestCanaryLife(t *testing.T) {
	w := newWorld(t, 6, weight(20), pause(-1), weight(50), pause(60))
	w.run(false)
	require.Equal(t, "v1=6", w.sizes())
	require.Equal(t, argo.PhaseHealthy, w.s.Rollout.Status.Phase)
	w.s.Rollout.TemplateHash = "v2"
	w.run(false)
	require.Equal(t, "v1=5 v2=1", w.sizes())
	require.Equal(t, argo.PauseStep, w.s.Rollout.Status.Message)
	require.Equal(t, []kplan.Hold{{Reason: reason.Approval, Have: 2, Limit: 4}}, w.plan.Holds)
	w.s.Rollout.Status.PauseConditions = nil
	w.run(false)
	require.Equal(t, "v2=6", w.sizes())
	require.Equal(t, "v2", w.s.Rollout.Status.StableRS)
	require.Equal(t, ptr.To(int32(4)), w.s.Rollout.Status.CurrentStepIndex)
	require.False(t, w.pass(), "nothing changes any more")

	w.s.Rollout.TemplateHash = "v3" // and v3 is given up
	w.run(false)
	w.s.Rollout.Status.Abort = true
	w.run(false)
	require.Equal(t, "v2=6", w.sizes())
	require.Equal(t, argo.PhaseDegraded, w.s.Rollout.Status.Phase)
	require.Equal(t, "RolloutAborted: Rollout aborted update to revision 3", w.s.Rollout.Status.Message)
	require.Equal(t, reason.Aborted, w.plan.Holds[len(w.plan.Holds)-1].Reason)
	w.s.Rollout.Status.Abort = false // a person retries
	w.pass()
	require.Equal(t, "RolloutRetry", condition.Find(w.s.Rollout.Status.Conditions, argo.ConditionProgressing).Reason)
	w.s.Rollout.Paused = true
	w.run(true)
	require.Equal(t, "v2=6", w.sizes(), "a person has paused it")
	require.Equal(t, "manually paused", w.s.Rollout.Status.Message)
	w.s.Rollout.Paused = false
	w.run(true)
	require.Equal(t, "v3=6", w.sizes())
	w.s.Rollout.Replicas = ptr.To(int32(9))
	w.run(true)
	require.Equal(t, "v3=9", w.sizes())
}

// A rollback that skips few revisions takes no step.
func TestRollbackWindow(t *testing.T) {
	w := newWorld(t, 4, weight(25), pause(-1))
	for _, hash := range []string{"v1", "v2", "v3"} {
		w.s.Rollout.TemplateHash, w.clock = hash, w.clock.Add(time.Minute)
		w.run(true)
		require.Equal(t, hash+"=4", w.sizes())
	}
	w.s.Rollout.TemplateHash = "v1"
	w.run(false)
	require.Equal(t, "v1=1 v3=3", w.sizes(), "without a window it pauses")
	w.s.Rollout.RollbackWindow = 1
	w.run(false)
	require.Equal(t, "v1=1 v3=3", w.sizes(), "v2 is in between")
	w.s.Rollout.RollbackWindow = 2
	w.run(false)
	require.Equal(t, "v1=4", w.sizes())
	for pods, index := range map[int32]int32{0: 0, 1: 2} {
		w.s.Rollout.TemplateHash, w.s.Rollout.Status.CurrentPodHash, w.s.Rollout.Status.StableRS = "v1", "v3", "v3"
		w.set("v1").Replicas = pods
		p, err := reconcile(w.s, w.clock)
		require.NoError(t, err)
		require.Equal(t, index, *p.Status.CurrentStepIndex, "the steps are over at once where v1 still has pods")
	}
}

// A template that is new is no rollback: with a window its update takes every step, and
// pauses.
func TestWindowOfNewTemplate(t *testing.T) {
	w := newWorld(t, 4, weight(25), pause(-1))
	w.s.Rollout.RollbackWindow = 1
	w.run(false)
	w.s.Rollout.TemplateHash, w.clock = "v2", w.clock.Add(time.Hour)
	w.run(false)
	require.Equal(t, "v1=3 v2=1", w.sizes())
	require.Equal(t, argo.PauseStep, w.s.Rollout.Status.Message)

	green := newWorld(t, 3).green(argo.BlueGreen{AutoPromotionEnabled: ptr.To(false)})
	green.s.Rollout.RollbackWindow = 1
	green.run(false)
	green.s.Rollout.TemplateHash, green.clock = "v2", green.clock.Add(time.Hour)
	green.run(false)
	require.Equal(t, argo.PauseBlueGreen, green.s.Rollout.Status.Message)
}

// A step that is over in the pass that skips all others leads one past the end, as is
// recorded of upstream for full promotions. The next pass goes back to the end.
func TestStepBehindTheLast(t *testing.T) {
	for _, full := range []bool{false, true} {
		w := newWorld(t, 4, weight(25), weight(50))
		w.s.Rollout.TemplateHash, w.s.Rollout.RollbackWindow = "v1", 1
		if full {
			w.s.Rollout.RollbackWindow, w.s.Rollout.Steps[0] = 0, pause(-1)
		}
		w.s.Rollout.Status = argo.Status{CurrentPodHash: "v1", StableRS: "v2", CurrentStepIndex: ptr.To(int32(0)), PromoteFull: full, ControllerPause: full}
		for i, n := range []int32{1, 3} {
			w.s.Sets = append(w.s.Sets, argo.ReplicaSet{
				Hash: fmt.Sprint("v", i+1), Revision: int64(3 - i), DesiredReplicas: w.s.Rollout.Replicas, CreationTimestamp: now.Add(time.Duration(i)),
				Size: argo.Size{Replicas: n, AvailableReplicas: n, StatusReplicas: n},
			})
		}
		for _, want := range []int32{3, 2} {
			p, err := reconcile(w.s, now)
			require.NoError(t, err)
			require.Equal(t, want, *p.Status.CurrentStepIndex)
			w.s.Rollout.Status = p.Status
		}
	}
}

// A template in between that cannot go yet, and knows an older size of the Rollout, does
// not keep the update from its steps.
func TestResizedTemplateInBetween(t *testing.T) {
	w := newWorld(t, 6, weight(50), pause(-1)).routed(argo.Routing{})
	w.s.Rollout.TemplateHash = "v3"
	w.s.Rollout.Status = argo.Status{CurrentPodHash: "v3", StableRS: "v1", CurrentStepIndex: ptr.To(int32(0))}
	for i, n := range []int32{6, 2, 3} {
		w.s.Sets = append(w.s.Sets, argo.ReplicaSet{
			Hash: fmt.Sprint("v", i+1), DesiredReplicas: ptr.To([]int32{6, 4, 6}[i]), Size: argo.Size{Replicas: n, AvailableReplicas: n, StatusReplicas: n},
		})
	}
	p, err := reconcile(w.s, now)
	require.NoError(t, err)
	require.Equal(t, ptr.To(int32(1)), p.Status.CurrentStepIndex)
}

// Templates in between lose pods that are not available at once, then the newest first,
// as far as enough pods stay available.
func TestOtherTemplates(t *testing.T) {
	w := newWorld(t, 4, weight(50))
	w.s.Rollout.MaxSurge, w.s.Rollout.MaxUnavailable = rollout.Int(2), rollout.Int(0)
	w.s.Rollout.TemplateHash = "v4"
	w.s.Rollout.Status = argo.Status{CurrentPodHash: "v4", StableRS: "v1", CurrentStepIndex: ptr.To(int32(0))}
	for i, size := range []argo.Size{{Replicas: 2, AvailableReplicas: 2}, {Replicas: 2, AvailableReplicas: 2}, {Replicas: 3, AvailableReplicas: 2}, {}} {
		hash := fmt.Sprint("v", i+1)
		w.s.Sets = append(w.s.Sets, argo.ReplicaSet{Hash: hash, Revision: int64(i) + 1, DesiredReplicas: w.s.Rollout.Replicas, Size: size})
	}
	w.s.Sets[1].DesiredReplicas = nil
	p, err := reconcile(w.s, now)
	require.NoError(t, err)
	require.Contains(t, p.String(), "Scaled down replica set v3 from 3 to 0 (OtherTemplate)")
	require.NotContains(t, p.String(), "replica set v2", "there is no room for it, and it is not annotated either")
}

// Without room only pods that are not available go. As upstream, that does not keep the
// pause of a step from beginning in the same pass.
func TestOtherTemplatesWithoutRoom(t *testing.T) {
	w := newWorld(t, 4, weight(50), pause(-1))
	w.s.Rollout.MaxSurge, w.s.Rollout.MaxUnavailable = rollout.Int(2), rollout.Int(0)
	w.s.Rollout.TemplateHash = "v4"
	w.s.Rollout.Status = argo.Status{CurrentPodHash: "v4", StableRS: "v1", CurrentStepIndex: ptr.To(int32(1))}
	for i, size := range []argo.Size{{Replicas: 2, AvailableReplicas: 2}, {Replicas: 1, AvailableReplicas: 1}, {Replicas: 1}, {Replicas: 2, AvailableReplicas: 1}} {
		w.s.Sets = append(w.s.Sets, argo.ReplicaSet{Hash: fmt.Sprint("v", i+1), Revision: int64(i) + 1, Size: size})
	}
	p, err := reconcile(w.s, now)
	require.NoError(t, err)
	require.Contains(t, p.String(), "Scaled down replica set v3 from 1 to 0 (OtherTemplate)")
	require.NotContains(t, p.String(), "replica set v2")
	require.Equal(t, []argo.PauseCondition{{Reason: argo.PauseStep, StartTime: now}}, p.Status.PauseConditions)
}

// Old ReplicaSets of a blue-green update keep their pods for a while, the newest ones,
// and as many as the limit says.
func TestScaleDownLimit(t *testing.T) {
	w := newWorld(t, 4).green(argo.BlueGreen{ScaleDownDelayRevisionLimit: ptr.To(int32(3))})
	w.s.Rollout.TemplateHash = "v6"
	w.s.Rollout.Status = argo.Status{CurrentPodHash: "v6", StableRS: "v6", ActiveSelector: "v6", PreviewSelector: "v6"}
	w.s.Active.Selector = map[string]string{argo.HashLabel: "v6"}
	w.s.Preview.Selector = w.s.Active.Selector
	until := []time.Time{{}, now.Add(time.Minute), now, now.Add(time.Hour), {}, {}}
	for i := range until {
		n := []int32{4, 4, 4, 2, 4, 4}[i]
		w.s.Sets = append(w.s.Sets, argo.ReplicaSet{
			Hash: fmt.Sprint("v", i+1), Revision: int64(i) + 1, DesiredReplicas: w.s.Rollout.Replicas, ScaleDownAt: until[i],
			Size: argo.Size{Replicas: n, AvailableReplicas: n, StatusReplicas: n},
		})
	}
	p, err := reconcile(w.s, now)
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(`
Scaled down replica set v1 from 4 to 0 (ScaleDownDelay)
Scaled down replica set v2 from 4 to 0 (ScaleDownDelay)
Removed scale down deadline of replica set v2 (ScaleDownDelay)
Scaled down replica set v3 from 4 to 0 (ScaleDownDelay)
Removed scale down deadline of replica set v3 (ScaleDownDelay)
Scaled up replica set v4 from 2 to 4 (ScaleDownDelay)
Set scale down deadline of replica set v5 to 2026-03-01T12:00:30Z (ScaleDownDelay)`), p.String(),
		"v5 begins to wait, v4 waits, the time of v3 is over; that of v2 is not, but three are enough")
	require.Equal(t, now.Add(30*time.Second), p.RecheckAt)
}

// Nothing becomes available: after the deadline the update is degraded, or given up.
func TestDeadline(t *testing.T) {
	for _, abort := range []bool{false, true} {
		w := newWorld(t, 2, weight(50))
		w.run(false)
		w.s.Rollout.TemplateHash, w.s.Rollout.ProgressDeadlineAbort = "v2", abort
		for range 8 {
			w.pass()
			for i := range w.s.Sets {
				if w.s.Sets[i].Hash == "v2" {
					w.s.Sets[i].AvailableReplicas, w.s.Sets[i].ReadyReplicas = 0, 0
				}
			}
		}
		at := func(d time.Duration) argo.Status {
			p, err := reconcile(w.s, w.clock.Add(d))
			require.NoError(t, err)
			return p.Status
		}
		require.Equal(t, argo.PhaseProgressing, at(600*time.Second).Phase)
		require.Equal(t, w.clock.Add(600*time.Second+1), w.plan.RecheckAt)
		late := at(600*time.Second + 1)
		require.Equal(t, argo.PhaseDegraded, late.Phase)
		require.Equal(t, abort, late.Abort)
	}
}

// Blue-green, promoted by hand, by time and at once; the old pods stay for
// a while.
func TestBlueGreenLife(t *testing.T) {
	w := newWorld(t, 3).green(argo.BlueGreen{AutoPromotionEnabled: ptr.To(false), PreviewReplicaCount: ptr.To(int32(1))})
	w.run(false)
	require.Equal(t, "v1=3", w.sizes())
	require.Equal(t, argo.PhaseHealthy, w.s.Rollout.Status.Phase)
	w.s.Rollout.TemplateHash = "v2"
	w.run(false)
	require.Equal(t, "v1=3 v2=1", w.sizes())
	require.Equal(t, "v1", w.s.Active.Selector[argo.HashLabel])
	require.Equal(t, "v2", w.s.Preview.Selector[argo.HashLabel])
	require.Equal(t, argo.PauseBlueGreen, w.s.Rollout.Status.Message)
	w.s.Rollout.Status.PauseConditions = nil
	for w.s.Active.Selector[argo.HashLabel] == "v1" {
		require.True(t, w.pass())
	}
	w.pass()
	require.Equal(t, "v1=3 v2=3", w.sizes(), "the old pods serve requests on their way")
	require.Equal(t, 30*time.Second, w.set("v1").ScaleDownAt.Sub(w.clock.Truncate(time.Second)))
	w.run(false)
	require.Equal(t, "v2=3", w.sizes())

	w.s.Rollout.BlueGreen = &argo.BlueGreen{AutoPromotionSeconds: 60}
	w.s.Rollout.TemplateHash = "v3"
	for len(w.s.Rollout.Status.PauseConditions) == 0 {
		require.True(t, w.pass())
	}
	p, err := reconcile(w.s, w.clock)
	require.NoError(t, err)
	require.Empty(t, p.Actions)
	w.pass() // notes the pause
	p, err = reconcile(w.s, w.clock.Add(10*time.Second))
	require.NoError(t, err)
	require.Equal(t, w.clock.Add(60*time.Second), p.RecheckAt)
	require.Equal(t, []kplan.Hold{{Reason: reason.Pause, Have: 10, Limit: 60}}, p.Holds)
	w.s.Rollout.Status.Abort = true
	w.run(false)
	require.Equal(t, "v2=3", w.sizes(), "30 s behind the abort")
	require.Equal(t, "v2", w.s.Active.Selector[argo.HashLabel])
	w.s.Rollout.Status.Abort = false
	w.run(false)
	require.Equal(t, "v3=3", w.sizes(), "promoted when the time was over")
}

// Whatever the steps are: a Rollout whose pauses are approved ends, with all pods of the
// template, and never wants more pods than the surge allows.
func TestEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		replicas := rapid.Int32Range(1, 9).Draw(t, "replicas")
		var steps []argo.Step
		for range rapid.IntRange(0, 4).Draw(t, "steps") {
			steps = append(steps, rapid.SampledFrom([]argo.Step{weight(10), weight(50), weight(80), pause(-1), pause(5)}).Draw(t, "step"))
		}
		w := newWorld(t, replicas, steps...)
		w.s.Rollout.MaxSurge, w.s.Rollout.MaxUnavailable = rollout.Int(rapid.Int32Range(0, 3).Draw(t, "surge")), rollout.Int(rapid.Int32Range(0, 2).Draw(t, "unavailable"))
		if rapid.Bool().Draw(t, "blue green") {
			w.s.Rollout.Steps = nil
			b := argo.BlueGreen{AutoPromotionSeconds: rapid.Int32Range(0, 5).Draw(t, "seconds")}
			if rapid.Bool().Draw(t, "manual") {
				b.AutoPromotionEnabled = ptr.To(false)
			}
			if rapid.Bool().Draw(t, "preview") {
				b.PreviewReplicaCount = ptr.To(rapid.Int32Range(1, replicas).Draw(t, "previewed"))
			}
			w.green(b)
		}
		w.run(true)
		w.s.Rollout.TemplateHash = "v2"
		for range rapid.IntRange(0, 8).Draw(t, "passes") {
			w.pass()
		}
		w.s.Rollout.TemplateHash = rapid.SampledFrom([]string{"v1", "v2", "v3"}).Draw(t, "template")
		if w.s.Rollout.BlueGreen == nil {
			limit := argo.Budget(replicas, w.s.Rollout.MaxSurge, w.s.Rollout.MaxUnavailable).MaxTotal()
			w.check = func() {
				total := int32(0)
				for _, set := range w.s.Sets {
					total += set.Replicas
				}
				if total > limit {
					t.Fatalf("%s, at most %d are allowed", w.sizes(), limit)
				}
			}
		}
		w.run(true)
		if want := fmt.Sprintf("%s=%d", w.s.Rollout.TemplateHash, replicas); w.sizes() != want || w.s.Rollout.Status.Phase != argo.PhaseHealthy {
			t.Fatalf("%s, want %s: %+v %v", w.sizes(), want, w.s.Rollout.Status, w.plan.Holds)
		}
		if w.pass() {
			t.Fatalf("it never settles")
		}
	})
}

// The passes of Argo are pure, total, independent of the order of
// ReplicaSets, and the same through JSON.
func TestReconcileIsPure(t *testing.T) {
	random.Check(t, func(t random.T) {
		s := anyRollout(t)
		p := purity.Check(t, s, func(s argo.Snapshot) (argo.Plan, error) { return reconcile(s, now) }, "Sets", "Pods")
		purity.ThroughJSON(t, p)
		require.NotEmpty(t, p.String())
	})
}

func TestRejects(t *testing.T) {
	s := argo.Snapshot{Sets: []argo.ReplicaSet{{Hash: "a"}, {Hash: "a", Size: argo.Size{Replicas: -1}}}}
	s.Rollout.BlueGreen, s.Rollout.Replicas = &argo.BlueGreen{}, ptr.To(int32(-1))
	_, err := reconcile(s, time.Time{})
	require.ErrorIs(t, err, kplan.ErrInvalid)
	for _, path := range []string{"now", "Rollout.TemplateHash", "Rollout.Replicas", "Active", "Sets[1].Hash", "Sets[1].Replicas"} {
		require.ErrorContains(t, err, path)
	}
}

// A ReplicaSet in between with pods too many ends the removal of those in between. Older
// ones have lost what is not available; the pass goes on as if nothing had gone.
func TestOvercounted(t *testing.T) {
	s := between(t, 4, []argo.Step{weight(50), pause(-1)}, full(2), argo.Size{Replicas: 2, AvailableReplicas: 1}, argo.Size{Replicas: 1, AvailableReplicas: 2}, argo.Size{Replicas: 1}, full(2))
	p, err := reconcile(s, now)
	require.NoError(t, err)
	require.Equal(t, "Scaled down replica set v2 from 2 to 1 (OtherTemplate)", argo.Plan{Actions: p.Actions}.String())
	require.Len(t, p.Status.PauseConditions, 1)
}

// A template and a size that change at once: there is no new ReplicaSet to be scaled, and the
// stable one has to note the size, for until then nothing else is done.
func TestTemplateAndSizeAtOnce(t *testing.T) {
	s := argo.Snapshot{
		Rollout: argo.Rollout{
			Name: "web", TemplateHash: "v2", Replicas: ptr.To(int32(12)), MaxSurge: rollout.Int(1), MaxUnavailable: rollout.Int(0),
			Steps: []argo.Step{{SetWeight: ptr.To(int32(50))}}, Status: argo.Status{CurrentPodHash: "v1", StableRS: "v1", CurrentStepIndex: ptr.To(int32(1))},
		},
		Sets: []argo.ReplicaSet{{
			Name: "web-v1", Hash: "v1", Revision: 1, Size: argo.Size{Replicas: 10, AvailableReplicas: 10, StatusReplicas: 10}, ReadyReplicas: 10, DesiredReplicas: ptr.To(int32(10)),
		}},
	}
	var plans []string
	for range 3 {
		p, err := argo.Reconcile(s, now, argo.Options{})
		require.NoError(t, err)
		plans = append(plans, p.String())
		s, err = p.Apply(s, now)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"Noted size 12 at replica set v1 (Weight)", "nothing to do", "Created replica set v2 with 3 (NewTemplate)\nweb-v2 held back: BatchNotReady (0 of 3)"}, plans,
		"the steps begin anew in between; 12 and a surge of 1 leave room for 3")
}

// Behind the last step the promotion waits for pods that are not available, and says so.
func TestWaitsBehindTheLastStep(t *testing.T) {
	for available, want := range map[int32]string{8: "web-v2 held back: BatchNotReady (8 of 10)", 10: "nothing to do"} {
		p, err := argo.Reconcile(argo.Snapshot{
			Rollout: argo.Rollout{
				Name: "web", TemplateHash: "v2", Replicas: ptr.To(int32(10)), Steps: []argo.Step{{SetWeight: ptr.To(int32(50))}},
				Status: argo.Status{CurrentPodHash: "v2", StableRS: "v1", CurrentStepIndex: ptr.To(int32(1))},
			},
			Sets: []argo.ReplicaSet{
				{Name: "web-v1", Hash: "v1", Revision: 1, DesiredReplicas: ptr.To(int32(10))},
				{Name: "web-v2", Hash: "v2", Revision: 2, Size: argo.Size{Replicas: 10, AvailableReplicas: available, StatusReplicas: 10}, DesiredReplicas: ptr.To(int32(10))},
			},
		}, now, argo.Options{})
		require.NoError(t, err)
		require.Equal(t, want, p.String())
	}
}
