// SPDX-License-Identifier: Apache-2.0

package random

import (
	"fmt"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// batches draws a BatchRelease in the middle of a release, in a state that drivers produce, and
// other users' changes if interfered is set.
func batches(s Source, interfered bool) batchrelease.Snapshot {
	br := batchrelease.Release{Name: "web", UID: "b", WorkloadRef: OneOf(s, "kind of workload", append(refs, Demo)...), Finalizers: []string{workload.FinalizerBatchRelease}}
	plan := &br.ReleasePlan
	releasePlan(s, &br)
	batch := Between(s, "batch", 0, int32(len(plan.Batches))-1)
	if !OneIn(s, "given back", 3) {
		plan.BatchPartition = &batch
	}
	snapshot := batchrelease.Snapshot{StableSet: "web-1", Workload: taken(s, &br, plan.Batches[batch].CanaryReplicas, interfered)}
	br.Status = batchrelease.Status{
		Phase:                    OneOf(s, "phase", batchrelease.PhaseProgressing, batchrelease.PhaseProgressing, batchrelease.PhasePreparing, batchrelease.PhaseFinalizing),
		ObservedWorkloadReplicas: *snapshot.Workload.Replicas, ObservedRolloutID: plan.RolloutID, ObservedReleasePlanHash: plan.Hash(), StableRevision: "v1", UpdateRevision: "v2",
		Current: batchrelease.CurrentBatch{
			CurrentBatch: batch, BatchState: OneOf(s, "state", batchrelease.StateUpgrading, batchrelease.StateVerifying, batchrelease.StateReady),
		},
	}
	snapshot.Release = br
	if plan.EnableExtraWorkloadForCanary && Bool(s, "canary there") {
		size := Between[int32](s, "canary size", 0, 6)
		snapshot.Canary = &workload.Workload{Ref: Demo, UID: "c", Replicas: &size, UpdateRevision: "v2", Annotations: map[string]string{partition.AnnotationControlInfo: workload.ControlInfo(br.Name, br.UID)},
			Status: workload.Status{Replicas: size, UpdatedReplicas: size, ReadyReplicas: size, AvailableReplicas: size}}
	}
	for _, i := range Perm(s, 4) {
		pod := workload.Pod{Name: fmt.Sprint("demo-", i), UID: fmt.Sprint("demo-", i), Ready: true, Labels: map[string]string{workload.LabelPodTemplateHash: OneOf(s, "pod", "v1", "v2", "2")}}
		if OneIn(s, "labelled", 3) {
			pod.Labels[workload.LabelRolloutID], pod.Labels[workload.LabelBatchID] = plan.RolloutID, "1"
		}
		snapshot.Pods = append(snapshot.Pods, pod)
	}
	return snapshot
}

func releasePlan(s Source, br *batchrelease.Release) {
	plan, ref := &br.ReleasePlan, br.WorkloadRef
	for _, step := range Steps(s, false) {
		plan.Batches = append(plan.Batches, batchrelease.Batch{CanaryReplicas: step.Replicas})
	}
	plan.RollingStyle = workload.Partition
	if ref == Demo || ref == DemoClones {
		plan.RollingStyle = OneOf(s, "style", workload.Partition, workload.Partition, workload.BlueGreen)
	}
	if ref == Demo && plan.RollingStyle == workload.Partition && OneIn(s, "canary", 3) {
		plan.EnableExtraWorkloadForCanary, plan.RollingStyle = true, workload.Canary
	}
	plan.RolloutID = OneOf(s, "id", "", "v2", "id")
	plan.FailureThreshold = OneOf(s, "threshold", rollout.IntOrPercent{}, rollout.IntOrPercent{}, rollout.Int(1), rollout.Percent(30))
	plan.FinalizingPolicy = OneOf(s, "policy", "", batchrelease.Immediate, batchrelease.WaitResume)
}

// taken draws a workload in the middle of a batch of a BatchRelease.
func taken(s Source, br *batchrelease.Release, batch rollout.IntOrPercent, interfered bool) *workload.Workload {
	w := driven(s, br)
	w.Partition = OneOf(s, "partition", rollout.Int(0), rollout.Percent(100), rollout.Percent(50))
	w.UpdateRevision = "v2"
	replicas := OneOf[int32](s, "size", 1, 4, 6, 10, 150)
	w.Replicas, w.Labels = &replicas, map[string]string{workload.LabelStableRevision: "v1"}
	if interfered {
		w.UpdateRevision = OneOf(s, "template", "v2", "v2", "v1", "v3")
		if OneIn(s, "named", 4) {
			w.Labels[workload.LabelRolloutID] = OneOf(s, "name", "id", "v2", "other")
		}
		if OneIn(s, "marked", 3) {
			w.Annotations[workload.AnnotationInProgress] = "x"
		}
	}
	if OneIn(s, "hash with a name", 4) {
		w.UpdateRevision = "web-" + w.UpdateRevision
	}
	if Bool(s, "taken") {
		w.Annotations[partition.AnnotationControlInfo], w.Paused = workload.ControlInfo(br.Name, br.UID), true
		w.StrategyType = "Recreate"
		strategy := partition.Strategy{
			RollingStyle: partition.Style, RollingUpdate: &partition.RollingUpdate{MaxUnavailable: rollout.Int(1)},
			Partition: OneOf(s, "released", batch, rollout.Int(0), rollout.Int(2), rollout.Percent(30)),
		}
		w.Annotations[partition.AnnotationStrategy] = strategy.Text()
		w.Annotations[workload.AnnotationOriginalStrategy] = OneOf(s, "original", "", `{"type":"Recreate"}`, `{"maxSurge":1,"maxUnavailable":0}`)
	} else if OneIn(s, "unset surge", 3) {
		w.RollingUpdate = &partition.RollingUpdate{MaxUnavailable: rollout.Int(2)}
	}
	updated := Between(s, "updated", 0, replicas)
	ready := Between(s, "updated and ready", max(0, updated-2), updated)
	w.Status = workload.Status{Replicas: replicas, UpdatedReplicas: updated, UpdatedReadyReplicas: ready, ReadyReplicas: replicas, AvailableReplicas: replicas}
	return w
}

// midwayBatches draws a moment some passes into a release; some pods are updated, and some of these
// become ready.
func midwayBatches(s Source) batchrelease.Snapshot {
	snapshot := batches(s, false)
	for range Between(s, "passes", 1, 6) {
		p, err := batchrelease.Reconcile(snapshot, Now, batchrelease.Options{})
		if err == nil {
			snapshot, err = p.Apply(snapshot, Now)
		}
		if err != nil {
			panic(err) // the planner refuses a truthful snapshot, or its own plan
		}
		if w := snapshot.Workload; w != nil {
			n := min(w.DesiredReplicas(), snapshot.Release.Status.ObservedWorkloadReplicas)
			w.Status.UpdatedReplicas = max(w.Status.UpdatedReplicas, Between(s, "updated", 0, max(n, 0)))
			w.Status.UpdatedReadyReplicas = max(w.Status.UpdatedReadyReplicas, Between(s, "ready", 0, w.Status.UpdatedReplicas))
		}
	}
	return snapshot
}
