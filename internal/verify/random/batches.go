// SPDX-License-Identifier: Apache-2.0

package random

import (
	"fmt"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

var refs = []workload.Ref{Demo, DemoClones, DemoStateful, DemoDaemons, DemoDaemonsAdv}

// Batches draws a BatchRelease with up to four batches, and its workload.
func Batches(s Source, kind Kind) batchrelease.Snapshot {
	switch kind {
	case CaughtUp, Truthful:
		return batches(s, kind == Truthful)
	case Midway:
		return midwayBatches(s)
	}
	snapshot := anyBatches(s)
	if kind == Wrong {
		br := &snapshot.Release
		br.Name = OneOf(s, "wrong name", "", br.Name)
		br.WorkloadRef = OneOf(s, "wrong kind", br.WorkloadRef, workload.Ref{Kind: "Job"})
		if w := snapshot.Workload; w != nil && Bool(s, "wrong replicas") {
			negative := int32(-1)
			w.Replicas = &negative
		}
	}
	return snapshot
}

// release draws a BatchRelease in any state.
func release(s Source) batchrelease.Release {
	br := batchrelease.Release{Name: "web", UID: "b", Finalizers: []string{workload.FinalizerBatchRelease}}
	br.Status = batchStatus(s)
	plan := &br.ReleasePlan
	for range Between(s, "batches", 0, 4) {
		plan.Batches = append(plan.Batches, batchrelease.Batch{CanaryReplicas: Amount(s, "size")})
	}
	if Bool(s, "partition") {
		batch := Between[int32](s, "batch partition", 0, 6) - 1
		plan.BatchPartition = &batch
	}
	plan.RolloutID = OneOf(s, "id", "", "id")
	plan.RollingStyle = OneOf(s, "style", "", workload.Partition, workload.Canary, workload.BlueGreen, "Odd")
	br.WorkloadRef = OneOf(s, "kind of workload", refs...)
	if _, err := workload.DriverOf(br.WorkloadRef, plan.RollingStyle); err != nil { // planners refuse it
		br.WorkloadRef = DemoClones
	}
	if Bool(s, "hash") {
		br.Status.ObservedReleasePlanHash = plan.Hash()
	}
	if OneIn(s, "rollback", 5) {
		br.Annotations = map[string]string{workload.AnnotationRollbackInBatch: "true"}
	}
	return br
}

func batchStatus(s Source) batchrelease.Status {
	batch := Between[int32](s, "batch", 0, 5) - 1
	if Bool(s, "any batch") {
		batch = anyInt32(s, "batch")
	}
	current := batchrelease.CurrentBatch{
		BatchState:   OneOf(s, "batch state", "", "Odd", batchrelease.StateUpgrading, batchrelease.StateVerifying, batchrelease.StateReady),
		CurrentBatch: batch, UpdatedReplicas: anyInt32(s, "updated"),
	}
	if OneIn(s, "no need", 4) {
		n := Between[int32](s, "no need of", 0, 4)
		current.NoNeedUpdateReplicas = &n
	}
	return batchrelease.Status{
		Phase: OneOf(s, "batch phase", "", "Odd", batchrelease.PhasePreparing, batchrelease.PhaseProgressing, batchrelease.PhaseProgressing,
			batchrelease.PhaseFinalizing, batchrelease.PhaseCompleted),
		ObservedWorkloadReplicas: Between[int32](s, "observed", 0, 13) - 1, UpdateRevision: OneOf(s, "update", "", "v2"), Current: current,
	}
}

// share draws a small number of pods, or a percentage.
func share(s Source, name string) rollout.IntOrPercent {
	if Bool(s, name+" is a number") {
		return rollout.Int(Between[int32](s, name, 0, 12))
	}
	return rollout.Percent(Between[int32](s, name, 0, 101))
}

// driven draws a workload that may be controlled by a BatchRelease.
func driven(s Source, br *batchrelease.Release) *workload.Workload {
	replicas := Between[int32](s, "replicas", 0, 12)
	w := &workload.Workload{
		Ref: br.WorkloadRef, UID: "d", Replicas: &replicas, Partition: share(s, "old"),
		StrategyType: OneOf(s, "strategy", "", "RollingUpdate", "Recreate"), Paused: Bool(s, "paused"),
		UpdateRevision: OneOf(s, "revision", "v1", "v2"), StableRevision: "v1", Annotations: map[string]string{}, Unordered: Bool(s, "unordered"),
	}
	if Bool(s, "limits") {
		w.RollingUpdate = &partition.RollingUpdate{MaxSurge: share(s, "surge"), MaxUnavailable: share(s, "unavailable")}
	}
	if Bool(s, "controlled") {
		w.Annotations[partition.AnnotationControlInfo] = workload.ControlInfo(br.Name, br.UID)
		w.Annotations[partition.AnnotationStrategy] = OneOf(s, "annotation", "", "{", `{"rollingStyle":"Partition","partition":"20%"}`)
		w.Annotations[workload.AnnotationOriginalStrategy] = OneOf(s, "original", "", "{", `{"maxSurge":1,"maxUnavailable":0}`)
	}
	if Bool(s, "prepared") {
		deadline := int32(workload.InfiniteDeadline)
		w.MinReadySeconds, w.ProgressDeadlineSeconds = workload.InfiniteMinReady, &deadline
	}
	return w
}

// anyBatches draws a BatchRelease in any state, with any workload, or none.
func anyBatches(s Source) batchrelease.Snapshot {
	snapshot := batchrelease.Snapshot{Release: release(s), StableSet: "web-1"}
	plan := &snapshot.Release.ReleasePlan
	plan.FinalizingPolicy = OneOf(s, "policy", "", batchrelease.Immediate, batchrelease.WaitResume)
	plan.FailureThreshold = OneOf(s, "threshold", rollout.IntOrPercent{}, rollout.IntOrPercent{}, rollout.Int(1), rollout.Percent(30))
	if Often(s, "workload", 5) {
		w := driven(s, &snapshot.Release)
		if OneIn(s, "marked", 4) {
			w.Annotations[workload.AnnotationInProgress] = "x"
		}
		if Bool(s, "labelled") {
			w.Labels = map[string]string{workload.LabelStableRevision: "v1", workload.LabelRolloutID: OneOf(s, "named", "", "id", "other")}
		}
		w.Status.UpdatedReplicas = Between[int32](s, "updated", 0, 6)
		w.Status.UpdatedReadyReplicas = Between(s, "updated and ready", 0, w.Status.UpdatedReplicas)
		snapshot.Workload = w
	}
	if Bool(s, "canary") {
		snapshot.Canary = &workload.Workload{Ref: Demo, UID: "c"}
	}
	for i := range Between(s, "pods", 0, 5) {
		pod := workload.Pod{Name: fmt.Sprint("demo-", i), UID: fmt.Sprint("demo-", i), Labels: map[string]string{workload.LabelPodTemplateHash: OneOf(s, "pod", "", "v1", "v2")}}
		if Bool(s, "computed") {
			pod.TemplateHash = "v2"
		}
		snapshot.Pods = append(snapshot.Pods, pod)
	}
	if Bool(s, "autoscaler") {
		snapshot.Autoscaler = &batchrelease.Autoscaler{Name: "hpa", TargetName: OneOf(s, "target", "demo", "demo"+batchrelease.AutoscalerSuffix, "other")}
	}
	snapshot.Unreadable = OneIn(s, "unreadable", 10)
	return snapshot
}

// BatchOptions draws options of BatchReleases: some repairs.
func BatchOptions(s Source) batchrelease.Options {
	return batchrelease.Options{KeepPaused: Bool(s, "keep paused"), Repair: quirks(s, quirk.All)}
}
