// SPDX-License-Identifier: Apache-2.0

package bugbank_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

var (
	ofDeployment = workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "demo"}
	ofCloneSet   = workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "demo"}
)

func rollouts() []entry {
	return []entry{
		{"rollouts-309", "fewer steps than the next one crash the controller", fewerSteps,
			mutant{"rollout/kruise", "i >= 1 && int(i) <= len(s) && r <= s[i-1].Replicas.OfUp64(t)", "i >= 1 && r <= s[i-1].Replicas.OfUp64(t)"}},
		{"rollouts-310", "more pods for the step that pauses are not released", changedStep,
			mutant{"rollout/kruise", "a.NextStepIndex = t\n\ta, _ = s.jump(a)", "a.NextStepIndex = NextStep(s.steps(), a.CurrentStepIndex)"}},
		{"rollouts-120", "nobody can say which step is to be reached", jumpToStep,
			mutant{"rollout/kruise", "n == NextStep(o, c) || n < 1 || n > o", "n == NextStep(o, c) || n != 0 || o > 0"}},
		{"rollouts-235", "marking a step as ready does not lead to the next one", markedReady,
			mutant{"rollout/kruise", "n.sub = s.advanced(n.sub)", "_ = s"}},
		{"rollouts-55", "a rollout cannot be paused by hand", pausedByHand,
			mutant{"rollout/kruise:pass.rolling", "s.r.Paused", "false"}},
		{"rollouts-140", "the weights of a route are not what they were after a rollout", restoredRoute,
			mutant{"rollout/traffic:Restored", "r.BackendRefs[a].Weight = &o", "_ = o"}},
		{"rollouts-101", "the failure threshold is not that of the documentation", documentedThreshold,
			mutant{"rollout/batchrelease:Context.fill", "r.Has(quirk.FailureThresholdMisread)", "false"}},
		{"rollouts-174", "a batch of crashing pods waits forever", crashingBatch,
			mutant{"rollout/kruise:pass.deadline", "!s.has(quirk.DeadlineNotReported)", "true"}},
		{"rollouts-244", "pods get no batch label unless somebody has set a rollout id", labelsWithoutID,
			mutant{"rollout/workload", "return f.CanaryRevision", `return ""`}},
		{"rollouts-321", "an autoscaler makes more new pods than the batch allows", scaledInBatch,
			mutant{"rollout:KeepLimit", "l >= 0 && n > 0", "false"}},
		{"kruise-926", "a small percentage of few pods updates none", smallPercentage,
			mutant{"rollout/partition:BatchSize", "b.OfUp64(r)", "int64(b.Of(r))"}},
		{"kruise-1038", "whole percentages are too coarse for many pods", coarsePercentage,
			mutant{"rollout/batchrelease", "!(r.Has(quirk.CloneSetKeepsExtraPods) && !partition.ExactShare(s, c.Replicas))", "true"}},
		{"kruise-1356", "a rollback in the middle does not go back in batches", rollbackInBatches,
			mutant{"rollout/kruise", "len(s.r.Strategy().TrafficRoutings) == 0 && t", "len(s.r.Strategy().TrafficRoutings) == 0 && false && t"}},
	}
}

// step returns a step of so many pods that pauses for a person, or for some seconds.
func step(replicas rollout.IntOrPercent, seconds int32) kruise.Step {
	s := kruise.Step{Replicas: replicas}
	if seconds >= 0 {
		s.Pause.Duration = &seconds
	}
	return s
}

// inStep returns a rollout of 10 pods in a state of one of its steps.
func inStep(index int32, state kruise.StepState, steps ...kruise.Step) kruise.Snapshot {
	r := kruise.Rollout{Name: "web", UID: "r", WorkloadRef: ofDeployment, Finalizers: []string{workload.FinalizerRollout}, Canary: &kruise.Strategy{Steps: steps}}
	r.Annotations = map[string]string{workload.AnnotationHash: kruise.StrategyHash(r)}
	begun := t0.Add(-time.Minute)
	r.Status = kruise.Status{
		Phase: kruise.PhaseProgressing,
		Conditions: []kplan.Condition{{
			Type: workload.ConditionProgressing, Status: "True", Reason: kruise.ProgressInRolling, LastUpdateTime: begun, LastTransitionTime: begun,
		}},
		Sub: &kruise.StepStatus{
			Revision: "v2", StableRevision: "v1", PodTemplateHash: "v2", RolloutHash: kruise.StrategyHash(r), CurrentStepIndex: index,
			NextStepIndex: kruise.NextStep(int32(len(steps)), index), CurrentStepState: state, LastUpdateTime: begun,
		},
	}
	return kruise.Snapshot{Rollout: r, Workload: &workload.State{
		Ref: ofDeployment, Consistent: true, Generation: 1, Replicas: 10, InProgress: true, StableRevision: "v1", CanaryRevision: "v2",
		PodTemplateHash: "v2", RevisionLabelKey: workload.LabelPodTemplateHash, Labels: map[string]string{workload.LabelWorkloadType: "deployment"},
	}}
}

