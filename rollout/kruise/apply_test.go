// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// TestPropertyApply: no action of a plan is refused by the snapshot that it was made for,
// a plan is the sum of its actions, the status and the grace, and the snapshot stays as it is.
func TestPropertyApply(t *testing.T) {
	random.Check(t, func(t random.T) {
		s := anyRollout(t)
		p, err := planRollout(s, now, random.RolloutOptions(t))
		if err != nil {
			t.Fatal(err)
		}
		purity.Apply(t, s, now, p.Apply, p.Actions, kruise.Apply, func(step *kruise.Snapshot) {
			if step.Grace = p.Grace; p.Failure == "" {
				step.Rollout.Status = p.Status
			}
		})
	})
}

// TestPropertyApplyBatch: the same for a BatchRelease.
func TestPropertyApplyBatch(t *testing.T) {
	random.Check(t, func(t random.T) {
		s := anyBatch(t)
		p, err := planBatch(s, now, random.BatchOptions(t))
		if err != nil {
			t.Fatal(err)
		}
		purity.Apply(t, s, now, p.Apply, p.Actions, batchrelease.Apply, func(step *batchrelease.Snapshot) { step.Release.Status = p.Status })
	})
}

// ruled is a snapshot with all that actions change.
func ruled() kruise.Snapshot {
	return kruise.Snapshot{
		Rollout:  kruise.Rollout{Name: "web", UID: "r", WorkloadRef: deployment, Annotations: map[string]string{"a": "1"}, Finalizers: []string{"f"}},
		Workload: &workload.State{Ref: deployment, UID: "d", Consistent: true, Generation: 3, StableRevision: "v1", Labels: map[string]string{"l": "1"}},
		Shared:   &kruise.SharedRouting{Name: "shared", UID: "t"},
		BatchRelease: &batchrelease.Release{
			Name: "web", UID: "b", Generation: 1, Finalizers: []string{"f"}, WorkloadRef: deployment, Annotations: map[string]string{"a": "1"},
			ReleasePlan: batchrelease.ReleasePlan{BatchPartition: ptr.To(int32(1))},
		},
		Traffic: traffic.Objects{
			Stable: &traffic.Service{Name: "svc", Selector: map[string]string{"app": "web"}}, Canary: &traffic.Service{Name: "svc-canary"},
			Route: &traffic.Route{Name: "route"}, Ingress: &traffic.Ingress{Name: "in"}, CanaryIngress: &traffic.Ingress{Name: "in-canary", Annotations: map[string]string{"a": "1"}},
		},
	}
}

// applied carries out an action, which it neither keeps nor writes to, nor to the snapshot.
func applied(t *testing.T, s kruise.Snapshot, a kruise.Action) kruise.Snapshot {
	t.Helper()
	return purity.Check(t, a, func(a kruise.Action) (kruise.Snapshot, error) {
		before := purity.Clone(s)
		next, err := kruise.Apply(before, a, now)
		assert.Equal(t, s, before, "the snapshot was written to")
		return next, err
	})
}

