// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

func TestVectorsIsBatchReady(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/is_batch_ready", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			DesiredUpdatedReplicas, PlannedUpdatedReplicas   int32
			FailureThreshold                                 recorded.Loose
			LabelledPods, LabelledTerminatingPods, OtherPods int32
			RolloutID                                        string
			UpdatedReadyReplicas, UpdatedReplicas            int32
		}
		r.Read(t, &in)
		c := batchrelease.Context{
			RolloutID: in.RolloutID, Updated: in.UpdatedReplicas, UpdatedReady: in.UpdatedReadyReplicas,
			Planned: in.PlannedUpdatedReplicas, Desired: in.DesiredUpdatedReplicas, FailureThreshold: in.FailureThreshold.IntOrPercent,
			Labelled: in.LabelledPods, PodCount: in.LabelledPods + in.LabelledTerminatingPods + in.OtherPods,
		}
		return readiness(c), ""
	})
}

func readiness(c batchrelease.Context) map[string]any {
	hold, waiting := c.Waiting(0)
	out := map[string]any{"ready": !waiting}
	if waiting {
		out["reason"] = c.Text(hold)
	}
	return out
}

// A batchInput is the part that all files about batches share.
type batchInput struct {
	CurrentPartition recorded.Loose
	CurrentMaxSurge  recorded.Loose
	Release          struct {
		Batches              []recorded.Loose
		CurrentBatch         int32
		NoNeedUpdateReplicas *int32
		RolloutID            string
		FailureThreshold     recorded.Loose
	}
	Replicas                                                      int32
	Status                                                        workload.Status
	StrategyAnnotation                                            string
	UnderRolloutControl                                           bool
	Workload, Kind                                                string
	Native, PreparedForBlueGreen                                  bool
	DesiredNumberScheduled                                        int32
	CanaryReplicas, CanaryStatusReplicas, CanaryAvailableReplicas int32
}

func (in *batchInput) release(style workload.Style) batchrelease.Release {
	br := batchrelease.Release{Name: "ro", UID: "bruid"}
	br.ReleasePlan.RollingStyle = style
	for _, b := range in.Release.Batches {
		br.ReleasePlan.Batches = append(br.ReleasePlan.Batches, batchrelease.Batch{CanaryReplicas: b.IntOrPercent})
	}
	br.ReleasePlan.RolloutID = in.Release.RolloutID
	br.ReleasePlan.FailureThreshold = in.Release.FailureThreshold.IntOrPercent
	br.Status.Current.CurrentBatch = in.Release.CurrentBatch
	br.Status.Current.NoNeedUpdateReplicas = in.Release.NoNeedUpdateReplicas
	return br
}

func (in *batchInput) rule() string {
	return recorded.Worst(append([]recorded.Loose{in.CurrentPartition, in.CurrentMaxSurge, in.Release.FailureThreshold}, in.Release.Batches...)...)
}

// outcome is what the files about batches record.
func outcome(t *testing.T, in *batchInput, br batchrelease.Release, w workload.Workload, canary *workload.Workload) map[string]any {
	t.Helper()
	c := batchrelease.NewContext(br, w, canary, 0)
	out := readiness(c)
	actions := []any{}
	patch, write, refused := c.UpgradePatch(w, canary, 0)
	name, patchType := "demo", "application/merge-patch+json"
	if w.Kind == "Deployment" {
		patchType = "application/strategic-merge-patch+json"
	}
	if canary != nil {
		name = "demo-x"
	}
	if write {
		actions = append(actions, map[string]any{
			"body": json.RawMessage(patch.Body(w.Ref)), "kind": w.Kind, "name": name, "patchType": patchType, "verb": "patch",
		})
	}
	if refused != "" {
		require.Equal(t, reason.NoControlInfo, refused)
		out["upgradeError"] = "cannot upgrade batch, because " + strings.ToLower(w.Kind) + " ns/demo doesn't satisfy conditions: workload has no control info annotation"
	}
	zero := func(v rollout.IntOrPercent) rollout.IntOrPercent {
		if v.IsZero() {
			return rollout.Int(0)
		}
		return v
	}
	current := c.CurrentPartition
	if c.Driver == workload.DriverDeployment || c.Driver == workload.DriverNativeDaemonSet {
		current = rollout.Int(0) // not recorded
	}
	for key, value := range map[string]any{
		"actions": actions, "currentBatch": c.CurrentBatch, "replicas": c.Replicas, "updatedReadyReplicas": c.UpdatedReady,
		"updatedReplicas": c.Updated, "plannedUpdatedReplicas": c.Planned, "desiredUpdatedReplicas": c.Desired,
		"currentPartition": zero(current), "desiredPartition": zero(c.DesiredPartition),
		"currentSurge": zero(c.CurrentSurge), "desiredSurge": zero(c.DesiredSurge),
	} {
		out[key] = value
	}
	return out
}

func TestVectorsBatchPartitionDeployment(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/batch_partition_deployment", func(t *testing.T, r recorded.Recording) (any, string) {
		var in batchInput
		r.Read(t, &in)
		w := workload.Workload{Ref: deployment, Replicas: &in.Replicas, Status: in.Status, Annotations: map[string]string{
			partition.AnnotationStrategy: in.StrategyAnnotation,
		}}
		if in.UnderRolloutControl {
			w.StrategyType, w.Paused = "Recreate", true
			w.Annotations[partition.AnnotationControlInfo] = "{}"
		}
		return outcome(t, &in, in.release(workload.Partition), w, nil), in.rule()
	})
}

