package rollout_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
)

// RollbackLeavesPaused: what is given back although it was never taken over is a Deployment that admission
// has paused for a release, when the release ends.
func TestGiveBackFrozen(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(br *rollout.BatchRelease, w *rollout.Workload)
		want   bool
	}{
		{"paused by admission", func(*rollout.BatchRelease, *rollout.Workload) {}, true},
		{"paused by a person", func(_ *rollout.BatchRelease, w *rollout.Workload) { w.Labels = nil }, false},
		{"running", func(_ *rollout.BatchRelease, w *rollout.Workload) { w.Paused = false }, false},
		{"the release goes on", func(br *rollout.BatchRelease, _ *rollout.Workload) { br.ReleasePlan.BatchPartition = new(int32(0)) }, false},
	} {
		br := release(rollout.Partition, rollout.Percent(20))
		br.ReleasePlan.BatchPartition = nil
		w := rollout.Workload{WorkloadRef: deployment, Paused: true, Labels: map[string]string{rollout.LabelStableRevision: "v1"}}
		c.change(&br, &w)
		p, write := rollout.ReleasePatch(br, w, rollout.BatchOptions{Repair: rollout.RollbackLeavesPaused})
		require.Equal(t, c.want, write, c.why)
		require.Equal(t, c.want, p.Paused != nil, c.why)
	}
}

// RollbackLeavesPaused of blue-green: what was not prepared has only its pause to lose.
func TestGiveBackFrozenBlueGreen(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(br *rollout.BatchRelease, w *rollout.Workload)
		body   string
	}{
		{"paused by admission", func(*rollout.BatchRelease, *rollout.Workload) {}, `{"spec":{"paused":false}}`},
		{"running", func(_ *rollout.BatchRelease, w *rollout.Workload) { w.Paused = false }, ""},
		{"the release goes on", func(br *rollout.BatchRelease, _ *rollout.Workload) { br.ReleasePlan.BatchPartition = new(int32(0)) }, ""},
		{"prepared", func(_ *rollout.BatchRelease, w *rollout.Workload) {
			w.Annotations = map[string]string{rollout.AnnotationOriginalStrategy: `{"minReadySeconds":5}`}
		}, `{"metadata":{"annotations":{"batchrelease.rollouts.kruise.io/control-info":null,"rollouts.kruise.io/original-deployment-strategy":null},"labels":{"rollouts.kruise.io/stable-revision":null}},"spec":{"minReadySeconds":5,"paused":false}}`},
	} {
		br := release(rollout.BlueGreen, rollout.Percent(20))
		br.ReleasePlan.BatchPartition = nil
		w := rollout.Workload{WorkloadRef: deployment, Paused: true}
		c.change(&br, &w)
		p, write := rollout.ReleasePatch(br, w, rollout.BatchOptions{Repair: rollout.RollbackLeavesPaused})
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
		policy              rollout.FinalizingPolicy
		clear               bool
	}{
		{"an update", "v2", "v1", rollout.Immediate, false},
		{"an update that has just come, and no revision is known", "", "", rollout.Immediate, false},
		{"a rollback", "v1", "v1", rollout.Immediate, true},
		{"it is done", "v2", "v1", rollout.WaitResume, true},
	} {
		br := release(rollout.Partition, rollout.Percent(20))
		br.WorkloadRef, br.ReleasePlan.BatchPartition, br.ReleasePlan.FinalizingPolicy = cloneSet, nil, c.policy
		br.Status.StableRevision = c.stable
		w := rollout.Workload{WorkloadRef: cloneSet, UpdateRevision: c.update, StableRevision: c.stable}
		p, _ := rollout.ReleasePatch(br, w, rollout.BatchOptions{Repair: rollout.DeletionFinishesRelease})
		require.Equal(t, c.clear, p.ClearPartition, c.why)
	}
}

// NextReleaseUnmarked of what is no Deployment: it bears no label, and what admission holds stays held.
func TestGiveBackHoldsTheNextCloneSet(t *testing.T) {
	for progress, clear := range map[string]bool{"": true, "{}": false} {
		br := release(rollout.Partition, rollout.Percent(100))
		br.WorkloadRef, br.ReleasePlan.BatchPartition, br.ReleasePlan.FinalizingPolicy = cloneSet, nil, rollout.WaitResume
		w := rollout.Workload{WorkloadRef: cloneSet, Annotations: map[string]string{rollout.AnnotationInProgress: progress}}
		p, _ := rollout.ReleasePatch(br, w, rollout.BatchOptions{Repair: rollout.NextReleaseUnmarked})
		require.Equal(t, clear, p.ClearPartition, "in progress: %q", progress)
	}
}

// CanaryCreatedTwice: the name of a canary is as long as a generated one may be, no longer.
func TestCanaryNameIsShort(t *testing.T) {
	br := release(rollout.Canary, rollout.Percent(50))
	br.Status = rollout.BatchStatus{Phase: rollout.BatchPreparing, ObservedWorkloadReplicas: -1, ObservedReleasePlanHash: br.ReleasePlan.Hash()}
	w := rollout.Workload{WorkloadRef: deployment, Replicas: new(int32(4)), UpdateRevision: "v2"}
	w.Name = strings.Repeat("a", 99)
	p, err := planBatch(rollout.BatchSnapshot{Release: br, Workload: &w}, now, rollout.BatchOptions{Repair: rollout.RepairAll})
	require.NoError(t, err)
	for _, a := range p.Actions {
		if create, ok := a.(rollout.CreateCanary); ok {
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
	for partition, write := range map[int32]bool{1: true, 2: false, 3: false} {
		br := release(rollout.Partition, rollout.Percent(20))
		w := rollout.Workload{WorkloadRef: deployment, Replicas: new(int32(10)), Paused: true, StrategyType: "Recreate", Annotations: map[string]string{
			rollout.AnnotationControlInfo: rollout.ControlInfo(br.Name, br.UID), rollout.AnnotationStrategy: rollout.DeploymentStrategy{Partition: rollout.Int(partition)}.Text(),
		}}
		repair := rollout.MixedPartitionsNeverEnd
		_, got, _ := rollout.NewBatchContext(br, w, nil, repair).UpgradePatch(w, nil, repair)
		require.Equal(t, write, got, "%d of 10 and 20%%", partition)
	}
}

// CanaryLabelsNotAwaited: a canary of the size of its batch stays.
func TestCanaryOfItsSize(t *testing.T) {
	for replicas, write := range map[int32]bool{1: true, 2: false, 3: true} {
		br := release(rollout.Canary, rollout.Percent(20))
		w := rollout.Workload{WorkloadRef: deployment, Replicas: new(int32(10))}
		canary := rollout.Workload{WorkloadRef: deployment, Replicas: &replicas}
		repair := rollout.CanaryLabelsNotAwaited
		_, got, _ := rollout.NewBatchContext(br, w, &canary, repair).UpgradePatch(w, &canary, repair)
		require.Equal(t, write, got, "%d of 2", replicas)
	}
}