// TestApply has what each action does.
func TestApply(t *testing.T) {
	s := ruled()
	on := func(s kruise.Snapshot, a kruise.Action) kruise.Snapshot {
		t.Helper()
		return applied(t, s, a)
	}
	after := func(a kruise.Action) kruise.Snapshot { t.Helper(); return on(s, a) }
	require.Equal(t, []string{"f", "g"}, after(kruise.SetFinalizer{Kind: "Rollout", Name: "web", UID: "r", Finalizer: "g"}).Rollout.Finalizers)
	require.Empty(t, after(kruise.SetFinalizer{Kind: "Rollout", Name: "web", Finalizer: "f", Remove: true}).Rollout.Finalizers)
	require.Equal(t, []string{"g"}, after(kruise.SetFinalizer{Kind: "TrafficRouting", Name: "shared", UID: "t", Finalizer: "g"}).Shared.Finalizers)
	require.Equal(t, map[string]string{"a": "1", "b": "2"}, after(kruise.PatchRollout{Name: "web", UID: "r", Annotations: map[string]string{"b": "2"}}).Rollout.Annotations)

	marked := after(kruise.PatchWorkload{Workload: deployment, UID: "d", Patch: workload.Patch{
		Labels: map[string]*string{"l": nil, "m": ptr.To("2")}, Annotations: map[string]*string{workload.AnnotationInProgress: ptr.To("x")},
	}}).Workload
	require.Equal(t, map[string]string{"m": "2"}, marked.Labels)
	require.True(t, marked.InProgress)
	require.Equal(t, "v1", marked.StableRevision)
	resumed := after(kruise.PatchWorkload{Workload: deployment, UID: "d", Patch: workload.Patch{Paused: ptr.To(false)}}).Workload
	require.Equal(t, &workload.State{Ref: deployment, UID: "d"}, resumed, "its controller has yet to see it")

	plan := batchrelease.ReleasePlan{BatchPartition: ptr.To(int32(0)), Batches: []batchrelease.Batch{{CanaryReplicas: rollout.Int(1)}}, PatchPodTemplateMetadata: &workload.TemplateMetadata{Labels: map[string]string{"p": "1"}}}
	without := s
	without.BatchRelease = nil
	made := on(without, kruise.CreateBatchRelease{Name: "web", Annotations: map[string]string{"b": "2"}, WorkloadRef: deployment, ReleasePlan: plan}).BatchRelease
	require.NotEmpty(t, made.UID)
	require.Equal(t, &batchrelease.Release{
		Name: "web", UID: made.UID, Generation: 1, Annotations: map[string]string{"b": "2"}, WorkloadRef: deployment, ReleasePlan: plan,
	}, made)
	updated := after(kruise.UpdateBatchRelease{Name: "web", UID: "b", Annotations: map[string]string{"b": "2"}, WorkloadRef: deployment, ReleasePlan: plan}).BatchRelease
	require.Equal(t, int64(2), updated.Generation)
	require.Equal(t, map[string]string{"b": "2"}, updated.Annotations, "they are replaced")
	require.Equal(t, plan, updated.ReleasePlan)
	require.Equal(t, int64(1), after(kruise.UpdateBatchRelease{Name: "web", WorkloadRef: deployment, ReleasePlan: s.BatchRelease.ReleasePlan}).BatchRelease.Generation, "annotations are no spec")
	patched := after(kruise.PatchBatchRelease{Name: "web", UID: "b", RolloutID: ptr.To("7")}).BatchRelease
	require.Equal(t, "7", patched.ReleasePlan.RolloutID)
	require.NotNil(t, patched.ReleasePlan.BatchPartition)
	require.Equal(t, int64(2), patched.Generation)
	final := after(kruise.PatchBatchRelease{Name: "web", Finalize: batchrelease.WaitResume}).BatchRelease.ReleasePlan
	require.Equal(t, batchrelease.ReleasePlan{FinalizingPolicy: batchrelease.WaitResume}, final)
	going := after(kruise.DeleteBatchRelease{Name: "web", UID: "b"})
	require.Equal(t, now, going.BatchRelease.DeletionTimestamp)
	require.Equal(t, int64(2), going.BatchRelease.Generation)
	again, err := kruise.Apply(going, kruise.DeleteBatchRelease{Name: "web"}, now.Add(time.Second))
	require.NoError(t, err)
	require.Equal(t, going, again)
	free := ruled()
	free.BatchRelease.Finalizers = nil
	require.Nil(t, on(free, kruise.DeleteBatchRelease{Name: "web"}).BatchRelease)

	failed := kruise.Plan{Status: kruise.Status{Phase: kruise.PhaseHealthy}, Failure: "no route"}
	kept, err := failed.Apply(s, now)
	require.NoError(t, err)
	require.Equal(t, s, kept, "a pass that fails writes no status")
}