// released adds the BatchRelease of the steps, of which the given batch is ready.
func released(s kruise.Snapshot, batch int32) kruise.Snapshot {
	br := kruise.ReleaseOf(s.Rollout, *s.Workload, batch+1, 0)
	done := partition.BatchSize(br.ReleasePlan.Batches[batch].CanaryReplicas, s.Workload.Replicas)
	br.Status.ObservedReleasePlanHash = br.ReleasePlan.Hash()
	br.Status.Current = batchrelease.CurrentBatch{CurrentBatch: batch, BatchState: batchrelease.StateReady, UpdatedReplicas: done, UpdatedReadyReplicas: done}
	s.BatchRelease = &br
	s.Rollout.Status.Sub.Replicas = done
	return s
}

func roll(t *testing.T, s kruise.Snapshot, repair quirk.Set) kruise.Plan {
	t.Helper()
	p, err := kruise.Reconcile(s, t0, kruise.Options{Repair: repair})
	require.NoError(t, err)
	require.Empty(t, p.Failure)
	return p
}

// at returns where a plan stands, such as "1 StepPaused".
func at(p kruise.Plan) string {
	return fmt.Sprintf("%d %s", p.Status.CurrentStepIndex, p.Status.CurrentStepState)
}

func fewerSteps(t *testing.T) {
	s := released(inStep(2, kruise.StatePaused, step(rollout.Percent(20), -1), step(rollout.Percent(50), -1), step(rollout.Percent(100), -1)), 1)
	s.Rollout.Canary = &kruise.Strategy{Steps: []kruise.Step{step(rollout.Percent(100), -1)}}
	require.Equal(t, "1 BeforeStepUpgrade", at(roll(t, s, 0)))
}

func changedStep(t *testing.T) {
	s := released(inStep(1, kruise.StatePaused, step(rollout.Percent(20), -1), step(rollout.Percent(100), -1)), 0)
	require.Equal(t, "1 StepPaused", at(roll(t, s, 0)))
	s.Rollout.Canary = &kruise.Strategy{Steps: []kruise.Step{step(rollout.Percent(40), -1), step(rollout.Percent(100), -1)}}
	require.Equal(t, "1 BeforeStepUpgrade", at(roll(t, s, 0)))
}

func jumpToStep(t *testing.T) {
	s := released(inStep(1, kruise.StatePaused, step(rollout.Percent(20), -1), step(rollout.Percent(50), -1), step(rollout.Percent(100), -1)), 0)
	s.Rollout.Status.Sub.NextStepIndex = 3
	require.Equal(t, "3 BeforeStepUpgrade", at(roll(t, s, 0)))
}

func markedReady(t *testing.T) {
	s := released(inStep(1, kruise.StateReady, step(rollout.Percent(20), -1), step(rollout.Percent(100), -1)), 0)
	require.Equal(t, "2 BeforeStepUpgrade", at(roll(t, s, 0)))
}

func pausedByHand(t *testing.T) {
	s := released(inStep(1, kruise.StateReady, step(rollout.Percent(20), -1), step(rollout.Percent(100), -1)), 0)
	s.Rollout.Paused = true
	p := roll(t, s, 0)
	require.Equal(t, "1 StepReady", at(p))
	require.Contains(t, p.Holds, kplan.Hold{Reason: reason.Paused})
}

func restoredRoute(t *testing.T) {
	rules := []traffic.Rule{{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "svc", Weight: ptr.To(int32(1))}}}}
	led := traffic.Weighted(rules, "svc", "svc-canary", 20)
	require.Equal(t, int32(80), *led[0].BackendRefs[0].Weight)
	require.Equal(t, int32(20), *led[0].BackendRefs[1].Weight)
	require.Equal(t, rules, traffic.Restored(led, "svc", "svc-canary", false))
}

