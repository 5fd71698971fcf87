// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// TestApplyChain: from the first pass to the last no action of a plan is refused by the
// snapshot that it was made for, a plan is the sum of its actions and the status, and the
// snapshot stays as it is. Kinds and styles go as far as they do while no pod changes.
func TestApplyChain(t *testing.T) {
	writes := map[string]bool{}
	for _, repair := range []quirk.Set{0, quirk.All} {
		for _, ref := range []workload.Ref{deployment, cloneSet, statefulSet, daemonSet, advancedSet, kruiseSet} {
			for _, style := range []workload.Style{workload.Partition, workload.Canary, workload.BlueGreen} {
				if _, err := workload.DriverOf(ref, style); err != nil {
					continue
				}
				s := progressing(ref)
				s.Release.ReleasePlan.RollingStyle, s.Release.Finalizers, s.Release.Status = style, nil, batchrelease.Status{}
				s.StableSet, s.Autoscaler = "demo-1", &batchrelease.Autoscaler{Name: "hpa", TargetName: "demo"}
				s.Pods = []workload.Pod{{Name: "demo-2", UID: "p", Ready: true, TemplateHash: "v2", Labels: map[string]string{workload.LabelPodTemplateHash: "v2"}}}
				for range 20 {
					s = applied(t, s, batchrelease.Options{Repair: repair}, writes)
				}
				s.Release.ReleasePlan.BatchPartition = nil
				for range 20 {
					s = applied(t, s, batchrelease.Options{Repair: repair}, writes)
				}
			}
		}
	}
	for _, kind := range []string{"SetFinalizer", "PatchWorkload", "CreateCanary", "PatchReplicaSet", "RetargetAutoscaler"} {
		require.Contains(t, writes, kind)
	}
}

// applied carries out a pass, behind which the controller of the workload has seen it.
func applied(t *testing.T, s batchrelease.Snapshot, o batchrelease.Options, writes map[string]bool) batchrelease.Snapshot {
	t.Helper()
	p, err := planBatch(s, now, o)
	require.NoError(t, err)
	before := purity.Clone(s)
	whole, err := p.Apply(s, now)
	require.NoError(t, err, "%+v\n%v", s, p)
	step := s
	for _, a := range p.Actions {
		writes[reflect.TypeOf(a).Name()] = true
		step, err = batchrelease.Apply(step, a, now)
		require.NoError(t, err)
	}
	step.Release.Status = p.Status
	require.Equal(t, step, whole)
	require.Equal(t, before, s, "the snapshot was written to")
	for _, w := range []*workload.Workload{whole.Workload, whole.Canary} {
		if w != nil {
			w.Status.ObservedGeneration = w.Generation
		}
	}
	return whole
}

