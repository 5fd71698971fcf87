// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// RollbackLeavesPaused: what is given back although it was never taken over is a Deployment that admission
// has paused for a release, when the release ends.
func TestGiveBackFrozen(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(br *batchrelease.Release, w *workload.Workload)
		want   bool
	}{
		{"paused by admission", func(*batchrelease.Release, *workload.Workload) {}, true},
		{"paused by a person", func(_ *batchrelease.Release, w *workload.Workload) { w.Labels = nil }, false},
		{"running", func(_ *batchrelease.Release, w *workload.Workload) { w.Paused = false }, false},
		{"the release goes on", func(br *batchrelease.Release, _ *workload.Workload) { br.ReleasePlan.BatchPartition = ptr.To(int32(0)) }, false},
	} {
		br := release(workload.Partition, rollout.Percent(20))
		br.ReleasePlan.BatchPartition = nil
		w := workload.Workload{Ref: deployment, Paused: true, Labels: map[string]string{workload.LabelStableRevision: "v1"}}
		c.change(&br, &w)
		p, write := batchrelease.ReleasePatch(br, w, batchrelease.Options{Repair: quirk.RollbackLeavesPaused})
		require.Equal(t, c.want, write, c.why)
		require.Equal(t, c.want, p.Paused != nil, c.why)
	}
}

// RollbackLeavesPaused of blue-green: what was not prepared has only its pause to lose.
func TestGiveBackFrozenBlueGreen(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(br *batchrelease.Release, w *workload.Workload)
		body   string
	}{
		{"paused by admission", func(*batchrelease.Release, *workload.Workload) {}, `{"spec":{"paused":false}}`},
		{"running", func(_ *batchrelease.Release, w *workload.Workload) { w.Paused = false }, ""},
		{"the release goes on", func(br *batchrelease.Release, _ *workload.Workload) { br.ReleasePlan.BatchPartition = ptr.To(int32(0)) }, ""},
		{"prepared", func(_ *batchrelease.Release, w *workload.Workload) {
			w.Annotations = map[string]string{workload.AnnotationOriginalStrategy: `{"minReadySeconds":5}`}
		}, `{"metadata":{"annotations":{"batchrelease.rollouts.kruise.io/control-info":null,"rollouts.kruise.io/original-deployment-strategy":null},"labels":{"rollouts.kruise.io/stable-revision":null}},"spec":{"minReadySeconds":5,"paused":false}}`},
	} {
		br := release(workload.BlueGreen, rollout.Percent(20))
		br.ReleasePlan.BatchPartition = nil
		w := workload.Workload{Ref: deployment, Paused: true}
		c.change(&br, &w)
		p, write := batchrelease.ReleasePatch(br, w, batchrelease.Options{Repair: quirk.RollbackLeavesPaused})
		require.Equal(t, c.body != "", write, c.why)
		if write {
			require.JSONEq(t, c.body, p.Body(deployment), c.why)
		}
	}
}

// DeletionFinishesRelease: a release that is abandoned leaves its pods as they are, unless they were being
// taken back.
func TestGiveBackAbandoned(t *testing.T) {
	for _, c := range []struct {
		why, update, stable string
		policy              batchrelease.FinalizingPolicy
		clear               bool
	}{
		{"an update", "v2", "v1", batchrelease.Immediate, false},
		{"an update that has just come, and no revision is known", "", "", batchrelease.Immediate, false},
		{"a rollback", "v1", "v1", batchrelease.Immediate, true},
		{"it is done", "v2", "v1", batchrelease.WaitResume, true},
	} {
		br := release(workload.Partition, rollout.Percent(20))
		br.WorkloadRef, br.ReleasePlan.BatchPartition, br.ReleasePlan.FinalizingPolicy = cloneSet, nil, c.policy
		br.Status.StableRevision = c.stable
		w := workload.Workload{Ref: cloneSet, UpdateRevision: c.update, StableRevision: c.stable}
		p, _ := batchrelease.ReleasePatch(br, w, batchrelease.Options{Repair: quirk.DeletionFinishesRelease})
		require.Equal(t, c.clear, p.ClearPartition, c.why)
	}
}

// NextReleaseUnmarked of what is no Deployment: it bears no label, and what admission holds stays held.
func TestGiveBackHoldsTheNextCloneSet(t *testing.T) {
	for progress, clear := range map[string]bool{"": true, "{}": false} {
		br := release(workload.Partition, rollout.Percent(100))
		br.WorkloadRef, br.ReleasePlan.BatchPartition, br.ReleasePlan.FinalizingPolicy = cloneSet, nil, batchrelease.WaitResume
		w := workload.Workload{Ref: cloneSet, Annotations: map[string]string{workload.AnnotationInProgress: progress}}
		p, _ := batchrelease.ReleasePatch(br, w, batchrelease.Options{Repair: quirk.NextReleaseUnmarked})
		require.Equal(t, clear, p.ClearPartition, "in progress: %q", progress)
	}
}

// CanaryCreatedTwice: the name of a canary is as long as a generated one may be, no longer.
func TestCanaryNameIsShort(t *testing.T) {
	br := release(workload.Canary, rollout.Percent(50))
	br.Status = batchrelease.Status{Phase: batchrelease.PhasePreparing, ObservedWorkloadReplicas: -1, ObservedReleasePlanHash: br.ReleasePlan.Hash()}
	w := workload.Workload{Ref: deployment, Replicas: ptr.To(int32(4)), UpdateRevision: "v2"}
	w.Name = strings.Repeat("a", 99)
	p, err := planBatch(batchrelease.Snapshot{Release: br, Workload: &w}, now, batchrelease.Options{Repair: quirk.All})
	require.NoError(t, err)
	for _, a := range p.Actions {
		if create, ok := a.(batchrelease.CreateCanary); ok {
			require.Len(t, create.Name, 63)
			require.Equal(t, w.Name[:53], create.Name[:53])
			return
		}
	}
	require.Fail(t, "no canary", p.String())
}

// MixedPartitionsNeverEnd: a partition that covers exactly the batch is not written again, whether either is a
// share or a number.
func TestMixedPartitions(t *testing.T) {
	for size, write := range map[int32]bool{1: true, 2: false, 3: false} {
		br := release(workload.Partition, rollout.Percent(20))
		w := workload.Workload{Ref: deployment, Replicas: ptr.To(int32(10)), Paused: true, StrategyType: "Recreate", Annotations: map[string]string{
			partition.AnnotationControlInfo: workload.ControlInfo(br.Name, br.UID), partition.AnnotationStrategy: partition.Strategy{Partition: rollout.Int(size)}.Text(),
		}}
		repair := quirk.MixedPartitionsNeverEnd
		_, got, _ := batchrelease.NewContext(br, w, nil, repair).UpgradePatch(w, nil, repair)
		require.Equal(t, write, got, "%d of 10 and 20%%", size)
	}
}

// CanaryLabelsNotAwaited: a canary of the size of its batch stays.
func TestCanaryOfItsSize(t *testing.T) {
	for replicas, write := range map[int32]bool{1: true, 2: false, 3: true} {
		br := release(workload.Canary, rollout.Percent(20))
		w := workload.Workload{Ref: deployment, Replicas: ptr.To(int32(10))}
		canary := workload.Workload{Ref: deployment, Replicas: &replicas}
		repair := quirk.CanaryLabelsNotAwaited
		_, got, _ := batchrelease.NewContext(br, w, &canary, repair).UpgradePatch(w, &canary, repair)
		require.Equal(t, write, got, "%d of 2", replicas)
	}
}
