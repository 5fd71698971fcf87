// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// rarely is true once in n times.
func rarely(t *rapid.T, n int, label string) bool { return rapid.IntRange(1, n).Draw(t, label) == 1 }

func likelySteps(t *rapid.T, traffic bool) []kruise.Step {
	var steps []kruise.Step
	last := int32(5)
	for range rapid.IntRange(1, 3).Draw(t, "steps") {
		last = rapid.Int32Range(last, 100).Draw(t, "percent")
		size := rollout.Percent(last)
		if rarely(t, 3, "number") {
			size = rollout.Int(max(1, last/10))
		}
		s := step(rapid.SampledFrom([]rollout.IntOrPercent{size, size, rollout.Percent(100)}).Draw(t, "size"), rapid.Int32Range(-1, 90).Draw(t, "pause"))
		if traffic && rapid.Bool().Draw(t, "routed") {
			s.Traffic = rollout.Percent(last)
		}
		steps = append(steps, s)
	}
	return steps
}

// likelyRollout generates Rollouts in the middle of a release, one or two of whose facts
// are not as they should be.
func likelyRollout(t *rapid.T) kruise.Snapshot {
	routed := rapid.Bool().Draw(t, "led")
	r := partitioned(deployment, likelySteps(t, routed)...)
	if rarely(t, 4, "blue green") {
		r.BlueGreen, r.Canary = r.Canary, nil
	}
	strategy := r.Strategy()
	strategy.EnableExtraWorkloadForCanary = rarely(t, 5, "extra") && r.Canary != nil
	strategy.DisableGenerateCanaryService = rarely(t, 4, "no service")
	var led traffic.Objects
	if routed {
		strategy.TrafficRoutings = routings(1)
		strategy.TrafficRoutings[0].GracePeriodSeconds = rapid.Int32Range(0, 3).Draw(t, "grace")
		anyTraffic(t, &led)
	}
	s := begun(rapid.SampledFrom([]kruise.StepState{kruise.StateBeforeUpgrade, kruise.StateUpgrade, kruise.StateTrafficRouting,
		kruise.StateMetricsAnalysis, kruise.StatePaused, kruise.StateReady, kruise.StateCompleted}).Draw(t, "state"), r)
	s.Traffic = led
	sub, w := s.Rollout.Status.Sub, s.Workload
	sub.CurrentStepIndex = rapid.Int32Range(1, int32(len(strategy.Steps))).Draw(t, "step")
	sub.NextStepIndex = kruise.NextStep(int32(len(strategy.Steps)), sub.CurrentStepIndex)
	sub.LastUpdateTime = now.Add(-time.Duration(rapid.IntRange(0, 800).Draw(t, "seconds")) * time.Second)
	id := rapid.SampledFrom([]string{"", "a", "b"})
	w.Labels[workload.LabelRolloutID], w.Annotations[workload.LabelRolloutID] = id.Draw(t, "label"), id.Draw(t, "annotation")
	sub.ObservedRolloutID = w.RolloutID(0)
	if rapid.Bool().Draw(t, "labelled") {
		w.Labels[workload.LabelStableRevision] = "v1"
	}
	if rarely(t, 4, "strategy") {
		w.Annotations[partition.AnnotationStrategy] = `{"rollingStyle":"Partition","paused":true}`
	}
	if !rarely(t, 4, "no release") {
		br := kruise.ReleaseOf(s.Rollout, *w, sub.CurrentStepIndex, 0)
		br.UID, br.Finalizers = "b", []string{workload.FinalizerBatchRelease}
		br.Status.Phase, br.Status.ObservedReleasePlanHash = batchrelease.PhaseProgressing, br.ReleasePlan.Hash()
		br.Status.Current.CurrentBatch = sub.CurrentStepIndex - 1
		br.Status.Current.BatchState = rapid.SampledFrom([]batchrelease.State{batchrelease.StateUpgrading, batchrelease.StateVerifying, batchrelease.StateReady}).Draw(t, "batch")
		s.BatchRelease = &br
	}
	disturb(t, &s)
	return s
}

