// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/preview"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// undriven are workloads that no driver knows.
func undriven() []workload.Ref {
	ref := func(version, kind string) workload.Ref {
		return workload.Ref{APIVersion: version, Kind: kind, Name: "demo"}
	}
	return []workload.Ref{
		{}, ref("x/v1", "Game"), ref("x/v1", "Deployment"), ref("x/v1", "StatefulSet"), ref("v1", "Deployment"), ref("apps/v1", "ReplicaSet"), ref("apps/v1", "CloneSet"),
		ref("apps/v1", "deployment"), ref("apps.kruise.io/v1alpha1", "Deployment"), ref("apps.kruise.io/v1alpha1", "ReplicaSet"), ref("batch/v1", "Job"),
	}
}

// A kind that is not known is an error of every planner, and never a StatefulSet.
func TestUnknownKindsAreRejected(t *testing.T) {
	rejected := func(err error, path string, ref workload.Ref) {
		t.Helper()
		require.ErrorIs(t, err, kplan.ErrInvalid, "%+v", ref)
		var fe *kplan.FieldError
		require.ErrorAs(t, err, &fe)
		require.Equal(t, path, fe.Path)
		require.Equal(t, ref.Group()+"/"+ref.Kind, fe.Value)
	}
	steps := func(ref workload.Ref, style workload.Style) kruise.Rollout {
		r := partitioned(ref, step(rollout.Percent(100), 0))
		if style == workload.BlueGreen {
			r.Canary, r.BlueGreen = nil, r.Canary
		}
		return r
	}
	check := func(ref workload.Ref, style workload.Style) {
		_, err := workload.DriverOf(ref, style)
		rejected(err, "WorkloadRef", ref)
		_, err = planRollout(kruise.Snapshot{Rollout: steps(ref, style)}, now, kruise.Options{})
		rejected(err, "Rollout.WorkloadRef", ref)
		_, err = preview.Of(preview.Input{Rollout: steps(ref, style), Replicas: 3}, kruise.Options{})
		rejected(err, "Rollout.WorkloadRef", ref)
		s := batchrelease.Snapshot{Release: batchrelease.Release{Name: "demo", WorkloadRef: ref, ReleasePlan: batchrelease.ReleasePlan{RollingStyle: style}}}
		_, err = planBatch(s, now, batchrelease.Options{})
		rejected(err, "Release.WorkloadRef", ref)
		s.Release.WorkloadRef, s.Workload = deployment, &workload.Workload{Ref: ref}
		_, err = planBatch(s, now, batchrelease.Options{})
		rejected(err, "Workload.WorkloadRef", ref)
	}
	for _, ref := range undriven() {
		check(ref, workload.Partition)
		check(ref, workload.BlueGreen)
		_, err := planAdmission(kruise.AdmitSnapshot{New: workload.Workload{Ref: ref, Template: revision.Template{ID: "v2"}}}, kruise.Options{})
		rejected(err, "New.WorkloadRef", ref)
	}
	for _, ref := range []workload.Ref{statefulSet, daemonSet, kruiseSet, {APIVersion: "apps.kruise.io/v1beta1", Kind: "StatefulSet", Name: "demo"}} {
		_, err := workload.DriverOf(ref, "")
		require.NoError(t, err)
		check(ref, workload.BlueGreen)
	}
}

// What is called without a planner does nothing about a kind that is not known.
func TestUnknownKindsAreLeftAlone(t *testing.T) {
	for _, ref := range undriven() {
		for _, repair := range []quirk.Set{0, quirk.All} {
			w := workload.Workload{Ref: ref, Replicas: ptr.To(int32(10)), StableRevision: "a", UpdateRevision: "a", Paused: true}
			w.Annotations = map[string]string{partition.AnnotationControlInfo: "{}", workload.AnnotationOriginalStrategy: "{}"}
			br := batchrelease.Release{Name: "demo", WorkloadRef: ref, ReleasePlan: batchrelease.ReleasePlan{Batches: []batchrelease.Batch{{CanaryReplicas: rollout.Percent(50)}}}}
			br.Status.Current.NoNeedUpdateReplicas = ptr.To(int32(2))
			c := batchrelease.NewContext(br, w, nil, repair)
			require.Zero(t, c.Driver)
			require.Zero(t, c.Planned)
			require.Zero(t, c.Desired)
			for _, style := range []workload.Style{"", workload.Partition, workload.Canary, workload.BlueGreen} {
				br.ReleasePlan.RollingStyle = style
				_, write, refused := c.UpgradePatch(w, &w, repair)
				require.False(t, write)
				require.Empty(t, refused)
				_, write = batchrelease.InitializePatch(br, w, repair)
				require.False(t, write)
				_, write = batchrelease.ReleasePatch(br, w, batchrelease.Options{Repair: repair})
				require.False(t, write)
			}
			require.Equal(t, workload.State{Ref: ref}, workload.Inspect(workload.InspectSnapshot{Workload: w}), "not consistent")
		}
	}
	p := workload.Patch{Labels: map[string]*string{"a": ptr.To("b")}, Partition: rollout.Int(3), Paused: ptr.To(true), Replicas: ptr.To(int32(4))}
	require.Equal(t, `{"metadata":{"labels":{"a":"b"}}}`, p.Body(workload.Ref{APIVersion: "x/v1", Kind: "Game"}))
}
