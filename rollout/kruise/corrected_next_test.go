// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// NextReleaseUnmarked: another update is let in wherever the closing of the release before stands. No pod
// of it is released before its own steps ask for it, however often it changes.
func TestUpdateWhileClosing(t *testing.T) {
	closing := func(c *world) bool {
		return conditionOf(c.r.Status, workload.ConditionProgressing).Reason == kruise.ProgressFinalising
	}
	for name, arrives := range map[string]func(*world) bool{
		"before the mark is taken": closing,
		"after the mark is taken":  func(c *world) bool { return c.w.Annotations[workload.AnnotationInProgress] == "" },
		"before giving back":       func(c *world) bool { return c.br != nil && c.br.ReleasePlan.BatchPartition == nil },
		"while giving back":        func(c *world) bool { return c.br != nil && c.br.Status.Phase == batchrelease.PhaseFinalizing },
		"behind giving back":       func(c *world) bool { return c.br != nil && c.br.Status.Phase == batchrelease.PhaseCompleted },
		"without a BatchRelease":   func(c *world) bool { return closing(c) && c.br == nil },
	} {
		for _, again := range []string{"", "v4", "v2"} {
			t.Run(name+", "+again, func(t *testing.T) {
				c := newWorld(t, 6, step(rollout.Percent(20), -1), step(rollout.Percent(100), 0))
				c.opts.Repair = quirk.All
				c.begin()
				c.run(func() bool { return arrives(c) }, true)
				wanted := "v3"
				c.update(wanted)
				c.deploymentPass()
				if again != "" {
					wanted = again
					c.update(wanted)
				}
				c.run(c.at(1, kruise.StatePaused), false)
				if wanted != "v2" { // which needs no release, since all pods have it
					require.Equal(t, map[string]int32{"v1": 0, "v2": 4, wanted: 2}, c.sizes)
				}
				c.run(c.phase(kruise.PhaseHealthy), true)
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
		c.opts.Repair = quirk.All
		c.begin()
		c.run(c.at(1, kruise.StatePaused), false)
		c.update("v1")
		c.run(func() bool { return c.w.Annotations[workload.AnnotationInProgress] == "" }, false)
		require.Equal(t, reason.ReleaseBegins, c.update("v3").Reason)
		if deleted {
			c.r.DeletionTimestamp = c.clock
			c.run(func() bool { return len(c.r.Finalizers) == 0 }, false)
			require.NotContains(t, c.w.Labels, stableLabel)
			require.NotContains(t, c.w.Annotations, workload.AnnotationInProgress)
			continue
		}
		c.run(func() bool { return c.r.Status.Sub.Revision == "v3" && c.at(1, kruise.StatePaused)() }, false)
		require.Equal(t, map[string]int32{"v1": 4, "v2": 0, "v3": 2}, c.sizes)
		c.run(c.phase(kruise.PhaseHealthy), true)
		require.Equal(t, map[string]int32{"v1": 0, "v2": 0, "v3": 6}, c.sizes)
		require.False(t, c.w.Paused)
	}
}

// NextReleaseUnmarked of the other drivers: what admission holds for the next release stays held.
func TestGiveBackHoldsTheNext(t *testing.T) {
	for _, c := range []struct {
		ref    workload.Ref
		style  workload.Style
		repair quirk.Set
		holds  bool
	}{
		{deployment, workload.Partition, 0, false},
		{deployment, workload.Partition, quirk.NextReleaseUnmarked, true},
		{deployment, workload.Canary, quirk.NextReleaseUnmarked, true},
		{deployment, workload.BlueGreen, quirk.NextReleaseUnmarked, true},
	} {
		br := release(c.style, rollout.Percent(100))
		br.ReleasePlan.BatchPartition, br.ReleasePlan.FinalizingPolicy = nil, batchrelease.WaitResume
		br.Status.Phase = batchrelease.PhaseFinalizing
		br.Finalizers = []string{workload.FinalizerBatchRelease}
		w := workload.Workload{
			Ref: c.ref, Replicas: ptr.To(int32(4)), Paused: true, UpdateRevision: "v3", StrategyType: "Recreate",
			Labels: map[string]string{stableLabel: "v2"},
			Annotations: map[string]string{
				workload.AnnotationInProgress: "{}", partition.AnnotationControlInfo: workload.ControlInfo(br.Name, br.UID), workload.AnnotationOriginalStrategy: "{}",
			},
		}
		w.Status.Replicas, w.Status.ReadyReplicas, w.Status.AvailableReplicas = 4, 4, 4
		p, write := batchrelease.ReleasePatch(br, w, batchrelease.Options{Repair: c.repair})
		require.True(t, write)
		require.Equal(t, c.holds, *p.Paused, c.style)
		_, removed := p.Labels[stableLabel]
		require.Equal(t, c.holds, !removed, c.style)
		var plan batchrelease.Plan
		for range 2 { // the first pass notes what it has observed
			var err error
			plan, err = planBatch(batchrelease.Snapshot{Release: br, Workload: &w}, now, batchrelease.Options{Repair: c.repair})
			require.NoError(t, err)
			br.Status = plan.Status
		}
		require.Equal(t, batchrelease.PhaseCompleted, plan.Status.Phase, "it waits for no pods: %v", plan.Failure)
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
					c.opts.Repair = quirk.All
				}
				c.led(0)
				c.begin()
				c.run(func() bool { return c.sizes["v2"] == 6 }, true)
				act(c)
				empty := ""
				c.run(func() bool {
					if pin := c.traffic.Stable.Selector[workload.LabelPodTemplateHash]; pin != "" && c.sizes[pin] == 0 {
						empty = pin
					}
					return c.r.Status.Phase == kruise.PhaseHealthy
				}, true)
				require.Equal(t, !corrected && name != "changes and returns", empty != "")
				if corrected {
					require.Equal(t, kruise.PhaseHealthy, c.r.Status.Phase)
					require.EqualValues(t, 6, c.sizes[c.w.Template.ID])
					require.False(t, c.w.Paused)
				}
			})
		}
	}
}
