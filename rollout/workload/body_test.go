// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// Each member of a patch stands where the API of the kind has it: a CloneSet has its limits and its
// pause in updateStrategy itself, a Deployment its pause in the spec, and the others have both in
// rollingUpdate.
func TestBodyOfEachKind(t *testing.T) {
	full := workload.Patch{
		Labels: map[string]*string{"l": nil}, Annotations: map[string]*string{"a": ptr.To("b")},
		Replicas: ptr.To(int32(3)), Paused: ptr.To(true), StrategyType: ptr.To("T"), Partition: rollout.Percent(20), MaxSurge: rollout.Int(1),
		MaxUnavailable: rollout.Int(2), StrategyPaused: ptr.To(false), MinReadySeconds: ptr.To(int32(5)), ProgressDeadlineSeconds: ptr.To(int32(6)),
	}
	gone := workload.Patch{ClearPartition: true, ReplaceStrategy: true, StrategyType: ptr.To("T")}
	const metadata = `{"metadata":{"annotations":{"a":"b"},"labels":{"l":null}},"spec":{"minReadySeconds":5,`
	const rolling = `"updateStrategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":2,"partition":"20%","paused":false},"type":"T"}}}`
	const cleared = `{"spec":{"updateStrategy":{"rollingUpdate":{"partition":null},"type":"T"}}}`
	for _, c := range []struct{ version, kind, full, gone string }{
		{
			"apps/v1", "Deployment",
			metadata + `"paused":true,"progressDeadlineSeconds":6,"replicas":3,"strategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":2,"partition":"20%","paused":false},"type":"T"}}}`,
			`{"spec":{"strategy":{"rollingUpdate":{"partition":null},"type":"T"}}}`,
		},
		{
			"apps.kruise.io/v1alpha1", "CloneSet",
			metadata + `"progressDeadlineSeconds":6,"replicas":3,"updateStrategy":{"maxSurge":1,"maxUnavailable":2,"partition":"20%","paused":false,"type":"T"}}}`,
			`{"spec":{"updateStrategy":{"partition":null,"rollingUpdate":null,"type":"T"}}}`,
		},
		{"apps/v1", "StatefulSet", metadata + `"progressDeadlineSeconds":6,"replicas":3,` + rolling, cleared},
		{"apps.kruise.io/v1beta1", "StatefulSet", metadata + `"progressDeadlineSeconds":6,"replicas":3,` + rolling, cleared},
		{"apps/v1", "DaemonSet", metadata + `"progressDeadlineSeconds":6,"replicas":3,` + rolling, cleared},
		{"apps.kruise.io/v1alpha1", "DaemonSet", metadata + `"progressDeadlineSeconds":6,"replicas":3,` + rolling, cleared},
	} {
		ref := workload.Ref{APIVersion: c.version, Kind: c.kind, Name: "web"}
		require.Equal(t, c.full, full.Body(ref), c.kind)
		require.Equal(t, c.gone, gone.Body(ref), c.kind)
	}
	replaced := workload.Patch{ReplaceStrategy: true, StrategyType: ptr.To("Recreate")}
	require.Equal(t, `{"spec":{"strategy":{"rollingUpdate":null,"type":"Recreate"}}}`, replaced.Body(web))
	paused := workload.Patch{Paused: ptr.To(true)}
	require.Equal(t, `{"spec":{"updateStrategy":{"paused":true}}}`, paused.Body(cache))
}

// What sets the kinds apart, as admission and the passes ask for it.
func TestTraitsOfEachKind(t *testing.T) {
	for ref, want := range map[workload.Ref]workload.Traits{
		web:   {Paused: true, ExtraCanary: true},
		db:    {RollbackInBatches: true},
		cache: {RollbackInBatches: true, AnyStrategy: true, OneVersion: true},
		{APIVersion: "apps.kruise.io/v1beta1", Kind: "StatefulSet"}: {RollbackInBatches: true},
		{APIVersion: "apps/v1", Kind: "DaemonSet"}:                  {SizedByNodes: true, AnyStrategy: true},
		{APIVersion: "apps.kruise.io/v1alpha1", Kind: "DaemonSet"}:  {SizedByNodes: true, AnyStrategy: true},
		{APIVersion: "batch/v1", Kind: "Job"}:                       {},
	} {
		require.Equal(t, want, ref.Traits(), "%+v", ref)
	}
}

// A native DaemonSet has no partition: its pods are deleted by others, and its strategy is
// written down, but with the repair not once more.
func TestHoldBackOfNativeDaemonSet(t *testing.T) {
	w := workload.Workload{Ref: workload.Ref{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "agent"}, StrategyType: "RollingUpdate"}
	w.HoldBack(0)
	require.Equal(t, "OnDelete", w.StrategyType)
	require.Equal(t, map[string]string{workload.AnnotationDaemonSetStrategy: "RollingUpdate"}, w.Annotations)
	w.HoldBack(quirk.DeletingPodsListed)
	require.Equal(t, "RollingUpdate", w.Annotations[workload.AnnotationDaemonSetStrategy])
	w.HoldBack(0)
	require.Equal(t, "OnDelete", w.Annotations[workload.AnnotationDaemonSetStrategy], "a slip of upstream")
}

// Nothing but its name is known of a workload whose last change its controller has not seen.
func TestInspectOfUnseenChange(t *testing.T) {
	for _, ref := range []workload.Ref{web, db, cache} {
		w := workload.Workload{Ref: ref, UID: "u", Generation: 2, Replicas: ptr.To(int32(3)), Status: workload.Status{ObservedGeneration: 1}}
		require.Equal(t, workload.State{Ref: ref, UID: "u"}, workload.Inspect(workload.InspectSnapshot{Workload: w}))
	}
}

// An unknown kind is named, and which are known.
func TestDriverOfUnknownKind(t *testing.T) {
	_, err := workload.DriverOf(workload.Ref{APIVersion: "batch/v1", Kind: "Job"}, "")
	var field *kplan.FieldError
	require.ErrorAs(t, err, &field)
	require.Equal(t, &kplan.FieldError{Path: "WorkloadRef", Value: "batch/Job", Detail: workload.KnownKinds}, field)
}
