// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"fmt"
	"testing"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// large returns a snapshot in the middle of a release of n pods, of which a hundredth is updated.
func large(n int) batchrelease.Snapshot {
	br := release(workload.Partition)
	for i := range int32(100) {
		br.ReleasePlan.Batches = append(br.ReleasePlan.Batches, batchrelease.Batch{CanaryReplicas: rollout.Percent(i + 1)})
	}
	br.ReleasePlan.RolloutID = "id"
	br.Status = batchrelease.Status{
		Phase: batchrelease.PhaseProgressing, ObservedReleasePlanHash: br.ReleasePlan.Hash(), ObservedRolloutID: "id", UpdateRevision: "v2", ObservedWorkloadReplicas: int32(n),
		Current: batchrelease.CurrentBatch{BatchState: batchrelease.StateUpgrading, UpdatedReplicas: int32(n / 100)},
	}
	w := workload.Workload{Ref: deployment, Replicas: ptr.To(int32(n)), StrategyType: "Recreate", Paused: true, UpdateRevision: "v2",
		Annotations: map[string]string{
			partition.AnnotationControlInfo: "{}",
			partition.AnnotationStrategy:    partition.Strategy{RollingStyle: partition.Style, Partition: rollout.Percent(1)}.Default(true).Text(),
		},
	}
	w.Status.UpdatedReplicas = int32(n / 100)
	s := batchrelease.Snapshot{Release: br, Workload: &w}
	for i := range n {
		s.Pods = append(s.Pods, workload.Pod{Name: fmt.Sprint("p", i), Labels: map[string]string{workload.LabelPodTemplateHash: fmt.Sprint("v", 1+i%100/99)}})
	}
	return s
}

func BenchmarkReconcileBatch(b *testing.B) {
	s := large(10_000)
	run := func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := batchrelease.Reconcile(s, now, batchrelease.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("batch of 100", run)
	for i := range s.Pods { // all of one template, whose hash no pod carries yet
		s.Pods[i].Labels, s.Pods[i].TemplateHash = nil, "v2"
	}
	b.Run("10,000 labels", run)
}
