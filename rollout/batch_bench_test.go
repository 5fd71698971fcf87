package rollout_test

import (
	"fmt"
	"testing"

	"github.com/kplan-go/kplan/rollout"
)

func BenchmarkReconcileBatch(b *testing.B) {
	br := release(rollout.Partition)
	for i := range int32(100) {
		br.ReleasePlan.Batches = append(br.ReleasePlan.Batches, rollout.Batch{CanaryReplicas: rollout.Percent(i + 1)})
	}
	br.ReleasePlan.RolloutID = "id"
	br.Status = rollout.BatchStatus{
		Phase: rollout.BatchProgressing, ObservedReleasePlanHash: br.ReleasePlan.Hash(), ObservedRolloutID: "id", UpdateRevision: "v2", ObservedWorkloadReplicas: 10_000,
		Current: rollout.CurrentBatch{BatchState: rollout.BatchUpgrading, UpdatedReplicas: 100},
	}
	w := rollout.Workload{WorkloadRef: deployment, Replicas: new(int32(10_000)), StrategyType: "Recreate", Paused: true, UpdateRevision: "v2",
		Annotations: map[string]string{rollout.AnnotationControlInfo: "{}"}}
	w.Status.UpdatedReplicas = 100
	s := rollout.BatchSnapshot{Release: br, Workload: &w}
	for i := range 10_000 {
		s.Pods = append(s.Pods, rollout.Pod{Name: fmt.Sprint("p", i), Labels: map[string]string{rollout.LabelPodTemplateHash: fmt.Sprint("v", 1+i%100/99)}})
	}
	run := func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := rollout.ReconcileBatch(s, now, rollout.BatchOptions{}); err != nil {
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
