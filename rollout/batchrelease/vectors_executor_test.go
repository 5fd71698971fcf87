// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

func TestVectorsPodBatchLabels(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/patch_pod_batch_labels", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			Batches                   []recorded.Loose
			CurrentBatch, Replicas    int32
			Pods                      []recordedPod
			RolloutID, UpdateRevision string
		}
		r.Read(t, &in)
		br := batchrelease.Release{}
		for _, b := range in.Batches {
			br.ReleasePlan.Batches = append(br.ReleasePlan.Batches, batchrelease.Batch{CanaryReplicas: b.IntOrPercent})
		}
		br.ReleasePlan.RolloutID, br.Status.Current.CurrentBatch = in.RolloutID, in.CurrentBatch
		patches := []any{}
		for _, a := range batchrelease.Labels(br, in.Replicas, in.UpdateRevision, podsOf(in.Pods), 0) {
			patches = append(patches, map[string]any{"labels": a.Labels, "pod": a.Name})
		}
		return map[string]any{"patches": patches}, ""
	})
}

type recordedPod struct {
	Name     string
	Labels   map[string]string
	Deleting bool
}

func podsOf(recorded []recordedPod) []workload.Pod {
	var pods []workload.Pod
	for _, p := range recorded {
		pod := workload.Pod{Name: p.Name, Labels: p.Labels}
		if p.Deleting {
			pod.DeletionTimestamp = now
		}
		pods = append(pods, pod)
	}
	return pods
}

func TestVectorsFilterPodsForRollback(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/filter_pods_for_rollback", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			DesiredPartition, DesiredUpdatedReplicas, PlannedUpdatedReplicas, Replicas int32
			Ordered                                                                    bool
			Pods                                                                       []recordedPod
			RolloutID, UpdateRevision                                                  string
		}
		r.Read(t, &in)
		names := []string{}
		for _, p := range (batchrelease.RollbackFilter{
			Ordered: in.Ordered, RolloutID: in.RolloutID, UpdateRevision: in.UpdateRevision, Planned: in.PlannedUpdatedReplicas,
			Desired: in.DesiredUpdatedReplicas, Partition: in.DesiredPartition, Replicas: in.Replicas,
		}).Pods(podsOf(in.Pods)) {
			names = append(names, p.Name)
		}
		return names, ""
	})
}

type recordedBatchStatus struct {
	CanaryStatus struct {
		BatchState           batchrelease.State `json:"batchState,omitempty"`
		CurrentBatch         int32              `json:"currentBatch"`
		BatchReadyTime       string             `json:"batchReadyTime,omitempty"`
		UpdatedReplicas      int32              `json:"updatedReplicas,omitempty"`
		UpdatedReadyReplicas int32              `json:"updatedReadyReplicas,omitempty"`
	} `json:"canaryStatus"`
	StableRevision           string             `json:"stableRevision,omitempty"`
	UpdateRevision           string             `json:"updateRevision,omitempty"`
	ObservedWorkloadReplicas int32              `json:"observedWorkloadReplicas,omitempty"`
	ObservedReleasePlanHash  string             `json:"observedReleasePlanHash,omitempty"`
	ObservedRolloutID        string             `json:"observedRolloutID,omitempty"`
	Phase                    batchrelease.Phase `json:"phase,omitempty"`
}

func (s recordedBatchStatus) status() batchrelease.Status {
	out := batchrelease.Status{
		StableRevision: s.StableRevision, UpdateRevision: s.UpdateRevision, ObservedWorkloadReplicas: s.ObservedWorkloadReplicas,
		ObservedReleasePlanHash: s.ObservedReleasePlanHash, ObservedRolloutID: s.ObservedRolloutID, Phase: s.Phase,
	}
	c := s.CanaryStatus
	out.Current = batchrelease.CurrentBatch{
		BatchState: c.BatchState, CurrentBatch: c.CurrentBatch, UpdatedReplicas: c.UpdatedReplicas, UpdatedReadyReplicas: c.UpdatedReadyReplicas,
	}
	if c.BatchReadyTime != "" {
		out.Current.BatchReadyTime = now
	}
	return out
}