func disturb(t *rapid.T, s *kruise.Snapshot) {
	w, sub, reason := s.Workload, s.Rollout.Status.Sub, &s.Rollout.Status.Conditions[0].Reason
	for range rapid.IntRange(0, 2).Draw(t, "disturbances") {
		switch rapid.IntRange(0, 11).Draw(t, "disturbance") {
		case 0:
			s.Rollout.DeletionTimestamp = now
			s.Rollout.Status.Phase = rapid.SampledFrom([]kruise.Phase{kruise.PhaseProgressing, kruise.PhaseTerminating}).Draw(t, "phase")
		case 1:
			s.Rollout.Disabled = true
			s.Rollout.Status.Phase = rapid.SampledFrom([]kruise.Phase{kruise.PhaseProgressing, kruise.PhaseDisabling}).Draw(t, "phase")
		case 2:
			*reason = rapid.SampledFrom([]string{kruise.ProgressInitializing, kruise.ProgressPaused, kruise.ProgressFinalising, kruise.ProgressCancelling}).Draw(t, "reason")
		case 3:
			w.InRollback, w.CanaryRevision, w.PodTemplateHash = true, "v1", "v1"
		case 4:
			w.CanaryRevision, w.PodTemplateHash = "v3", "v3"
		case 5:
			w.Consistent = false
		case 6:
			sub.FinalisingStep = rapid.SampledFrom([]kruise.FinalisingStep{kruise.FinalRestoreStable, kruise.FinalRouteToStable, kruise.FinalRouteToNew,
				kruise.FinalRemoveCanary, kruise.FinalResume, kruise.FinalRelease, kruise.FinalEnd}).Draw(t, "closing")
		case 7:
			s.Rollout.Status.Sub = nil
		case 8:
			s.Workload = nil
		case 9:
			s.Analysis = rapid.SampledFrom([]kruise.AnalysisPhase{kruise.AnalysisRunning, kruise.AnalysisFailed, kruise.AnalysisSuccessful}).Draw(t, "analysis")
		case 10:
			w.InProgress = false
		case 11:
			w.ProgressDeadlineSeconds = ptr.To(rapid.SampledFrom([]int32{10, workload.InfiniteDeadline}).Draw(t, "deadline"))
		}
	}
}

// likelyBatch generates batches in the middle of a release, close to what drivers make of
// a workload.
func likelyBatch(t *rapid.T) batchrelease.Snapshot {
	ref := rapid.SampledFrom([]workload.Ref{deployment, deployment, cloneSet, statefulSet, daemonSet, kruiseSet}).Draw(t, "kind")
	br := batchrelease.Release{Name: "web", UID: "b", WorkloadRef: ref, Finalizers: []string{workload.FinalizerBatchRelease}}
	plan := &br.ReleasePlan
	for _, s := range likelySteps(t, false) {
		plan.Batches = append(plan.Batches, batchrelease.Batch{CanaryReplicas: s.Replicas})
	}
	plan.RollingStyle = workload.Partition
	if ref == deployment || ref == cloneSet {
		plan.RollingStyle = rapid.SampledFrom([]workload.Style{workload.Partition, workload.Partition, workload.BlueGreen}).Draw(t, "style")
	}
	if ref == deployment && plan.RollingStyle == workload.Partition {
		plan.EnableExtraWorkloadForCanary = rarely(t, 3, "canary")
		if plan.EnableExtraWorkloadForCanary {
			plan.RollingStyle = workload.Canary
		}
	}
	plan.RolloutID = rapid.SampledFrom([]string{"", "v2", "id"}).Draw(t, "id")
	plan.FailureThreshold = rapid.SampledFrom([]rollout.IntOrPercent{{}, {}, rollout.Int(1), rollout.Percent(30)}).Draw(t, "threshold")
	plan.FinalizingPolicy = rapid.SampledFrom([]batchrelease.FinalizingPolicy{"", batchrelease.Immediate, batchrelease.WaitResume}).Draw(t, "policy")
	batch := rapid.Int32Range(0, int32(len(plan.Batches))-1).Draw(t, "batch")
	if !rarely(t, 3, "given back") {
		plan.BatchPartition = &batch
	}
	s := batchrelease.Snapshot{StableSet: "web-1"}
	s.Workload = likelyWorkload(t, br, plan.Batches[batch].CanaryReplicas)
	br.Status = batchrelease.Status{
		Phase:                    rapid.SampledFrom([]batchrelease.Phase{batchrelease.PhaseProgressing, batchrelease.PhaseProgressing, batchrelease.PhasePreparing, batchrelease.PhaseFinalizing}).Draw(t, "phase"),
		ObservedWorkloadReplicas: *s.Workload.Replicas, ObservedRolloutID: plan.RolloutID, ObservedReleasePlanHash: plan.Hash(), StableRevision: "v1", UpdateRevision: "v2",
		Current: batchrelease.CurrentBatch{
			CurrentBatch: batch, BatchState: rapid.SampledFrom([]batchrelease.State{batchrelease.StateUpgrading, batchrelease.StateVerifying, batchrelease.StateReady}).Draw(t, "state"),
		},
	}
	s.Release = br
	if plan.EnableExtraWorkloadForCanary && rapid.Bool().Draw(t, "canary there") {
		size := rapid.Int32Range(0, 6).Draw(t, "canary size")
		s.Canary = &workload.Workload{Ref: deployment, Replicas: &size, UpdateRevision: "v2", Annotations: map[string]string{partition.AnnotationControlInfo: workload.ControlInfo(br.Name, br.UID)},
			Status: workload.Status{Replicas: size, UpdatedReplicas: size, ReadyReplicas: size, AvailableReplicas: size}}
	}
	for _, name := range []string{"demo-2", "demo-0", "demo-3", "demo-1"} {
		pod := workload.Pod{Name: name, Ready: true, Labels: map[string]string{workload.LabelPodTemplateHash: rapid.SampledFrom([]string{"v1", "v2", "2"}).Draw(t, "pod")}}
		if rarely(t, 3, "labelled") {
			pod.Labels[workload.LabelRolloutID], pod.Labels[workload.LabelBatchID] = plan.RolloutID, "1"
		}
		s.Pods = append(s.Pods, pod)
	}
	return s
}