// TestApplyToTraffic has what the actions do that lead traffic.
func TestApplyToTraffic(t *testing.T) {
	s := ruled()
	without := s
	without.Traffic.Canary, without.Traffic.CanaryIngress = nil, nil
	on := func(s kruise.Snapshot, a kruise.Action) traffic.Objects {
		t.Helper()
		return applied(t, s, a).Traffic
	}
	selected := on(s, kruise.SelectPods{Service: "svc", Key: "k", Value: "v"})
	require.Equal(t, map[string]string{"app": "web", "k": "v"}, selected.Stable.Selector)
	require.Empty(t, selected.Canary.Selector)
	require.Empty(t, on(s, kruise.SelectPods{Service: "svc", Key: "app"}).Stable.Selector)
	require.Equal(t, map[string]string{"k": "v"}, on(s, kruise.SelectPods{Service: "svc-canary", Key: "k", Value: "v"}).Canary.Selector)
	require.Equal(t, &traffic.Service{Name: "svc-canary", Selector: map[string]string{"k": "v"}},
		on(without, kruise.CreateService{Name: "svc-canary", Stable: "svc", Selector: map[string]string{"k": "v"}}).Canary)
	require.Nil(t, on(s, kruise.DeleteService{Name: "svc-canary"}).Canary)
	rules := []traffic.Rule{{BackendRefs: []traffic.BackendRef{{Name: "svc", Weight: ptr.To(int32(7))}}}}
	require.Equal(t, &traffic.Route{Name: "route", Rules: rules}, on(s, kruise.SetRoute{Name: "route", Rules: rules}).Route)
	require.Equal(t, &traffic.Ingress{Name: "in-canary", Annotations: map[string]string{"b": "2"}},
		on(s, kruise.SetIngress{Name: "in-canary", Annotations: map[string]string{"b": "2"}}).CanaryIngress, "they are replaced")
	require.Equal(t, &traffic.Ingress{Name: "in-canary", Annotations: map[string]string{"b": "2"}},
		on(without, kruise.SetIngress{Name: "in-canary", Stable: "in", Create: true, Annotations: map[string]string{"b": "2"}}).CanaryIngress)
	require.Nil(t, on(s, kruise.DeleteIngress{Name: "in-canary"}).CanaryIngress)
}

// TestApplyRefuses: an action that does not fit the snapshot is an error with its field.
func TestApplyRefuses(t *testing.T) {
	for path, list := range map[string][]kruise.Action{
		"Action":      {nil},
		"Action.Kind": {kruise.SetFinalizer{Kind: "Deployment", Name: "demo"}},
		"Action.Name": {
			kruise.SetFinalizer{Kind: "Rollout", Name: "other"}, kruise.SetFinalizer{Kind: "Rollout", Name: "web", UID: "other"},
			kruise.SetFinalizer{Kind: "TrafficRouting", Name: "shared", UID: "other"}, kruise.PatchRollout{Name: "web", UID: "other"},
			kruise.CreateBatchRelease{Name: "web"}, kruise.UpdateBatchRelease{Name: "web", UID: "other"}, kruise.PatchBatchRelease{Name: "other"},
			kruise.DeleteBatchRelease{Name: "web", UID: "other"}, kruise.CreateService{Name: "svc-canary", Stable: "svc"}, kruise.DeleteService{Name: "svc"},
			kruise.SetRoute{Name: "other"}, kruise.SetIngress{Name: "in"}, kruise.SetIngress{Name: "in-canary", Stable: "in", Create: true}, kruise.DeleteIngress{Name: "in"},
		},
		"Action.Workload": {
			kruise.PatchWorkload{Workload: cloneSet}, kruise.PatchWorkload{Workload: deployment, UID: "other"},
		},
		"Action.Service": {kruise.SelectPods{Service: "other"}},
		"Action.Stable":  {kruise.CreateService{Name: "new", Stable: "svc-canary"}, kruise.SetIngress{Name: "new", Stable: "in-canary", Create: true}},
	} {
		for _, a := range list {
			next, err := kruise.Apply(ruled(), a, now)
			var refused *kplan.FieldError
			require.ErrorAs(t, err, &refused, "%v", a)
			require.ErrorIs(t, err, kplan.ErrInvalid)
			require.Equal(t, path, refused.Path, "%v", a)
			require.Zero(t, next)
			if a != nil {
				_, err = kruise.Apply(kruise.Snapshot{Rollout: kruise.Rollout{Name: "none"}}, a, now)
				if _, create := a.(kruise.CreateBatchRelease); !create {
					require.ErrorIs(t, err, kplan.ErrInvalid, "%v", a)
				}
			}
		}
	}
}