func documentedThreshold(t *testing.T) {
	br := batchrelease.Release{}
	br.ReleasePlan.Batches = []batchrelease.Batch{{CanaryReplicas: rollout.Int(5)}}
	w := workload.Workload{Ref: ofCloneSet, Replicas: ptr.To(int32(10)), RollingUpdate: &partition.RollingUpdate{MaxUnavailable: rollout.Int(1)}}
	w.Status.UpdatedReplicas, w.Status.UpdatedReadyReplicas = 5, 4
	hold, waiting := batchrelease.NewContext(br, w, nil, 0).Waiting(0)
	require.True(t, waiting, hold)
	cs := quirk.FailureThresholdMisread
	_, waiting = batchrelease.NewContext(br, w, nil, cs).Waiting(cs)
	require.False(t, waiting, "as many may fail as may be unavailable")
}

func crashingBatch(t *testing.T) {
	s := released(inStep(1, kruise.StateUpgrade, step(rollout.Percent(20), -1), step(rollout.Percent(100), -1)), 0)
	s.BatchRelease.Status.Current.BatchState = batchrelease.StateVerifying
	s.Workload.ProgressDeadlineSeconds = ptr.To(int32(60))
	stalled := func(p kruise.Plan) (reason string) {
		for _, c := range p.Status.Conditions {
			if c.Type == workload.ConditionStalled {
				reason = c.Reason
			}
		}
		return reason
	}
	require.Empty(t, stalled(roll(t, s, 0)))
	require.Equal(t, "DeadlineExceeded", stalled(roll(t, s, quirk.DeadlineNotReported)))
}

func labelsWithoutID(t *testing.T) {
	s := inStep(1, kruise.StateUpgrade, step(rollout.Percent(20), -1), step(rollout.Percent(100), -1))
	create := roll(t, s, 0).Actions[0].(kruise.CreateBatchRelease)
	require.Equal(t, "v2", create.ReleasePlan.RolloutID)
	br := batchrelease.Release{ReleasePlan: create.ReleasePlan}
	pods := []workload.Pod{{Name: "p", Labels: map[string]string{workload.LabelPodTemplateHash: "v2"}}}
	labels := batchrelease.Labels(br, 10, "v2", pods, 0)
	require.Len(t, labels, 1)
	require.Equal(t, "1", labels[0].Labels[workload.LabelBatchID])
}

// scaledInBatch: 1 % of 10 pods are new when an autoscaler wants 28.
func scaledInBatch(t *testing.T) {
	d := web(28)
	d.Partitioned = &partition.Strategy{Partition: rollout.Percent(1), RollingUpdate: &partition.RollingUpdate{MaxSurge: rollout.Int(6)}}
	s := snapshot(d, set(1, 9, sized(10, 16)), set(2, 1, sized(10, 16)))
	require.Equal(t, int32(1), partition.Limit(d.Partitioned.Partition, 28))
	require.Equal(t, "web-v1 9->26, web-v2 1->2", writes(deployment(t, s, deploy.Options{})))
	require.Equal(t, "web-v1 9->27, annotate web-v2", writes(deployment(t, s, corrected)))
}

func smallPercentage(t *testing.T) {
	require.Equal(t, int32(1), partition.BatchSize(rollout.Percent(1), 3))
	require.Equal(t, int32(1), partition.Limit(rollout.Percent(1), 3))
	require.Equal(t, int32(2), partition.Limit(rollout.Percent(99), 3), "and a large one leaves one")
}

func coarsePercentage(t *testing.T) {
	br := batchrelease.Release{}
	br.ReleasePlan.Batches = []batchrelease.Batch{{CanaryReplicas: rollout.Percent(99)}}
	w := workload.Workload{Ref: ofCloneSet, Replicas: ptr.To(int32(101))}
	require.Equal(t, rollout.Percent(1), batchrelease.NewContext(br, w, nil, 0).DesiredPartition, "which keeps 2 pods")
	cs := quirk.CloneSetKeepsExtraPods
	require.Equal(t, rollout.Int(1), batchrelease.NewContext(br, w, nil, cs).DesiredPartition)
}

func rollbackInBatches(t *testing.T) {
	s := released(inStep(2, kruise.StatePaused, step(rollout.Percent(20), -1), step(rollout.Percent(100), -1)), 1)
	s.Workload.InRollback, s.Workload.CanaryRevision = true, "v1"
	require.Equal(t, "The workload has been rolled back and the rollout process will be canceled", roll(t, s, 0).Status.Message)
	s.Rollout.WorkloadRef = ofCloneSet
	s.Rollout.Annotations[workload.AnnotationRollbackInBatch] = "true"
	require.Equal(t, "1 BeforeStepUpgrade", at(roll(t, s, 0)))
}
