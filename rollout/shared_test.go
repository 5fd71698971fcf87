package rollout_test

import (
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
)

var (
	deployment  = rollout.WorkloadRef{APIVersion: "apps/v1", Kind: "Deployment", Name: "demo"}
	cloneSet    = rollout.WorkloadRef{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "demo"}
	statefulSet = rollout.WorkloadRef{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "demo"}
	daemonSet   = rollout.WorkloadRef{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "demo"}
	advancedSet = rollout.WorkloadRef{APIVersion: "apps.kruise.io/v1beta1", Kind: "StatefulSet", Name: "demo"}
	kruiseSet   = rollout.WorkloadRef{APIVersion: "apps.kruise.io/v1alpha1", Kind: "DaemonSet", Name: "demo"}
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func release(style rollout.Style, sizes ...rollout.IntOrPercent) rollout.BatchRelease {
	br := rollout.BatchRelease{Name: "web", UID: "b", WorkloadRef: deployment, Finalizers: []string{rollout.FinalizerBatchRelease}}
	br.ReleasePlan = rollout.ReleasePlan{RollingStyle: style, BatchPartition: new(int32(0))}
	for _, v := range sizes {
		br.ReleasePlan.Batches = append(br.ReleasePlan.Batches, rollout.Batch{CanaryReplicas: v})
	}
	return br
}

// progressing is a BatchRelease in its first batch, of v2 over v1, and its workload of
// 10 pods.
func progressing(ref rollout.WorkloadRef) rollout.BatchSnapshot {
	br := release(rollout.Partition, rollout.Percent(20), rollout.Percent(100))
	br.WorkloadRef = ref
	br.Status = rollout.BatchStatus{
		Phase: rollout.BatchProgressing, ObservedReleasePlanHash: br.ReleasePlan.Hash(), StableRevision: "v1", UpdateRevision: "v2", ObservedWorkloadReplicas: 10,
		Current: rollout.CurrentBatch{BatchState: rollout.BatchReady, BatchReadyTime: now, UpdatedReplicas: 2, UpdatedReadyReplicas: 2},
	}
	w := rollout.Workload{WorkloadRef: ref, Generation: 3, Replicas: new(int32(10)), StableRevision: "v1", UpdateRevision: "v2"}
	w.Status = rollout.WorkloadStatus{ObservedGeneration: 3, Replicas: 10, UpdatedReplicas: 2, UpdatedReadyReplicas: 2}
	return rollout.BatchSnapshot{Release: br, Workload: &w}
}

func partitioned(ref rollout.WorkloadRef, steps ...rollout.Step) rollout.Rollout {
	return rollout.Rollout{Name: "web", WorkloadRef: ref, Canary: &rollout.Strategy{Steps: steps}}
}

// examples are a few snapshots of a generator, always the same.
func examples[S any](generate func(*rapid.T) S) (list []S) {
	g := rapid.Custom(generate)
	for seed := range 5 {
		list = append(list, g.Example(seed))
	}
	return list
}

var corrected = rollout.Options{Repair: rollout.RepairAll}

func anyBatch(t *rapid.T) rollout.BatchSnapshot {
	br := anyRelease(t)
	return rollout.BatchSnapshot{Release: br, Workload: anyWorkload(t, br), Pods: []rollout.Pod{{Name: "p", Ready: true, Labels: map[string]string{rollout.LabelPodTemplateHash: "v2"}}}}
}

func planBatch(s rollout.BatchSnapshot, now time.Time, o rollout.BatchOptions) (rollout.BatchPlan, error) {
	p, err := rollout.ReconcileBatch(s, now, o)
	produced.Note(p)
	return p, err
}

// batchOptions returns the options that go with those of a Rollout.
func batchOptions(o rollout.Options) rollout.BatchOptions {
	return rollout.BatchOptions{Repair: o.Repair}
}

func eventOf(s rollout.BatchSnapshot) rollout.WorkloadEvent {
	e := rollout.EventOf(s)
	produced.Note(e)
	return e
}