func TestVectorsBatchCloneSet(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/batch_cloneset", func(t *testing.T, r recorded.Recording) (any, string) {
		var in batchInput
		r.Read(t, &in)
		w := workload.Workload{Ref: cloneSet, Replicas: &in.Replicas, Status: in.Status, Partition: in.CurrentPartition.IntOrPercent}
		return outcome(t, &in, in.release(workload.Partition), w, nil), in.rule()
	})
}

func TestVectorsBatchStatefulSet(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/batch_statefulset", func(t *testing.T, r recorded.Recording) (any, string) {
		var in batchInput
		r.Read(t, &in)
		w := workload.Workload{Ref: statefulSet, Replicas: &in.Replicas, Status: in.Status, Partition: in.CurrentPartition.IntOrPercent}
		if in.Workload != "native" {
			w.Ref, w.Unordered = advancedSet, in.Workload == "advanced-unordered"
		}
		return outcome(t, &in, in.release(workload.Partition), w, nil), in.rule()
	})
}

func TestVectorsBatchDaemonSet(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/batch_daemonset", func(t *testing.T, r recorded.Recording) (any, string) {
		var in batchInput
		r.Read(t, &in)
		w := workload.Workload{
			Ref: kruiseSet, Replicas: &in.DesiredNumberScheduled, Status: in.Status,
			RollingUpdate: &partition.RollingUpdate{}, UpdateRevision: "new",
		}
		if in.Native {
			w.Ref, w.Annotations = daemonSet, map[string]string{}
			var text struct{ CurrentPartition *string }
			r.Read(t, &text)
			if text.CurrentPartition != nil {
				w.Annotations[workload.AnnotationDaemonSetControl] = `{"partition":"` + *text.CurrentPartition + `","batch-revision":"new"}`
			}
			in.CurrentPartition.Rule = ""
		} else {
			w.Partition = in.CurrentPartition.IntOrPercent
		}
		rule := in.rule()
		if strings.Contains(string(r.Output), `"panic"`) {
			rule = "crash"
		}
		return outcome(t, &in, in.release(workload.Partition), w, nil), rule
	})
}

func TestVectorsBatchCanary(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/batch_canary_deployment", func(t *testing.T, r recorded.Recording) (any, string) {
		var in batchInput
		r.Read(t, &in)
		w := workload.Workload{Ref: deployment, Replicas: &in.Replicas}
		canary := &workload.Workload{Ref: deployment, Replicas: &in.CanaryReplicas, Status: workload.Status{
			Replicas: in.CanaryStatusReplicas, AvailableReplicas: in.CanaryAvailableReplicas,
		}}
		return outcome(t, &in, in.release(workload.Canary), w, canary), in.rule()
	})
}

func TestVectorsBatchBlueGreen(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/batch_bluegreen", func(t *testing.T, r recorded.Recording) (any, string) {
		var in batchInput
		r.Read(t, &in)
		w := workload.Workload{Ref: deployment, Replicas: &in.Replicas, Status: in.Status, StrategyType: "RollingUpdate"}
		if in.Kind == "CloneSet" {
			w.Ref = cloneSet
		}
		w.RollingUpdate = &partition.RollingUpdate{MaxSurge: in.CurrentMaxSurge.IntOrPercent, MaxUnavailable: rollout.Int(0)}
		if in.PreparedForBlueGreen {
			w.Annotations = map[string]string{partition.AnnotationControlInfo: "{}"}
			w.MinReadySeconds, w.ProgressDeadlineSeconds = workload.InfiniteMinReady, ptr.To(int32(workload.InfiniteDeadline))
		}
		return outcome(t, &in, in.release(workload.BlueGreen), w, nil), in.rule()
	})
}

func TestVectorsNativeDaemonSet(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/native_daemonset_delete", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			DesiredNumberScheduled    int32
			MaxUnavailable            recorded.Loose
			Partition, UpdateRevision string
			Pods                      []struct {
				Name, Revision, DeletionCost string
				Ready, Pending, Deleting     bool
				CreatedAt                    int64
			}
		}
		r.Read(t, &in)
		b := batchrelease.NativeBatch{
			Partition: in.Partition, Revision: in.UpdateRevision, MaxUnavailable: in.MaxUnavailable.IntOrPercent,
			DesiredNumberScheduled: in.DesiredNumberScheduled,
		}
		for _, p := range in.Pods {
			pod := batchrelease.DaemonSetPod{
				Name: p.Name, Revision: p.Revision, DeletionCost: p.DeletionCost, Ready: p.Ready, Pending: p.Pending,
				CreationTimestamp: time.Unix(p.CreatedAt, 0),
			}
			if p.Deleting {
				pod.DeletionTimestamp = time.Unix(1000, 0)
			}
			b.Pods = append(b.Pods, pod)
		}
		updated, notReady := b.Counts()
		victims, err := b.Victims(0)
		if err != nil {
			require.ErrorIs(t, err, kplan.ErrInvalid)
			return map[string]any{"error": "invalid partition value " + in.Partition + ": expected integer"}, ""
		}
		desired, _ := b.Desired()
		return map[string]any{
			"delete": append([]string{}, victims...), "desiredUpdatedReplicas": desired, "maxUnavailable": b.Allowed(),
			"updated": updated, "updatedNotReady": notReady,
		}, in.MaxUnavailable.Rule
	})
}