// TestApply has what each action does.
func TestApply(t *testing.T) {
	s := progressing(deployment)
	s.Workload.UID, s.Workload.Template = "d", revision.Template{ID: "v2", Hash: "2"}
	s.Workload.RollingUpdate, s.Workload.MinReadySeconds = &partition.RollingUpdate{MaxSurge: rollout.Int(3)}, 7
	s.StableSet, s.Autoscaler = "demo-1", &batchrelease.Autoscaler{Name: "hpa", TargetName: "demo"}
	s.Pods = []workload.Pod{{Name: "a", UID: "1"}, {Name: "a", UID: "2", Labels: map[string]string{"x": "1", "y": "1"}}}
	on := func(s batchrelease.Snapshot, a batchrelease.Action) batchrelease.Snapshot {
		t.Helper()
		return purity.Check(t, a, func(a batchrelease.Action) (batchrelease.Snapshot, error) {
			before := purity.Clone(s)
			next, err := batchrelease.Apply(before, a, now)
			assert.Equal(t, s, before, "the snapshot was written to")
			return next, err
		})
	}
	require.Equal(t, append(s.Release.Finalizers, "g"), on(s, batchrelease.SetFinalizer{Kind: "BatchRelease", Name: "web", UID: "b", Finalizer: "g"}).Release.Finalizers)
	require.Empty(t, on(s, batchrelease.SetFinalizer{Kind: "BatchRelease", Name: "web", Finalizer: workload.FinalizerBatchRelease, Remove: true}).Release.Finalizers)
	require.Equal(t, s, on(s, batchrelease.PatchReplicaSet{Name: "demo-1", MinReadySeconds: 9}), "the snapshot does not show it")
	require.Equal(t, "x", on(s, batchrelease.RetargetAutoscaler{Name: "hpa", From: "demo", To: "x"}).Autoscaler.TargetName)

	patched := on(s, batchrelease.PatchWorkload{Workload: deployment, UID: "d", Patch: workload.Patch{Paused: ptr.To(true)}})
	require.True(t, patched.Workload.Paused)
	require.Equal(t, s.Workload.Generation+1, patched.Workload.Generation)

	create := batchrelease.CreateCanary{
		Name: "demo-c", Stable: "demo", Labels: map[string]string{"l": "1"}, Annotations: map[string]string{"a": "1"}, PatchTemplate: &workload.TemplateMetadata{},
	}
	made := on(s, create)
	want := workload.Workload{
		Ref: deployment, UID: made.Canary.UID, Generation: 1, Labels: map[string]string{"l": "1"}, Annotations: map[string]string{"a": "1"},
		Replicas: ptr.To(int32(0)), Template: s.Workload.Template, RollingUpdate: &partition.RollingUpdate{MaxSurge: rollout.Int(3)}, MinReadySeconds: 7, UpdateRevision: "v2",
	}
	want.Name = "demo-c"
	require.Equal(t, want, *made.Canary)
	require.Equal(t, s.Workload, made.Workload)
	create.Name, create.GenerateName = "", "demo-"
	named := on(s, create).Canary
	require.True(t, strings.HasPrefix(named.Name, "demo-") && named.Name != "demo-", named.Name)
	ref := deployment
	ref.Name = "demo-c"
	grown := on(made, batchrelease.PatchWorkload{Workload: ref, UID: made.Canary.UID, Patch: workload.Patch{Replicas: ptr.To(int32(4))}})
	require.Equal(t, int32(4), *grown.Canary.Replicas)
	require.Equal(t, int32(10), *grown.Workload.Replicas)
	require.Equal(t, made, on(made, batchrelease.SetFinalizer{Kind: "Deployment", Name: "demo-c", Finalizer: "f", Remove: true}), "the snapshot does not show it")

	labelled := on(s, batchrelease.LabelPod{Name: "a", UID: "2", Labels: map[string]string{"y": "2", "z": "3"}}).Pods
	require.Equal(t, map[string]string{"x": "1", "y": "2", "z": "3"}, labelled[1].Labels)
	require.Empty(t, labelled[0].Labels)

	create.Name = "demo-c"
	for path, list := range map[string][]batchrelease.Action{
		"Action": {nil}, "Action.Kind": {batchrelease.SetFinalizer{Kind: "Pod", Name: "web"}}, "Action.From": {batchrelease.RetargetAutoscaler{Name: "hpa", From: "x"}},
		"Action.Stable": {batchrelease.CreateCanary{Stable: "x"}}, "Action.Workload": {
			batchrelease.PatchWorkload{Workload: cloneSet}, batchrelease.PatchWorkload{Workload: deployment, UID: "x"},
		},
		"Action.Name": {
			batchrelease.SetFinalizer{Kind: "BatchRelease", Name: "web", UID: "x"}, batchrelease.SetFinalizer{Kind: "Deployment", Name: "x"}, create,
			batchrelease.CreateCanary{Stable: "demo", Name: "demo"}, batchrelease.PatchReplicaSet{Name: "x"}, batchrelease.RetargetAutoscaler{Name: "x"},
			batchrelease.LabelPod{Name: "a", UID: "3"},
		},
	} {
		for _, a := range list {
			next, err := batchrelease.Apply(made, a, now)
			requireRefused(t, err, path)
			require.Zero(t, next)
		}
	}
	_, err := batchrelease.Apply(batchrelease.Snapshot{}, batchrelease.PatchReplicaSet{}, now)
	requireRefused(t, err, "Action.Name")
}

func requireRefused(t *testing.T, err error, path string) {
	t.Helper()
	var refused *kplan.FieldError
	require.ErrorAs(t, err, &refused, path)
	require.ErrorIs(t, err, kplan.ErrInvalid)
	require.Equal(t, path, refused.Path)
}
