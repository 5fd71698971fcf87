// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/rollout/batchrelease"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"Apply":            batchrelease.Apply,
	"EventOf":          batchrelease.EventOf,
	"Increments":       batchrelease.Increments,
	"InitializePatch":  batchrelease.InitializePatch,
	"Labels":           batchrelease.Labels,
	"NewContext":       batchrelease.NewContext,
	"Reconcile":        batchrelease.Reconcile,
	"ReleasePatch":     batchrelease.ReleasePatch,
	"ResumeDeployment": batchrelease.ResumeDeployment,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[batchrelease.Action](),
	reflect.TypeFor[batchrelease.Actions](),
	reflect.TypeFor[batchrelease.Autoscaler](),
	reflect.TypeFor[batchrelease.Batch](),
	reflect.TypeFor[batchrelease.Context](),
	reflect.TypeFor[batchrelease.CreateCanary](),
	reflect.TypeFor[batchrelease.CurrentBatch](),
	reflect.TypeFor[batchrelease.DaemonSetControl](),
	reflect.TypeFor[batchrelease.DaemonSetPod](),
	reflect.TypeFor[batchrelease.WorkloadEvent](),
	reflect.TypeFor[batchrelease.FinalizingPolicy](),
	reflect.TypeFor[batchrelease.LabelPod](),
	reflect.TypeFor[batchrelease.NativeBatch](),
	reflect.TypeFor[batchrelease.Options](),
	reflect.TypeFor[batchrelease.PatchReplicaSet](),
	reflect.TypeFor[batchrelease.PatchWorkload](),
	reflect.TypeFor[batchrelease.Phase](),
	reflect.TypeFor[batchrelease.Plan](),
	reflect.TypeFor[batchrelease.Release](),
	reflect.TypeFor[batchrelease.ReleasePlan](),
	reflect.TypeFor[batchrelease.RetargetAutoscaler](),
	reflect.TypeFor[batchrelease.RollbackFilter](),
	reflect.TypeFor[batchrelease.SetFinalizer](),
	reflect.TypeFor[batchrelease.Snapshot](),
	reflect.TypeFor[batchrelease.State](),
	reflect.TypeFor[batchrelease.Status](),
}
