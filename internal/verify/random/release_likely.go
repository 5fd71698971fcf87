// SPDX-License-Identifier: Apache-2.0

package random

import (
	"time"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// Steps draws up to three steps of increasing size, some of them with traffic.
func Steps(s Source, traffic bool) (steps []kruise.Step) {
	last := int32(5)
	for range Between(s, "steps", 1, 3) {
		last = Between(s, "percent", last, 100)
		size := rollout.Percent(last)
		if OneIn(s, "number", 3) {
			size = rollout.Int(max(1, last/10))
		}
		step := Step(OneOf(s, "size", size, size, rollout.Percent(100)), Between[int32](s, "pause", 0, 91)-1)
		if traffic && Bool(s, "routed") {
			step.Traffic = rollout.Percent(last)
		}
		steps = append(steps, step)
	}
	return steps
}

// releasing draws a Rollout in the middle of a release.
func releasing(s Source) kruise.Snapshot {
	routed := Bool(s, "led")
	strategy := &kruise.Strategy{Steps: Steps(s, routed), DisableGenerateCanaryService: OneIn(s, "no service", 4)}
	r := kruise.Rollout{Name: "web", UID: "r", WorkloadRef: Demo}
	if OneIn(s, "blue green", 4) {
		r.BlueGreen = strategy
	} else {
		r.Canary, strategy.EnableExtraWorkloadForCanary = strategy, OneIn(s, "extra", 5)
	}
	var led traffic.Objects
	if routed {
		strategy.TrafficRoutings = Routed(1)
		strategy.TrafficRoutings[0].GracePeriodSeconds = Between[int32](s, "grace", 0, 3)
		routes(s, &led)
	}
	snapshot := Begun(Now, OneOf(s, "state", states...), r)
	snapshot.Traffic = led
	sub, w, n := snapshot.Rollout.Status.Sub, snapshot.Workload, int32(len(strategy.Steps))
	w.UID, sub.CurrentStepIndex = "d", Between(s, "step", 1, n)
	sub.NextStepIndex = kruise.NextStep(n, sub.CurrentStepIndex)
	sub.LastUpdateTime = Now.Add(-time.Duration(Between(s, "seconds", 0, 800)) * time.Second)
	w.Labels[workload.LabelRolloutID], w.Annotations[workload.LabelRolloutID] = OneOf(s, "label", "", "a", "b"), OneOf(s, "annotation", "", "a", "b")
	sub.ObservedRolloutID = w.RolloutID(0)
	if Bool(s, "labelled") {
		w.Labels[workload.LabelStableRevision] = "v1"
	}
	if OneIn(s, "strategy", 4) {
		w.Annotations[partition.AnnotationStrategy] = `{"rollingStyle":"Partition","paused":true}`
	}
	if Often(s, "release", 3) {
		br := kruise.ReleaseOf(snapshot.Rollout, *w, sub.CurrentStepIndex, 0)
		br.UID, br.Finalizers = "b", []string{workload.FinalizerBatchRelease}
		br.Status.Phase, br.Status.ObservedReleasePlanHash = batchrelease.PhaseProgressing, br.ReleasePlan.Hash()
		br.Status.Current.CurrentBatch = sub.CurrentStepIndex - 1
		br.Status.Current.BatchState = OneOf(s, "batch", batchrelease.StateUpgrading, batchrelease.StateVerifying, batchrelease.StateReady)
		snapshot.BatchRelease = &br
	}
	return snapshot
}

// disturb changes up to two facts of a release.
func disturb(s Source, snapshot *kruise.Snapshot) {
	r := &snapshot.Rollout
	w, sub, reason := snapshot.Workload, r.Status.Sub, &r.Status.Conditions[0].Reason
	for range Between(s, "disturbances", 0, 2) {
		switch Below(s, "disturbance", 12) {
		case 0:
			r.DeletionTimestamp = Now
			r.Status.Phase = OneOf(s, "phase", kruise.PhaseProgressing, kruise.PhaseTerminating)
		case 1:
			r.Disabled = true
			r.Status.Phase = OneOf(s, "phase", kruise.PhaseProgressing, kruise.PhaseDisabling)
		case 2:
			*reason = OneOf(s, "reason", kruise.ProgressInitializing, kruise.ProgressPaused, kruise.ProgressFinalising, kruise.ProgressCancelling)
		case 3:
			w.InRollback, w.CanaryRevision, w.PodTemplateHash = true, "v1", "v1"
		case 4:
			w.CanaryRevision, w.PodTemplateHash = "v3", "v3"
		case 5:
			w.Consistent = false
		case 6:
			sub.FinalisingStep = OneOf(s, "closing", kruise.FinalRestoreStable, kruise.FinalRouteToStable, kruise.FinalRouteToNew,
				kruise.FinalRemoveCanary, kruise.FinalResume, kruise.FinalRelease, kruise.FinalEnd)
		case 7:
			r.Status.Sub = nil
		case 8:
			snapshot.Workload = nil
		case 9:
			snapshot.Analysis = OneOf(s, "analysis", kruise.AnalysisRunning, kruise.AnalysisFailed, kruise.AnalysisSuccessful)
		case 10:
			w.InProgress = false
		case 11:
			deadline := OneOf[int32](s, "deadline", 10, workload.InfiniteDeadline)
			w.ProgressDeadlineSeconds = &deadline
		}
	}
}

// RolloutOptions draws options of Rollouts: some repairs.
func RolloutOptions(s Source) kruise.Options {
	return kruise.Options{AppendPodSelector: Bool(s, "append pod selector"), Repair: quirks(s, quirk.All)}
}
