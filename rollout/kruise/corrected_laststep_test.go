// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	batchreleasereason "github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/kruise"
	kruisereason "github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// closes goes on until the release is being closed.
func (c *world) closes() {
	c.run(func() bool {
		return conditionOf(c.r.Status, workload.ConditionProgressing).Reason == kruise.ProgressFinalising
	}, true)
}

// LastStepNotAwaited: behind a last step of 50% the Deployment itself updates the rest of its pods, once
// it is given back, which takes a while.
func lastStep(t *testing.T, o kruise.Options) string {
	c := newWorld(t, 6, step(rollout.Percent(50), 0))
	c.opts = o
	c.begin()
	c.closes()
	for range 20 {
		c.rolloutPass()
		c.batchPass()
	}
	require.False(t, c.w.Paused)
	text := fmt.Sprintf("%s with %d of 6 updated", c.r.Status.Phase, c.sizes["v2"])
	c.deploymentPass()
	c.run(c.phase(kruise.PhaseHealthy), false)
	require.Equal(t, kruise.PhaseHealthy, c.r.Status.Phase)
	require.Nil(t, c.br)
	require.Equal(t, "v1 0, v2 6, running", c.end())
	return text
}

// LastStepNotAwaited, its edges: only a success waits, and only for pods that are not updated.
func TestGiveBackWaitsForTheRest(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(br *batchrelease.Release, w *workload.Workload)
		want   kplan.Hold
	}{
		{"all are updated, available or not", func(_ *batchrelease.Release, w *workload.Workload) { w.Status.UpdatedReplicas = 4 }, kplan.Hold{}},
		{"some are not", func(*batchrelease.Release, *workload.Workload) {}, kplan.Hold{Reason: batchreleasereason.NotPromoted, Have: 2, Limit: 4}},
		{"an old pod of the surge goes last", func(_ *batchrelease.Release, w *workload.Workload) {
			w.Status.Replicas, w.Status.UpdatedReplicas = 5, 4
		}, kplan.Hold{Reason: batchreleasereason.NotPromoted, Have: 4, Limit: 5}},
		{"scaled up", func(_ *batchrelease.Release, w *workload.Workload) {
			w.Status.Replicas, w.Status.UpdatedReplicas = 3, 3
		},
			kplan.Hold{Reason: batchreleasereason.NotPromoted, Have: 3, Limit: 4}},
		{"its status is that of before", func(_ *batchrelease.Release, w *workload.Workload) { w.Status.UpdatedReplicas, w.Generation = 4, 2 },
			kplan.Hold{Reason: batchreleasereason.NotObserved, Have: 1, Limit: 2}},
		{"it is given up", func(br *batchrelease.Release, _ *workload.Workload) {
			br.ReleasePlan.FinalizingPolicy = batchrelease.Immediate
		}, kplan.Hold{}},
		{"the next update is held", func(_ *batchrelease.Release, w *workload.Workload) {
			w.Annotations = map[string]string{workload.AnnotationInProgress: "{}"}
			w.Labels = map[string]string{stableLabel: "v1"}
		}, kplan.Hold{}},
		{"a CloneSet", func(br *batchrelease.Release, w *workload.Workload) {
			br.WorkloadRef, w.Ref = cloneSet, cloneSet
		}, kplan.Hold{}},
	} {
		br := release(workload.Partition, rollout.Percent(50))
		br.ReleasePlan.BatchPartition, br.ReleasePlan.FinalizingPolicy = nil, batchrelease.WaitResume
		w := workload.Workload{Ref: deployment, Generation: 1, Replicas: ptr.To(int32(4)), UpdateRevision: "v2"}
		w.Status = workload.Status{ObservedGeneration: 1, Replicas: 4, UpdatedReplicas: 2}
		c.change(&br, &w)
		br.Status = batchrelease.Status{Phase: batchrelease.PhaseFinalizing, ObservedReleasePlanHash: br.ReleasePlan.Hash(), ObservedWorkloadReplicas: 4,
			Current: batchrelease.CurrentBatch{UpdatedReplicas: w.Status.UpdatedReplicas}}
		for _, corrected := range []bool{false, true} {
			o := kruise.Options{Repair: quirk.NextReleaseUnmarked}
			if corrected {
				o.Repair |= quirk.LastStepNotAwaited
			}
			p, err := planBatch(batchrelease.Snapshot{Release: br, Workload: &w}, now, batchOptions(o))
			require.NoError(t, err)
			if !corrected || c.want.Reason == "" {
				require.Equal(t, batchrelease.PhaseCompleted, p.Status.Phase, c.why)
				require.Empty(t, p.Holds, c.why)
				continue
			}
			c.want.Name = w.Name
			require.Equal(t, []kplan.Hold{c.want}, p.Holds, c.why)
			require.Equal(t, batchrelease.PhaseFinalizing, p.Status.Phase, c.why)
			require.NotEmpty(t, p.Failure, c.why)
		}
	}
}

