// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// whole is a workload with all that a patch changes.
func whole(ref workload.Ref) workload.Workload {
	return workload.Workload{
		Ref: ref, UID: "u", Generation: 3, Labels: map[string]string{"l": "1", workload.LabelStableRevision: "v1"}, Annotations: map[string]string{"a": "1"},
		Replicas: ptr.To(int32(4)), Template: template("v2"), Paused: true, StrategyType: "RollingUpdate", Partition: rollout.Int(2), MinReadySeconds: 5,
		RollingUpdate:           &partition.RollingUpdate{MaxSurge: rollout.Int(1), MaxUnavailable: rollout.Percent(25)},
		ProgressDeadlineSeconds: ptr.To(int32(60)), StableRevision: "v1", UpdateRevision: "v2", Status: workload.Status{ObservedGeneration: 3, Replicas: 4},
	}
}

// TestPatched has what each member of a patch does to each kind. What a kind has no field for
// changes nothing, and makes no generation.
func TestPatched(t *testing.T) {
	advanced := workload.Ref{APIVersion: "apps.kruise.io/v1beta1", Kind: "StatefulSet", Name: "demo"}
	all := []workload.Ref{deployment, cloneSet, statefulSet, advanced, daemonSet, kruiseSet}
	type effect = func(*workload.Workload)
	for _, c := range []struct {
		why   string
		patch workload.Patch
		does  effect
		on    []workload.Ref // it changes nothing of the others
	}{
		{"replicas", workload.Patch{Replicas: ptr.To(int32(7))}, func(w *workload.Workload) { w.Replicas = ptr.To(int32(7)) }, []workload.Ref{deployment, cloneSet, statefulSet, advanced}},
		{"equal", workload.Patch{Replicas: ptr.To(int32(4)), MinReadySeconds: ptr.To(int32(5)), MaxSurge: rollout.Int(1)}, nil, nil},
		{"resumed", workload.Patch{Paused: ptr.To(false)}, func(w *workload.Workload) { w.Paused = false }, []workload.Ref{deployment, cloneSet}},
		{"update resumed", workload.Patch{StrategyPaused: ptr.To(false)}, func(w *workload.Workload) { w.Paused = false }, []workload.Ref{cloneSet, statefulSet, advanced, kruiseSet}},
		{"type", workload.Patch{StrategyType: ptr.To("OnDelete")}, func(w *workload.Workload) { w.StrategyType = "OnDelete" }, all},
		{"Recreate", workload.Patch{StrategyType: ptr.To("Recreate"), MaxSurge: rollout.Int(3)}, func(w *workload.Workload) {
			w.StrategyType, w.RollingUpdate = "Recreate", nil
		}, []workload.Ref{deployment}},
		{"surge", workload.Patch{MaxSurge: rollout.Int(3)}, func(w *workload.Workload) {
			w.RollingUpdate = &partition.RollingUpdate{MaxSurge: rollout.Int(3), MaxUnavailable: rollout.Percent(25)}
		}, all},
		{"unavailable", workload.Patch{MaxUnavailable: rollout.Int(3)}, func(w *workload.Workload) {
			w.RollingUpdate = &partition.RollingUpdate{MaxSurge: rollout.Int(1), MaxUnavailable: rollout.Int(3)}
		}, all},
		{"partition", workload.Patch{Partition: rollout.Percent(40)}, func(w *workload.Workload) { w.Partition = rollout.Percent(40) }, []workload.Ref{cloneSet, statefulSet, advanced, kruiseSet}},
		{"no partition", workload.Patch{ClearPartition: true, Partition: rollout.Int(1)}, func(w *workload.Workload) { w.Partition = rollout.IntOrPercent{} }, []workload.Ref{cloneSet, statefulSet, advanced, kruiseSet}},
		{"replaced", workload.Patch{ReplaceStrategy: true}, func(w *workload.Workload) {
			if w.RollingUpdate = nil; w.Ref != deployment && w.Ref != daemonSet {
				w.Partition, w.Paused = rollout.IntOrPercent{}, false
			}
		}, []workload.Ref{deployment, statefulSet, advanced, daemonSet, kruiseSet}},
		{"minReadySeconds", workload.Patch{MinReadySeconds: new(int32)}, func(w *workload.Workload) { w.MinReadySeconds = 0 }, all},
		{"deadline", workload.Patch{ProgressDeadlineSeconds: ptr.To(int32(9))}, func(w *workload.Workload) { w.ProgressDeadlineSeconds = ptr.To(int32(9)) }, all},
	} {
		for _, ref := range all {
			if c.why == "Recreate" && ref != deployment {
				continue // an API server takes it of no other kind
			}
			want := whole(ref)
			for _, r := range c.on {
				if r == ref {
					c.does(&want)
					want.Generation++
				}
			}
			got := purity.Check(t, c.patch, func(p workload.Patch) (workload.Workload, error) { return whole(ref).Patched(p), nil })
			require.Equal(t, want, got, "%s of %s", c.why, ref.GroupKind())
		}
	}
}

// TestPatchedMetadata: labels and annotations are those of every kind, make no generation, and
// of a Deployment a label is the stable revision.
func TestPatchedMetadata(t *testing.T) {
	p := workload.Patch{
		Labels: map[string]*string{"l": nil, workload.LabelStableRevision: ptr.To("v3")}, Annotations: map[string]*string{workload.AnnotationInProgress: ptr.To("x")},
	}
	unknown := workload.Ref{Kind: "Other"}
	for _, ref := range []workload.Ref{deployment, cloneSet, statefulSet, daemonSet, kruiseSet, unknown} {
		w := whole(ref)
		before := purity.Clone(w)
		want := whole(ref)
		want.Labels, want.Annotations = map[string]string{workload.LabelStableRevision: "v3"}, map[string]string{"a": "1", workload.AnnotationInProgress: "x"}
		if ref == deployment {
			want.StableRevision = "v3"
		}
		require.Equal(t, want, w.Patched(p))
		require.Equal(t, before, w, "it was written to")

		s := workload.State{Ref: ref, UID: "u", Consistent: true, Labels: w.Labels, Annotations: w.Annotations, StableRevision: "v1", CanaryRevision: "v2"}
		known := s
		known.Labels, known.Annotations, known.InProgress = want.Labels, want.Annotations, true
		require.Equal(t, known, s.Patched(p))
		s.Consistent = false
		require.Equal(t, s, s.Patched(p), "nothing is known of it")
	}
	require.Equal(t, whole(unknown), whole(unknown).Patched(workload.Patch{Replicas: ptr.To(int32(9))}), "nobody knows where its spec is")
	require.Equal(t, workload.State{Ref: cloneSet, UID: "u"}, workload.State{Ref: cloneSet, UID: "u", Consistent: true, Replicas: 3}.Patched(workload.Patch{Replicas: ptr.To(int32(9))}))
}
