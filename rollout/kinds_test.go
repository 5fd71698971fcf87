package rollout_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// undriven are workloads that no driver knows.
func undriven() []rollout.WorkloadRef {
	ref := func(version, kind string) rollout.WorkloadRef {
		return rollout.WorkloadRef{APIVersion: version, Kind: kind, Name: "demo"}
	}
	return []rollout.WorkloadRef{
		{}, ref("x/v1", "Game"), ref("x/v1", "Deployment"), ref("x/v1", "StatefulSet"), ref("v1", "Deployment"), ref("apps/v1", "ReplicaSet"), ref("apps/v1", "CloneSet"),
		ref("apps/v1", "deployment"), ref("apps.kruise.io/v1alpha1", "Deployment"), ref("apps.kruise.io/v1alpha1", "ReplicaSet"), ref("batch/v1", "Job"),
	}
}

// A kind that is not known is an error of every planner, and never a StatefulSet.
func TestUnknownKindsAreRejected(t *testing.T) {
	rejected := func(err error, path string, ref rollout.WorkloadRef) {
		t.Helper()
		require.ErrorIs(t, err, rollout.ErrInvalid, "%+v", ref)
		var fe *rollout.FieldError
		require.ErrorAs(t, err, &fe)
		require.Equal(t, path, fe.Path)
		require.Equal(t, ref.Group()+"/"+ref.Kind, fe.Value)
	}
	steps := func(ref rollout.WorkloadRef, style rollout.Style) rollout.Rollout {
		r := partitioned(ref, step(rollout.Percent(100), 0))
		if style == rollout.BlueGreen {
			r.Canary, r.BlueGreen = nil, r.Canary
		}
		return r
	}
	check := func(ref rollout.WorkloadRef, style rollout.Style) {
		_, err := rollout.DriverOf(ref, style)
		rejected(err, "WorkloadRef", ref)
		_, err = planRollout(rollout.Snapshot{Rollout: steps(ref, style)}, now, rollout.Options{})
		rejected(err, "Rollout.WorkloadRef", ref)
		_, err = rollout.Preview(rollout.PreviewInput{Rollout: steps(ref, style), Replicas: 3}, rollout.Options{})
		rejected(err, "Rollout.WorkloadRef", ref)
		s := rollout.BatchSnapshot{Release: rollout.BatchRelease{Name: "demo", WorkloadRef: ref, ReleasePlan: rollout.ReleasePlan{RollingStyle: style}}}
		_, err = planBatch(s, now, rollout.BatchOptions{})
		rejected(err, "Release.WorkloadRef", ref)
		s.Release.WorkloadRef, s.Workload = deployment, &rollout.Workload{WorkloadRef: ref}
		_, err = planBatch(s, now, rollout.BatchOptions{})
		rejected(err, "Workload.WorkloadRef", ref)
	}
	for _, ref := range undriven() {
		check(ref, rollout.Partition)
		check(ref, rollout.BlueGreen)
		_, err := planAdmission(rollout.AdmitSnapshot{New: rollout.Workload{WorkloadRef: ref, Template: revision.Template{ID: "v2"}}}, rollout.Options{})
		rejected(err, "New.WorkloadRef", ref)
	}
	for _, ref := range []rollout.WorkloadRef{statefulSet, daemonSet, kruiseSet, {APIVersion: "apps.kruise.io/v1beta1", Kind: "StatefulSet", Name: "demo"}} {
		_, err := rollout.DriverOf(ref, "")
		require.NoError(t, err)
		check(ref, rollout.BlueGreen)
	}
}

// What is called without a planner does nothing about a kind that is not known.
func TestUnknownKindsAreLeftAlone(t *testing.T) {
	for _, ref := range undriven() {
		for _, repair := range []rollout.Quirks{0, rollout.RepairAll} {
			w := rollout.Workload{WorkloadRef: ref, Replicas: new(int32(10)), StableRevision: "a", UpdateRevision: "a", Paused: true}
			w.Annotations = map[string]string{rollout.AnnotationControlInfo: "{}", rollout.AnnotationOriginalStrategy: "{}"}
			br := rollout.BatchRelease{Name: "demo", WorkloadRef: ref, ReleasePlan: rollout.ReleasePlan{Batches: []rollout.Batch{{CanaryReplicas: rollout.Percent(50)}}}}
			br.Status.Current.NoNeedUpdateReplicas = new(int32(2))
			c := rollout.NewBatchContext(br, w, nil, repair)
			require.Zero(t, c.Driver)
			require.Zero(t, c.Planned)
			require.Zero(t, c.Desired)
			for _, style := range []rollout.Style{"", rollout.Partition, rollout.Canary, rollout.BlueGreen} {
				br.ReleasePlan.RollingStyle = style
				_, write, refused := c.UpgradePatch(w, &w, repair)
				require.False(t, write)
				require.Empty(t, refused)
				_, write = rollout.InitializePatch(br, w, repair)
				require.False(t, write)
				_, write = rollout.ReleasePatch(br, w, rollout.BatchOptions{Repair: repair})
				require.False(t, write)
			}
			require.Equal(t, rollout.WorkloadState{WorkloadRef: ref}, rollout.Inspect(rollout.InspectSnapshot{Workload: w}), "not consistent")
		}
	}
	p := rollout.WorkloadPatch{Labels: map[string]*string{"a": new("b")}, Partition: rollout.Int(3), Paused: new(true), Replicas: new(int32(4))}
	require.Equal(t, `{"metadata":{"labels":{"a":"b"}}}`, p.Body(rollout.WorkloadRef{APIVersion: "x/v1", Kind: "Game"}))
}
