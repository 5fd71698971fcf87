// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/workload"
)

var (
	deployment  = workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "demo"}
	cloneSet    = workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "demo"}
	statefulSet = workload.Ref{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "demo"}
	daemonSet   = workload.Ref{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "demo"}
	advancedSet = workload.Ref{APIVersion: "apps.kruise.io/v1beta1", Kind: "StatefulSet", Name: "demo"}
	kruiseSet   = workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "DaemonSet", Name: "demo"}
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

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

// produced are the constants that the plans of all tests have had.
var produced purity.Produced

func planBatch(s batchrelease.Snapshot, now time.Time, o batchrelease.Options) (batchrelease.Plan, error) {
	p, err := batchrelease.Reconcile(s, now, o)
	produced.Note(p)
	return p, err
}

func eventOf(s batchrelease.Snapshot) batchrelease.WorkloadEvent {
	e := batchrelease.EventOf(s)
	produced.Note(e)
	return e
}

// unset is no limit at all.
var unset rollout.IntOrPercent

func requireFieldError(t *testing.T, err error, value any) {
	t.Helper()
	require.ErrorIs(t, err, kplan.ErrInvalid)
	var fe *kplan.FieldError
	require.ErrorAs(t, err, &fe)
	require.Equal(t, value, fe.Value)
	require.NotEmpty(t, fe.Detail)
}

// TestMain asks, when all tests have run, that each constant that a plan can have is in
// the plan of one of them.
func TestMain(m *testing.M) {
	produced.Note(batchrelease.PhaseInitial) // others may have written it, and no plan has it
	produced.Main(m, "Reason", "Phase", "State", "WorkloadEvent")
}
