package rollout_test

import (
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
)

// rarely is true once in n times.
func rarely(t *rapid.T, n int, label string) bool { return rapid.IntRange(1, n).Draw(t, label) == 1 }

func likelySteps(t *rapid.T, traffic bool) []rollout.Step {
	var steps []rollout.Step
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
func likelyRollout(t *rapid.T) rollout.Snapshot {
	traffic := rapid.Bool().Draw(t, "led")
	r := partitioned(deployment, likelySteps(t, traffic)...)
	if rarely(t, 4, "blue green") {
		r.BlueGreen, r.Canary = r.Canary, nil
	}
	strategy := r.Strategy()
	strategy.EnableExtraWorkloadForCanary = rarely(t, 5, "extra") && r.Canary != nil
	strategy.DisableGenerateCanaryService = rarely(t, 4, "no service")
	var led rollout.Traffic
	if traffic {
		strategy.TrafficRoutings = routings(1)
		strategy.TrafficRoutings[0].GracePeriodSeconds = rapid.Int32Range(0, 3).Draw(t, "grace")
		anyTraffic(t, &led)
	}
	s := begun(rapid.SampledFrom([]rollout.StepState{rollout.StateBeforeUpgrade, rollout.StateUpgrade, rollout.StateTrafficRouting,
		rollout.StateMetricsAnalysis, rollout.StatePaused, rollout.StateReady, rollout.StateCompleted}).Draw(t, "state"), r)
	s.Traffic = led
	sub, w := s.Rollout.Status.Sub, s.Workload
	sub.CurrentStepIndex = rapid.Int32Range(1, int32(len(strategy.Steps))).Draw(t, "step")
	sub.NextStepIndex = rollout.NextStep(int32(len(strategy.Steps)), sub.CurrentStepIndex)
	sub.LastUpdateTime = now.Add(-time.Duration(rapid.IntRange(0, 800).Draw(t, "seconds")) * time.Second)
	id := rapid.SampledFrom([]string{"", "a", "b"})
	w.Labels[rollout.LabelRolloutID], w.Annotations[rollout.LabelRolloutID] = id.Draw(t, "label"), id.Draw(t, "annotation")
	sub.ObservedRolloutID = w.RolloutID(0)
	if rapid.Bool().Draw(t, "labelled") {
		w.Labels[rollout.LabelStableRevision] = "v1"
	}
	if rarely(t, 4, "strategy") {
		w.Annotations[rollout.AnnotationStrategy] = `{"rollingStyle":"Partition","paused":true}`
	}
	if !rarely(t, 4, "no release") {
		br := rollout.ReleaseOf(s.Rollout, *w, sub.CurrentStepIndex, 0)
		br.UID, br.Finalizers = "b", []string{rollout.FinalizerBatchRelease}
		br.Status.Phase, br.Status.ObservedReleasePlanHash = rollout.BatchProgressing, br.ReleasePlan.Hash()
		br.Status.Current.CurrentBatch = sub.CurrentStepIndex - 1
		br.Status.Current.BatchState = rapid.SampledFrom([]rollout.BatchState{rollout.BatchUpgrading, rollout.BatchVerifying, rollout.BatchReady}).Draw(t, "batch")
		s.BatchRelease = &br
	}
	disturb(t, &s)
	return s
}

func disturb(t *rapid.T, s *rollout.Snapshot) {
	w, sub, reason := s.Workload, s.Rollout.Status.Sub, &s.Rollout.Status.Conditions[0].Reason
	for range rapid.IntRange(0, 2).Draw(t, "disturbances") {
		switch rapid.IntRange(0, 11).Draw(t, "disturbance") {
		case 0:
			s.Rollout.DeletionTimestamp = now
			s.Rollout.Status.Phase = rapid.SampledFrom([]rollout.RolloutPhase{rollout.PhaseProgressing, rollout.PhaseTerminating}).Draw(t, "phase")
		case 1:
			s.Rollout.Disabled = true
			s.Rollout.Status.Phase = rapid.SampledFrom([]rollout.RolloutPhase{rollout.PhaseProgressing, rollout.PhaseDisabling}).Draw(t, "phase")
		case 2:
			*reason = rapid.SampledFrom([]string{rollout.ProgressInitializing, rollout.ProgressPaused, rollout.ProgressFinalising, rollout.ProgressCancelling}).Draw(t, "reason")
		case 3:
			w.InRollback, w.CanaryRevision, w.PodTemplateHash = true, "v1", "v1"
		case 4:
			w.CanaryRevision, w.PodTemplateHash = "v3", "v3"
		case 5:
			w.Consistent = false
		case 6:
			sub.FinalisingStep = rapid.SampledFrom([]rollout.FinalisingStep{rollout.FinalRestoreStable, rollout.FinalRouteToStable, rollout.FinalRouteToNew,
				rollout.FinalRemoveCanary, rollout.FinalResume, rollout.FinalRelease, rollout.FinalEnd}).Draw(t, "closing")
		case 7:
			s.Rollout.Status.Sub = nil
		case 8:
			s.Workload = nil
		case 9:
			s.Analysis = rapid.SampledFrom([]rollout.AnalysisPhase{rollout.AnalysisRunning, rollout.AnalysisFailed, rollout.AnalysisSuccessful}).Draw(t, "analysis")
		case 10:
			w.InProgress = false
		case 11:
			w.ProgressDeadlineSeconds = new(rapid.SampledFrom([]int32{10, rollout.InfiniteDeadline}).Draw(t, "deadline"))
		}
	}
}

// likelyBatch generates batches in the middle of a release, close to what drivers make of
// a workload.
func likelyBatch(t *rapid.T) rollout.BatchSnapshot {
	ref := rapid.SampledFrom([]rollout.WorkloadRef{deployment, deployment, cloneSet, statefulSet, daemonSet, kruiseSet}).Draw(t, "kind")
	br := rollout.BatchRelease{Name: "web", UID: "b", WorkloadRef: ref, Finalizers: []string{rollout.FinalizerBatchRelease}}
	plan := &br.ReleasePlan
	for _, s := range likelySteps(t, false) {
		plan.Batches = append(plan.Batches, rollout.Batch{CanaryReplicas: s.Replicas})
	}
	plan.RollingStyle = rollout.Partition
	if ref == deployment || ref == cloneSet {
		plan.RollingStyle = rapid.SampledFrom([]rollout.Style{rollout.Partition, rollout.Partition, rollout.BlueGreen}).Draw(t, "style")
	}
	if ref == deployment && plan.RollingStyle == rollout.Partition {
		plan.EnableExtraWorkloadForCanary = rarely(t, 3, "canary")
		if plan.EnableExtraWorkloadForCanary {
			plan.RollingStyle = rollout.Canary
		}
	}
	plan.RolloutID = rapid.SampledFrom([]string{"", "v2", "id"}).Draw(t, "id")
	plan.FailureThreshold = rapid.SampledFrom([]rollout.IntOrPercent{{}, {}, rollout.Int(1), rollout.Percent(30)}).Draw(t, "threshold")
	plan.FinalizingPolicy = rapid.SampledFrom([]rollout.FinalizingPolicy{"", rollout.Immediate, rollout.WaitResume}).Draw(t, "policy")
	batch := rapid.Int32Range(0, int32(len(plan.Batches))-1).Draw(t, "batch")
	if !rarely(t, 3, "given back") {
		plan.BatchPartition = &batch
	}
	s := rollout.BatchSnapshot{StableSet: "web-1"}
	s.Workload = likelyWorkload(t, br, plan.Batches[batch].CanaryReplicas)
	br.Status = rollout.BatchStatus{
		Phase:                    rapid.SampledFrom([]rollout.BatchPhase{rollout.BatchProgressing, rollout.BatchProgressing, rollout.BatchPreparing, rollout.BatchFinalizing}).Draw(t, "phase"),
		ObservedWorkloadReplicas: *s.Workload.Replicas, ObservedRolloutID: plan.RolloutID, ObservedReleasePlanHash: plan.Hash(), StableRevision: "v1", UpdateRevision: "v2",
		Current: rollout.CurrentBatch{
			CurrentBatch: batch, BatchState: rapid.SampledFrom([]rollout.BatchState{rollout.BatchUpgrading, rollout.BatchVerifying, rollout.BatchReady}).Draw(t, "state"),
		},
	}
	s.Release = br
	if plan.EnableExtraWorkloadForCanary && rapid.Bool().Draw(t, "canary there") {
		size := rapid.Int32Range(0, 6).Draw(t, "canary size")
		s.Canary = &rollout.Workload{WorkloadRef: deployment, Replicas: &size, UpdateRevision: "v2", Annotations: map[string]string{rollout.AnnotationControlInfo: rollout.ControlInfo(br)},
			Status: rollout.WorkloadStatus{Replicas: size, UpdatedReplicas: size, ReadyReplicas: size, AvailableReplicas: size}}
	}
	for _, name := range []string{"demo-2", "demo-0", "demo-3", "demo-1"} {
		pod := rollout.Pod{Name: name, Ready: true, Labels: map[string]string{rollout.LabelPodTemplateHash: rapid.SampledFrom([]string{"v1", "v2", "2"}).Draw(t, "pod")}}
		if rarely(t, 3, "labelled") {
			pod.Labels[rollout.LabelRolloutID], pod.Labels[rollout.LabelBatchID] = plan.RolloutID, "1"
		}
		s.Pods = append(s.Pods, pod)
	}
	return s
}

func likelyWorkload(t *rapid.T, br rollout.BatchRelease, batch rollout.IntOrPercent) *rollout.Workload {
	w := anyWorkload(t, br)
	w.Partition = rapid.SampledFrom([]rollout.IntOrPercent{rollout.Int(0), rollout.Percent(100), rollout.Percent(50)}).Draw(t, "partition")
	w.UpdateRevision = rapid.SampledFrom([]string{"v2", "v2", "v1", "v3"}).Draw(t, "template")
	if rarely(t, 4, "hash with a name") {
		w.UpdateRevision = "web-" + w.UpdateRevision
	}
	w.Replicas = new(rapid.SampledFrom([]int32{1, 4, 6, 10, 150}).Draw(t, "size"))
	w.Labels = map[string]string{rollout.LabelStableRevision: "v1"}
	if rarely(t, 4, "named") {
		w.Labels[rollout.LabelRolloutID] = rapid.SampledFrom([]string{"id", "v2", "other"}).Draw(t, "name")
	}
	if rarely(t, 3, "marked") {
		w.Annotations[rollout.AnnotationInProgress] = "x"
	}
	if rapid.Bool().Draw(t, "taken") {
		w.Annotations[rollout.AnnotationControlInfo], w.Paused = rollout.ControlInfo(br), true
		w.StrategyType = "Recreate"
		partition := rapid.SampledFrom([]rollout.IntOrPercent{batch, rollout.Int(0), rollout.Int(2), rollout.Percent(30)}).Draw(t, "released")
		strategy := rollout.DeploymentStrategy{RollingStyle: rollout.StylePartition, Partition: partition, RollingUpdate: &rollout.RollingUpdate{MaxUnavailable: rollout.Int(1)}}
		w.Annotations[rollout.AnnotationStrategy] = strategy.Text()
		w.Annotations[rollout.AnnotationOriginalStrategy] = rapid.SampledFrom([]string{"", `{"type":"Recreate"}`, `{"maxSurge":1,"maxUnavailable":0}`}).Draw(t, "original")
	} else if rarely(t, 3, "unset surge") {
		w.RollingUpdate = &rollout.RollingUpdate{MaxUnavailable: rollout.Int(2)}
	}
	updated := rapid.Int32Range(0, *w.Replicas).Draw(t, "updated")
	ready := rapid.Int32Range(max(0, updated-2), updated).Draw(t, "updated and ready")
	w.Status = rollout.WorkloadStatus{Replicas: *w.Replicas, UpdatedReplicas: updated, UpdatedReadyReplicas: ready, ReadyReplicas: *w.Replicas, AvailableReplicas: *w.Replicas}
	return w
}
