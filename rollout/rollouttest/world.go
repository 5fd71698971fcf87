// SPDX-License-Identifier: Apache-2.0

package rollouttest

import (
	"time"

	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload"
)

// goOn lets the BatchRelease progress as far as it may.
func goOn(s random.Source, snapshot *kruise.Snapshot, _ time.Time) {
	if br := snapshot.BatchRelease; br != nil {
		snapshot.BatchRelease = random.Released(s, *br)
	}
}

// approve ends a pause.
func approve(_ random.Source, snapshot *kruise.Snapshot, _ time.Time) {
	if sub := snapshot.Rollout.Status.Sub; sub != nil && sub.CurrentStepState == kruise.StatePaused {
		sub.CurrentStepState = kruise.StateReady
	}
}

// toldKruise lets a user set another template, disable, pause, resume, or edit the steps.
func toldKruise(s random.Source, snapshot *kruise.Snapshot, _ time.Time) {
	r, w := &snapshot.Rollout, snapshot.Workload
	switch random.Below(s, "told", 4) {
	case 0:
		r.Paused = !r.Paused
	case 1:
		r.Disabled = !r.Disabled
	case 2:
		strategy := r.Strategy()
		strategy.Steps = append(strategy.Steps, random.Step(rollout.Percent(100), random.Between[int32](s, "pause", -1, 9)))
		r.Generation++
	case 3:
		if w != nil {
			version := random.OneOf(s, "template", "v1", "v2", "v3")
			w.CanaryRevision, w.PodTemplateHash, w.InRollback, w.InProgress = version, version, version == w.StableRevision, true
			w.Generation++
		}
	}
}

// updated lets pods be updated and become ready.
func updated(s random.Source, snapshot *batchrelease.Snapshot, _ time.Time) {
	if w := snapshot.Workload; w != nil {
		n := max(w.DesiredReplicas(), 0)
		w.Status.Replicas = n
		w.Status.UpdatedReplicas = random.Between(s, "updated", min(max(w.Status.UpdatedReplicas, 0), n), n)
		w.Status.UpdatedReadyReplicas = random.Between(s, "ready", 0, w.Status.UpdatedReplicas)
	}
}

// lost takes the readiness of updated pods away.
func lost(s random.Source, snapshot *batchrelease.Snapshot, _ time.Time) {
	if w := snapshot.Workload; w != nil {
		w.Status.UpdatedReadyReplicas = random.Between(s, "ready", 0, max(w.Status.UpdatedReadyReplicas, 0))
	}
}

// toldBatch lets the Rollout release the next batch or give the workload back, and users
// scale or set another template.
func toldBatch(s random.Source, snapshot *batchrelease.Snapshot, _ time.Time) {
	plan, w := &snapshot.Release.ReleasePlan, snapshot.Workload
	switch random.Below(s, "told", 4) {
	case 0:
		batch := random.Between(s, "batch", 0, int32(len(plan.Batches)))
		plan.BatchPartition = &batch
	case 1:
		plan.BatchPartition, plan.FinalizingPolicy = nil, batchrelease.WaitResume
	case 2:
		if w != nil {
			replicas := random.Between[int32](s, "replicas", 0, 12)
			w.Replicas = &replicas
		}
	case 3:
		if w != nil {
			w.UpdateRevision = random.OneOf(s, "template", "v1", "v2", "v3")
			w.Annotations = map[string]string{workload.AnnotationInProgress: "x"}
		}
	}
	snapshot.Release.Generation++
}

// live lets pods be created, deleted and become available, and Services become known.
func live(s random.Source, snapshot *argo.Snapshot, _ time.Time) {
	for i := range snapshot.Sets {
		rs := &snapshot.Sets[i]
		available := random.Between(s, "available", min(max(rs.AvailableReplicas, 0), rs.Replicas), rs.Replicas)
		rs.StatusReplicas, rs.AvailableReplicas, rs.ReadyReplicas = rs.Replicas, available, available
	}
}

// die takes available pods away.
func die(s random.Source, snapshot *argo.Snapshot, _ time.Time) {
	for i := range snapshot.Sets {
		rs := &snapshot.Sets[i]
		rs.AvailableReplicas = random.Between(s, "available", 0, max(rs.AvailableReplicas, 0))
		rs.ReadyReplicas = rs.AvailableReplicas
	}
}

// drift returns by how much a planner that sees the state before may miss a bound: unknown after
// a change of the spec, else 0, because bounds are about sizes, which pods do not change.
func drift(before, after *argo.Snapshot) int64 {
	if before.Rollout.Generation != after.Rollout.Generation {
		return properties.Unknown
	}
	return 0
}

// moved is the number of pods by which ReplicaSets were scaled, or created with.
func moved(before, after *argo.Snapshot) (n int64) {
	sizes := map[string]int32{}
	for i := range before.Sets {
		sizes[before.Sets[i].Hash] = before.Sets[i].Replicas
	}
	for i := range after.Sets {
		d := int64(after.Sets[i].Replicas) - int64(sizes[after.Sets[i].Hash])
		n += max(d, -d)
	}
	return n
}

// toldArgo lets a user resume, abort, promote, scale, or set another template.
func toldArgo(s random.Source, snapshot *argo.Snapshot, _ time.Time) {
	r := &snapshot.Rollout
	switch random.Below(s, "told", 6) {
	case 0:
		r.Status.PauseConditions = nil
	case 1:
		r.Status.Abort = !r.Status.Abort
	case 2:
		r.Status.PromoteFull = true
	case 3:
		replicas := random.Between[int32](s, "replicas", 0, 9)
		r.Replicas = &replicas
	case 4:
		r.TemplateHash = random.OneOf(s, "template", "v1", "v2", "v3", "v4", "v5")
	case 5:
		r.Paused = !r.Paused
	}
	r.Generation++
}