// NextReleaseUnmarked again: a last step of 50% leaves two versions, and traffic is still led to the pods
// of one of them when another update comes. It is let in, and does not take their place.
func TestUpdateBehindTheLastStep(t *testing.T) {
	for _, corrected := range []bool{false, true} {
		last := step(rollout.Percent(50), 0)
		last.Traffic = rollout.Percent(50)
		c := newWorld(t, 6, last)
		want := kruisereason.TwoVersions
		if corrected {
			c.opts.Repair, want = quirk.All, kruisereason.ReleaseBegins
		}
		c.led(3)
		c.begin()
		c.closes()
		c.run(func() bool { return c.w.Annotations[workload.AnnotationInProgress] == "" }, true)
		require.Equal(t, want, c.update("v3").Reason)
		for range 5 {
			c.deploymentPass()
		}
		require.Equal(t, "web=50 web-canary=50 ", c.weights())
		require.Equal(t, corrected, c.sizes["v2"] == 3, "%v", c.sizes)
		c.run(func() bool { return c.sizes["v3"] == 6 && c.r.Status.Phase == kruise.PhaseHealthy }, true)
		require.Equal(t, map[string]int32{"v1": 0, "v2": 0, "v3": 6}, c.sizes)
		require.False(t, c.w.Paused)
	}
}

// OtherTemplateReleased before the first batch: the template changes when the BatchRelease is there, but before it
// has taken the Deployment over, and the Rollout is slow to see that.
func TestOtherTemplateBeforeTheFirstBatch(t *testing.T) {
	for _, wanted := range []string{"v3", "v2", "v1"} {
		for _, corrected := range []bool{false, true} {
			t.Run(fmt.Sprint(wanted, ", ", corrected), func(t *testing.T) {
				c := newWorld(t, 6, step(rollout.Percent(50), 0), step(rollout.Percent(100), 0))
				if corrected {
					c.opts.Repair = quirk.All
				}
				c.begin()
				for c.br == nil {
					c.clock = c.clock.Add(time.Second)
					c.rolloutPass()
				}
				c.update("v3")
				for range 10 {
					c.batchPass()
					c.deploymentPass()
				}
				require.Equal(t, corrected, c.sizes["v3"] == 0, "%v", c.sizes)
				if !corrected {
					return
				}
				if wanted != "v3" {
					c.update(wanted)
				}
				c.run(c.phase(kruise.PhaseHealthy), true)
				require.EqualValues(t, 6, c.sizes[wanted])
				require.False(t, c.w.Paused)
			})
		}
	}
}

// OtherTemplateReleased before the first batch, its edges: whose template it is is told by the rollout id.
func TestTakesNoOtherTemplate(t *testing.T) {
	for _, c := range []struct {
		why, id, update, label string
		ref                    workload.Ref
		style                  workload.Style
		held                   bool
	}{
		{"the template of the release", "v2", "v2", "", deployment, workload.Partition, false},
		{"another one", "v2", "v3", "", deployment, workload.Partition, true},
		{"a release that goes back", "rollback-v1", "v1", "", deployment, workload.Partition, false},
		{"of the same id, whatever the template", "id", "v3", "id", deployment, workload.Partition, false},
		{"of another id", "id", "v3", "other", deployment, workload.Partition, true},
		{"a plan without an id, which no Rollout has made", "", "v3", "", deployment, workload.Partition, false},
		{"a canary of the template of the release", "v2", "v2", "", deployment, workload.Canary, false},
		{"a canary of another one", "v2", "v3", "", deployment, workload.Canary, true},
		{"blue-green holds its first batch", "v2", "v3", "", deployment, workload.BlueGreen, false},
		{"a CloneSet", "v2", "demo-v3", "", cloneSet, workload.Partition, false},
	} {
		br := release(c.style, rollout.Percent(50))
		br.WorkloadRef, br.ReleasePlan.RolloutID = c.ref, c.id
		br.Status = batchrelease.Status{Phase: batchrelease.PhasePreparing, ObservedWorkloadReplicas: -1, ObservedRolloutID: c.id, ObservedReleasePlanHash: br.ReleasePlan.Hash()}
		w := workload.Workload{Ref: c.ref, Replicas: ptr.To(int32(4)), Paused: true, UpdateRevision: c.update, Labels: map[string]string{workload.LabelRolloutID: c.label}}
		for _, repair := range []quirk.Set{0, quirk.OtherTemplateReleased} {
			p, err := planBatch(batchrelease.Snapshot{Release: br, Workload: &w}, now, batchrelease.Options{Repair: repair})
			require.NoError(t, err)
			if c.held && repair != 0 {
				require.Equal(t, "demo held back: ReleaseOutdated", p.String(), c.why)
				require.Equal(t, batchrelease.PhasePreparing, p.Status.Phase, c.why)
				continue
			}
			require.NotEmpty(t, p.Actions, c.why)
			require.Empty(t, p.Holds, c.why)
		}
	}
}

// EndingReleaseCounts: somebody deletes the BatchRelease of a batch that is ready.
func endingRelease(t *testing.T, o kruise.Options) string {
	c := newWorld(t, 6, step(rollout.Percent(50), -1))
	c.opts = o
	c.begin()
	c.run(func() bool { return c.br != nil && c.br.Status.Current.BatchState == batchrelease.StateReady }, false)
	require.Equal(t, kruise.StateUpgrade, c.r.Status.Sub.CurrentStepState)
	c.br.DeletionTimestamp = c.clock
	jumped := *c
	jumped.r.Status.Sub = ptr.To(*c.r.Status.Sub)
	jumped.r.Status.Sub.NextStepIndex = 1
	c.rolloutPass()
	jumped.rolloutPass()
	return string(c.r.Status.Sub.CurrentStepState) + ", jumped to " + string(jumped.r.Status.Sub.CurrentStepState)
}
