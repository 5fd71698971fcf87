package rollout_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
)

// NextReleaseUnmarked: another update is let in wherever the closing of the release before stands. No pod
// of it is released before its own steps ask for it, however often it changes.
func TestUpdateWhileClosing(t *testing.T) {
	closing := func(c *world) bool {
		return conditionOf(c.r.Status, rollout.ConditionProgressing).Reason == rollout.ProgressFinalising
	}
	for name, arrives := range map[string]func(*world) bool{
		"before the mark is taken": closing,
		"after the mark is taken":  func(c *world) bool { return c.w.Annotations[rollout.AnnotationInProgress] == "" },
		"before giving back":       func(c *world) bool { return c.br != nil && c.br.ReleasePlan.BatchPartition == nil },
		"while giving back":        func(c *world) bool { return c.br != nil && c.br.Status.Phase == rollout.BatchFinalizing },
		"behind giving back":       func(c *world) bool { return c.br != nil && c.br.Status.Phase == rollout.BatchCompleted },
		"without a BatchRelease":   func(c *world) bool { return closing(c) && c.br == nil },
	} {
		for _, again := range []string{"", "v4", "v2"} {
			t.Run(name+", "+again, func(t *testing.T) {
				c := newWorld(t, 6, step(rollout.Percent(20), -1), step(rollout.Percent(100), 0))
				c.opts.Repair = rollout.RepairAll
				c.begin()
				c.run(func() bool { return arrives(c) }, true)
				wanted := "v3"
				c.update(wanted)
				c.deploymentPass()
				if again != "" {
					wanted = again
					c.update(wanted)
				}
				c.run(c.at(1, rollout.StatePaused), false)
				if wanted != "v2" { // which needs no release, since all pods have it
					require.Equal(t, map[string]int32{"v1": 0, "v2": 4, wanted: 2}, c.sizes)
				}
				c.run(c.phase(rollout.PhaseHealthy), true)
				require.EqualValues(t, 6, c.sizes[wanted])
				require.False(t, c.w.Paused)
				require.Empty(t, withoutEmpty(c.w.Annotations))
				require.NotContains(t, c.w.Labels, stableLabel)
			})
		}
	}
}

// NextReleaseUnmarked again: what comes while a rollback is closed is released in steps as well, and what
// comes while a Rollout is deleted is not.
func TestUpdateWhileCancelling(t *testing.T) {
	for _, deleted := range []bool{false, true} {
		c := newWorld(t, 6, step(rollout.Percent(20), -1), step(rollout.Percent(100), 0))
		c.opts.Repair = rollout.RepairAll
		c.begin()
		c.run(c.at(1, rollout.StatePaused), false)
		c.update("v1")
		c.run(func() bool { return c.w.Annotations[rollout.AnnotationInProgress] == "" }, false)
		require.Equal(t, rollout.ReasonReleaseBegins, c.update("v3").Reason)
		if deleted {
			c.r.DeletionTimestamp = c.clock
			c.run(func() bool { return len(c.r.Finalizers) == 0 }, false)
			require.NotContains(t, c.w.Labels, stableLabel)
			require.NotContains(t, c.w.Annotations, rollout.AnnotationInProgress)
			continue
		}
		c.run(func() bool { return c.r.Status.Sub.Revision == "v3" && c.at(1, rollout.StatePaused)() }, false)
		require.Equal(t, map[string]int32{"v1": 4, "v2": 0, "v3": 2}, c.sizes)
		c.run(c.phase(rollout.PhaseHealthy), true)
		require.Equal(t, map[string]int32{"v1": 0, "v2": 0, "v3": 6}, c.sizes)
		require.False(t, c.w.Paused)
	}
}

// NextReleaseUnmarked of the other drivers: what admission holds for the next release stays held.
func TestGiveBackHoldsTheNext(t *testing.T) {
	for _, c := range []struct {
		ref    rollout.WorkloadRef
		style  rollout.Style
		repair rollout.Quirks
		holds  bool
	}{
		{deployment, rollout.Partition, 0, false},
		{deployment, rollout.Partition, rollout.NextReleaseUnmarked, true},
		{deployment, rollout.Canary, rollout.NextReleaseUnmarked, true},
		{deployment, rollout.BlueGreen, rollout.NextReleaseUnmarked, true},
	} {
		br := release(c.style, rollout.Percent(100))
		br.ReleasePlan.BatchPartition, br.ReleasePlan.FinalizingPolicy = nil, rollout.WaitResume
		br.Status.Phase = rollout.BatchFinalizing
		br.Finalizers = []string{rollout.FinalizerBatchRelease}
		w := rollout.Workload{
			WorkloadRef: c.ref, Replicas: new(int32(4)), Paused: true, UpdateRevision: "v3", StrategyType: "Recreate",
			Labels: map[string]string{stableLabel: "v2"},
			Annotations: map[string]string{
				rollout.AnnotationInProgress: "{}", rollout.AnnotationControlInfo: rollout.ControlInfo(br.Name, br.UID), rollout.AnnotationOriginalStrategy: "{}",
			},
		}
		w.Status.Replicas, w.Status.ReadyReplicas, w.Status.AvailableReplicas = 4, 4, 4
		p, write := rollout.ReleasePatch(br, w, rollout.BatchOptions{Repair: c.repair})
		require.True(t, write)
		require.Equal(t, c.holds, *p.Paused, c.style)
		_, removed := p.Labels[stableLabel]
		require.Equal(t, c.holds, !removed, c.style)
		var plan rollout.BatchPlan
		for range 2 { // the first pass notes what it has observed
			var err error
			plan, err = planBatch(rollout.BatchSnapshot{Release: br, Workload: &w}, now, rollout.BatchOptions{Repair: c.repair})
			require.NoError(t, err)
			br.Status = plan.Status
		}
		require.Equal(t, rollout.BatchCompleted, plan.Status.Phase, "it waits for no pods: %v", plan.Failure)
	}
}

// StableServicePinnedForEver again: when all pods are updated somebody jumps back, or takes the template back. The
// stable Service is never pinned to a revision without pods.
func TestPinsPods(t *testing.T) {
	half, all := step(rollout.Percent(50), -1), step(rollout.Percent(100), -1)
	half.Traffic = rollout.Percent(50)
	for name, act := range map[string]func(*world){
		"jumps back":          func(c *world) { c.r.Status.Sub.NextStepIndex = 1 },
		"taken back":          func(c *world) { c.update("v1") },
		"changes":             func(c *world) { c.update("v3") },
		"changes and returns": func(c *world) { c.update("v3"); c.update("v2") },
	} {
		for _, corrected := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", ", corrected), func(t *testing.T) {
				c := newWorld(t, 6, half, all)
				if corrected {
					c.opts.Repair = rollout.RepairAll
				}
				c.led(0)
				c.begin()
				c.run(func() bool { return c.sizes["v2"] == 6 }, true)
				act(c)
				empty := ""
				c.run(func() bool {
					if pin := c.traffic.Stable.Selector[rollout.LabelPodTemplateHash]; pin != "" && c.sizes[pin] == 0 {
						empty = pin
					}
					return c.r.Status.Phase == rollout.PhaseHealthy
				}, true)
				require.Equal(t, !corrected && name != "changes and returns", empty != "")
				if corrected {
					require.Equal(t, rollout.PhaseHealthy, c.r.Status.Phase)
					require.EqualValues(t, 6, c.sizes[c.w.Template.ID])
					require.False(t, c.w.Paused)
				}
			})
		}
	}
}
