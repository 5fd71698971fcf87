// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload"
)

// The BatchRelease that a step asks for.
func TestReleaseOf(t *testing.T) {
	r := partitioned(deployment, step(rollout.Percent(20), 60), step(rollout.Int(5), -1))
	r.Canary.FailureThreshold, r.Canary.PatchPodTemplateMetadata = rollout.Percent(10), &workload.TemplateMetadata{Labels: map[string]string{"a": "b"}}
	r.Annotations = map[string]string{workload.AnnotationRollbackInBatch: "true"}
	f := workload.State{CanaryRevision: "v2"}
	want := batchrelease.Release{Name: "web", WorkloadRef: deployment, ReleasePlan: batchrelease.ReleasePlan{
		Batches: []batchrelease.Batch{{CanaryReplicas: rollout.Percent(20)}, {CanaryReplicas: rollout.Int(5)}}, BatchPartition: ptr.To(int32(1)), RolloutID: "v2",
		FailureThreshold: rollout.Percent(10), PatchPodTemplateMetadata: &workload.TemplateMetadata{Labels: map[string]string{"a": "b"}}, RollingStyle: workload.Partition,
	}}
	require.Equal(t, want, kruise.ReleaseOf(r, f, 2, 0))
	r.Canary.EnableExtraWorkloadForCanary = true
	got := kruise.ReleaseOf(r, f, 1, 0).ReleasePlan
	require.Equal(t, []any{workload.Canary, true, int32(0)}, []any{got.RollingStyle, got.EnableExtraWorkloadForCanary, *got.BatchPartition})
	r.BlueGreen, r.Canary = r.Canary, nil
	got = kruise.ReleaseOf(r, f, 1, 0).ReleasePlan
	require.Equal(t, []any{workload.BlueGreen, false, true}, []any{got.RollingStyle, got.EnableExtraWorkloadForCanary, got.PatchPodTemplateMetadata == nil})
	f.InRollback = true
	require.Equal(t, map[string]string{workload.AnnotationRollbackInBatch: "true"}, kruise.ReleaseOf(r, f, 1, 0).Annotations)
	r.Annotations = nil
	require.Equal(t, map[string]string{workload.AnnotationRollbackInBatch: ""}, kruise.ReleaseOf(r, f, 1, 0).Annotations, "possibly empty")

	// What is waited for, in order: that it is there, up to date, observed, and ready.
	s := begun(kruise.StateUpgrade, twoSteps())
	br := kruise.ReleaseOf(s.Rollout, *s.Workload, 1, 0)
	br.Generation = 2
	s.Rollout.Status.Sub.ObservedRolloutID = br.ReleasePlan.RolloutID
	hold := func(change func()) string {
		change()
		p := reconcile(t, s, kruise.Options{})
		if len(p.Holds) == 0 {
			return string(p.Status.CurrentStepState)
		}
		return string(p.Holds[0].Reason)
	}
	require.Equal(t, "ReleaseMissing", hold(func() {}))
	require.Equal(t, "ReleaseOutdated", hold(func() { s.BatchRelease = &batchrelease.Release{Name: "web", WorkloadRef: deployment} }))
	require.Equal(t, "NotObserved", hold(func() { s.BatchRelease = &br }))
	require.Equal(t, "NotObserved", hold(func() { br.Status.ObservedReleasePlanHash = br.ReleasePlan.Hash() }))
	require.Equal(t, "BatchNotReady", hold(func() { br.Status.ObservedGeneration = 2 }))
	require.Equal(t, "StepTrafficRouting", hold(func() { br.Status.Current.BatchState = batchrelease.StateReady }))
}
