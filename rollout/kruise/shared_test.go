// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"time"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// What cases are made of.
var (
	deployment, cloneSet, statefulSet, daemonSet, kruiseSet = random.Demo, random.DemoClones, random.DemoStateful, random.DemoDaemons, random.DemoDaemonsAdv

	now, step, routings = random.Now, random.Step, random.Routed
)

// anyRollout draws a Rollout in any state, most often in one that a cluster shows.
func anyRollout(s random.Source) kruise.Snapshot {
	return random.Rollout(s, random.OneOf(s, "kind", random.CaughtUp, random.Truthful, random.Truthful, random.Truthful, random.Midway, random.Anything, random.Anything))
}

// anyBatch draws a BatchRelease in the same way.
func anyBatch(s random.Source) batchrelease.Snapshot {
	return random.Batches(s, random.OneOf(s, "kind", random.CaughtUp, random.Truthful, random.Truthful, random.Truthful, random.Midway, random.Anything, random.Anything))
}

// examples are a few snapshots of a generator, always the same.
func examples[S any](draw func(random.Source) S) (list []S) {
	for seed := range uint64(8) {
		list = append(list, draw(random.Seeded(seed)))
	}
	return list
}

func release(style workload.Style, sizes ...rollout.IntOrPercent) batchrelease.Release {
	br := batchrelease.Release{Name: "web", UID: "b", WorkloadRef: deployment, Finalizers: []string{workload.FinalizerBatchRelease}}
	br.ReleasePlan = batchrelease.ReleasePlan{RollingStyle: style, BatchPartition: ptr.To(int32(0))}
	for _, v := range sizes {
		br.ReleasePlan.Batches = append(br.ReleasePlan.Batches, batchrelease.Batch{CanaryReplicas: v})
	}
	return br
}

// progressing is a BatchRelease in its first batch, of v2 over v1, and its workload of
// 10 pods.
func progressing(ref workload.Ref) batchrelease.Snapshot {
	br := release(workload.Partition, rollout.Percent(20), rollout.Percent(100))
	br.WorkloadRef = ref
	br.Status = batchrelease.Status{
		Phase: batchrelease.PhaseProgressing, ObservedReleasePlanHash: br.ReleasePlan.Hash(), StableRevision: "v1", UpdateRevision: "v2", ObservedWorkloadReplicas: 10,
		Current: batchrelease.CurrentBatch{BatchState: batchrelease.StateReady, BatchReadyTime: now, UpdatedReplicas: 2, UpdatedReadyReplicas: 2},
	}
	w := workload.Workload{Ref: ref, Generation: 3, Replicas: ptr.To(int32(10)), StableRevision: "v1", UpdateRevision: "v2"}
	w.Status = workload.Status{ObservedGeneration: 3, Replicas: 10, UpdatedReplicas: 2, UpdatedReadyReplicas: 2}
	return batchrelease.Snapshot{Release: br, Workload: &w}
}

func partitioned(ref workload.Ref, steps ...kruise.Step) kruise.Rollout {
	return kruise.Rollout{Name: "web", WorkloadRef: ref, Canary: &kruise.Strategy{Steps: steps}}
}

var corrected = kruise.Options{Repair: quirk.All}

func planBatch(s batchrelease.Snapshot, now time.Time, o batchrelease.Options) (batchrelease.Plan, error) {
	p, err := batchrelease.Reconcile(s, now, o)
	produced.Note(p)
	return p, err
}

// batchOptions returns the options that go with those of a Rollout.
func batchOptions(o kruise.Options) batchrelease.Options {
	return batchrelease.Options{Repair: o.Repair}
}

// unset is no limit at all.
var unset rollout.IntOrPercent
