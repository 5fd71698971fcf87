// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"Admit":             kruise.Admit,
	"Apply":             kruise.Apply,
	"ClosingSequence":   kruise.ClosingSequence,
	"ConvertBack":       kruise.ConvertBack,
	"EffectiveChange":   kruise.EffectiveChange,
	"JumpStep":          kruise.JumpStep,
	"NextStep":          kruise.NextStep,
	"PauseOf":           kruise.PauseOf,
	"RecalculateStep":   kruise.RecalculateStep,
	"Reconcile":         kruise.Reconcile,
	"ReleaseOf":         kruise.ReleaseOf,
	"StateAfterJump":    kruise.StateAfterJump,
	"StrategyHash":      kruise.StrategyHash,
	"Validate":          kruise.Validate,
	"ValidateUpdate":    kruise.ValidateUpdate,
	"ValidateV1alpha1":  kruise.ValidateV1alpha1,
	"WatchedRelease":    kruise.WatchedRelease,
	"WatchedReplicaSet": kruise.WatchedReplicaSet,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[kruise.Action](),
	reflect.TypeFor[kruise.Actions](),
	reflect.TypeFor[kruise.Admission](),
	reflect.TypeFor[kruise.AdmitSnapshot](),
	reflect.TypeFor[kruise.AnalysisPhase](),
	reflect.TypeFor[kruise.ClosingReason](),
	reflect.TypeFor[kruise.CreateBatchRelease](),
	reflect.TypeFor[kruise.CreateService](),
	reflect.TypeFor[kruise.DeleteBatchRelease](),
	reflect.TypeFor[kruise.DeleteIngress](),
	reflect.TypeFor[kruise.DeleteService](),
	reflect.TypeFor[kruise.FinalisingStep](),
	reflect.TypeFor[kruise.Grace](),
	reflect.TypeFor[kruise.Options](),
	reflect.TypeFor[kruise.PatchBatchRelease](),
	reflect.TypeFor[kruise.PatchRollout](),
	reflect.TypeFor[kruise.PatchWorkload](),
	reflect.TypeFor[kruise.Pause](),
	reflect.TypeFor[kruise.PauseKind](),
	reflect.TypeFor[kruise.Phase](),
	reflect.TypeFor[kruise.Plan](),
	reflect.TypeFor[kruise.Rollout](),
	reflect.TypeFor[kruise.RolloutV1alpha1](),
	reflect.TypeFor[kruise.SelectPods](),
	reflect.TypeFor[kruise.SetFinalizer](),
	reflect.TypeFor[kruise.SetIngress](),
	reflect.TypeFor[kruise.SetRoute](),
	reflect.TypeFor[kruise.SharedRouting](),
	reflect.TypeFor[kruise.Snapshot](),
	reflect.TypeFor[kruise.Status](),
	reflect.TypeFor[kruise.Step](),
	reflect.TypeFor[kruise.StepState](),
	reflect.TypeFor[kruise.StepStatus](),
	reflect.TypeFor[kruise.StepV1alpha1](),
	reflect.TypeFor[kruise.Strategy](),
	reflect.TypeFor[kruise.UpdateBatchRelease](),
	reflect.TypeFor[kruise.WatchKey](),
	reflect.TypeFor[kruise.WatchedPod](),
	reflect.TypeFor[kruise.WatchedWorkload](),
}