func recordBatchStatus(s batchrelease.Status) recordedBatchStatus {
	out := recordedBatchStatus{
		StableRevision: s.StableRevision, UpdateRevision: s.UpdateRevision, ObservedWorkloadReplicas: s.ObservedWorkloadReplicas,
		ObservedReleasePlanHash: s.ObservedReleasePlanHash, ObservedRolloutID: s.ObservedRolloutID, Phase: s.Phase,
	}
	out.CanaryStatus.BatchState, out.CanaryStatus.CurrentBatch = s.Current.BatchState, s.Current.CurrentBatch
	out.CanaryStatus.UpdatedReplicas, out.CanaryStatus.UpdatedReadyReplicas = s.Current.UpdatedReplicas, s.Current.UpdatedReadyReplicas
	return out
}

func TestVectorsBatchReleaseExecutor(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/batch_release_executor", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			Deleting, PlanChanged, WorkloadGone bool
			ReleasePlan                         batchrelease.ReleasePlan
			Status                              recordedBatchStatus
			Workload                            *struct {
				Generation, ObservedGeneration                                  int64
				Replicas, StatusReplicas, UpdatedReplicas, UpdatedReadyReplicas int32
				SpecStrategy                                                    struct {
					Type          string
					RollingUpdate *partition.RollingUpdate
				}
				Paused                         *bool
				StableRevision, UpdateRevision string
				StrategyAnnotation             string
				UnderRolloutControl            bool
			}
		}
		if json.Unmarshal(r.Input, &in) != nil {
			return nil, "malformed"
		}
		s := batchrelease.Snapshot{Release: batchrelease.Release{
			Name: "rollout", UID: "bruid", Finalizers: []string{workload.FinalizerBatchRelease}, WorkloadRef: deployment,
			ReleasePlan: in.ReleasePlan, Status: in.Status.status(),
		}}
		if in.Deleting {
			s.Release.DeletionTimestamp = now
			if in.Status.Phase == batchrelease.PhaseCompleted { // the recording begins behind the finalizer
				s.Release.Finalizers = nil
			}
		}
		if w := in.Workload; w != nil && !in.WorkloadGone {
			s.Workload = &workload.Workload{
				Ref: deployment, Generation: w.Generation, Replicas: &w.Replicas, StrategyType: w.SpecStrategy.Type,
				RollingUpdate: w.SpecStrategy.RollingUpdate, Paused: true, StableRevision: w.StableRevision, UpdateRevision: w.UpdateRevision,
				Annotations: map[string]string{partition.AnnotationStrategy: w.StrategyAnnotation},
				Status: workload.Status{
					ObservedGeneration: w.ObservedGeneration, Replicas: w.StatusReplicas, UpdatedReplicas: w.UpdatedReplicas,
					UpdatedReadyReplicas: w.UpdatedReadyReplicas,
				},
			}
			if w.Paused != nil {
				s.Workload.Paused = *w.Paused
			}
			if w.UnderRolloutControl {
				s.Workload.Annotations[partition.AnnotationControlInfo] = workload.ControlInfo(s.Release.Name, s.Release.UID)
			}
		}
		plan, err := planBatch(s, now, batchrelease.Options{})
		require.NoError(t, err, r.ID)
		out := map[string]any{"status": recordBatchStatus(plan.Status), "requeueAfterSeconds": 0}
		if !plan.RecheckAt.IsZero() {
			out["requeueAfterSeconds"] = int(plan.RecheckAt.Sub(now).Seconds())
		}
		if !plan.Status.Current.BatchReadyTime.IsZero() {
			out["batchReadyTime"] = "now"
		}
		if plan.Failure != "" {
			out["error"] = plan.Failure
		}
		actions := []any{}
		for _, a := range plan.Actions {
			patch, ok := a.(batchrelease.PatchWorkload)
			require.True(t, ok, "%s: %v", r.ID, a)
			actions = append(actions, map[string]any{
				"body": json.RawMessage(patch.Patch.Body(deployment)), "kind": "Deployment", "name": "demo",
				"patchType": "application/strategic-merge-patch+json", "verb": "patch",
			})
		}
		out["actions"] = actions
		return out, ""
	})
}
