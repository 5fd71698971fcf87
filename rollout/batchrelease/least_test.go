// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/workload"
)

// TestLeastSnapshot leaves out each field of the table in the comment of Snapshot: without
// it there is the error, or the plan is another one.
func TestLeastSnapshot(t *testing.T) {
	purity.Least(t, "plan.go", shop, []purity.Row[batchrelease.Snapshot]{
		{Field: "now", Err: "now: 0001-01-01 00:00:00 +0000 UTC: must be set"},
		{
			Field: "Release.Name", Leave: func(s *batchrelease.Snapshot) { s.Release.Name = "" },
			Err: `Release.Name: "": must be set`,
		},
		{
			Field: "Release.WorkloadRef", Leave: func(s *batchrelease.Snapshot) { s.Release.WorkloadRef = workload.Ref{} },
			Err: `Release.WorkloadRef: "/": ` + workload.KnownKinds,
		},
		{
			Field: "Workload.Ref", Leave: func(s *batchrelease.Snapshot) { s.Workload.Ref = workload.Ref{} },
			Err: `Workload.WorkloadRef: "/": ` + workload.KnownKinds,
		},
		{
			Field: "Release.Finalizers", Leave: func(s *batchrelease.Snapshot) { s.Release.Finalizers = nil },
			With: "plan: Patched", Less: "plan: Added finalizer",
		},
		{
			Field: "Release.ReleasePlan.Batches", Leave: func(s *batchrelease.Snapshot) { s.Release.ReleasePlan.Batches = nil },
			With: "Verifying, batch 0", Less: "Upgrading, batch -1",
		},
		{
			Field: "Release.ReleasePlan.BatchPartition", Leave: func(s *batchrelease.Snapshot) { s.Release.ReleasePlan.BatchPartition = nil },
			With: "Progressing", Less: "Finalizing",
		},
		{
			Field: "Release.Status.Phase", Leave: func(s *batchrelease.Snapshot) { s.Release.Status.Phase = "" },
			With: "Progressing", Less: "Preparing",
		},
		{
			Field: "Release.Status.ObservedReleasePlanHash", Leave: func(s *batchrelease.Snapshot) { s.Release.Status.ObservedReleasePlanHash = "" },
			With: "Verifying", Less: "Upgrading",
		},
		{
			Field: "Release.Status.ObservedWorkloadReplicas", Leave: func(s *batchrelease.Snapshot) { s.Release.Status.ObservedWorkloadReplicas = 0 },
			With: "Verifying", Less: "Upgrading",
		},
		{
			Field: "Workload", Leave: func(s *batchrelease.Snapshot) { s.Workload = nil },
			With: "Progressing", Less: "Finalizing",
		},
		{
			Field: "Workload.Replicas", Leave: func(s *batchrelease.Snapshot) { s.Workload.Replicas = nil },
			With: "Verifying", Less: "Upgrading",
		},
		{
			Field: "Workload.Annotations", Leave: func(s *batchrelease.Snapshot) { s.Workload.Annotations = nil },
			With: "Patched deployment web", Less: "nothing to do",
		},
		{
			Field: "Workload.UpdateRevision", Leave: func(s *batchrelease.Snapshot) { s.Workload.UpdateRevision = "" },
			With: "Verifying", Less: "Upgrading",
		},
		{
			Field: "Workload.Status", Edit: func(s *batchrelease.Snapshot) {
				s.Release.Status.Current.BatchState = batchrelease.StateVerifying
				s.Workload.Status.UpdatedReplicas, s.Workload.Status.UpdatedReadyReplicas = 2, 2
			},
			Leave: func(s *batchrelease.Snapshot) { s.Workload.Status = workload.Status{} },
			With:  "nothing to do", Less: "TooFewUpdated (0 of 2)",
		},
	}, func(s batchrelease.Snapshot, now time.Time) (string, error) {
		p, err := batchrelease.Reconcile(s, now, batchrelease.Options{})
		return fmt.Sprintf("plan: %v; %v %v, batch %d", p, p.Status.Phase, p.Status.Current.BatchState, p.Status.Current.CurrentBatch), err
	}, noon)
}