func likelyWorkload(t *rapid.T, br batchrelease.Release, batch rollout.IntOrPercent) *workload.Workload {
	w := anyWorkload(t, br)
	w.Partition = rapid.SampledFrom([]rollout.IntOrPercent{rollout.Int(0), rollout.Percent(100), rollout.Percent(50)}).Draw(t, "partition")
	w.UpdateRevision = rapid.SampledFrom([]string{"v2", "v2", "v1", "v3"}).Draw(t, "template")
	if rarely(t, 4, "hash with a name") {
		w.UpdateRevision = "web-" + w.UpdateRevision
	}
	w.Replicas = ptr.To(rapid.SampledFrom([]int32{1, 4, 6, 10, 150}).Draw(t, "size"))
	w.Labels = map[string]string{workload.LabelStableRevision: "v1"}
	if rarely(t, 4, "named") {
		w.Labels[workload.LabelRolloutID] = rapid.SampledFrom([]string{"id", "v2", "other"}).Draw(t, "name")
	}
	if rarely(t, 3, "marked") {
		w.Annotations[workload.AnnotationInProgress] = "x"
	}
	if rapid.Bool().Draw(t, "taken") {
		w.Annotations[partition.AnnotationControlInfo], w.Paused = workload.ControlInfo(br.Name, br.UID), true
		w.StrategyType = "Recreate"
		size := rapid.SampledFrom([]rollout.IntOrPercent{batch, rollout.Int(0), rollout.Int(2), rollout.Percent(30)}).Draw(t, "released")
		strategy := partition.Strategy{RollingStyle: partition.Style, Partition: size, RollingUpdate: &partition.RollingUpdate{MaxUnavailable: rollout.Int(1)}}
		w.Annotations[partition.AnnotationStrategy] = strategy.Text()
		w.Annotations[workload.AnnotationOriginalStrategy] = rapid.SampledFrom([]string{"", `{"type":"Recreate"}`, `{"maxSurge":1,"maxUnavailable":0}`}).Draw(t, "original")
	} else if rarely(t, 3, "unset surge") {
		w.RollingUpdate = &partition.RollingUpdate{MaxUnavailable: rollout.Int(2)}
	}
	updated := rapid.Int32Range(0, *w.Replicas).Draw(t, "updated")
	ready := rapid.Int32Range(max(0, updated-2), updated).Draw(t, "updated and ready")
	w.Status = workload.Status{Replicas: *w.Replicas, UpdatedReplicas: updated, UpdatedReadyReplicas: ready, ReadyReplicas: *w.Replicas, AvailableReplicas: *w.Replicas}
	return w
}
