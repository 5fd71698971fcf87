// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/total"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes, NoJSON: []string{"Pass", "Daemon.Placer", "Version", "Report.LiveCheck", "Outcome.Err", "Result.Err", "Result.Errs"}}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"Apply":              daemonset.Apply,
	"NewPass":            daemonset.NewPass,
	"ObjectOf":           daemonset.ObjectOf,
	"Burst":              daemonset.Burst,
	"DefaultTolerations": daemonset.DefaultTolerations,
	"Effects":            daemonset.Effects,
	"Explain":            daemonset.Explain,
	"NewPlacer":          daemonset.NewPlacer,
	"NewVersion":         daemonset.NewVersion,
	"Overhead":           daemonset.Overhead,
	"Pin":                daemonset.Pin,
	"ReconcileFrom":      daemonset.ReconcileFrom,
	"Reconcile":          daemonset.Reconcile,
	"Resolve":            daemonset.Resolve,
	"SlowStart":          daemonset.SlowStart,
	"SurgeAllowed":       daemonset.SurgeAllowed,
	"TargetNode":         daemonset.TargetNode,
	"TemplateGeneration": daemonset.TemplateGeneration,
	"Tolerations":        daemonset.Tolerations,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[daemonset.Action](),
	reflect.TypeFor[daemonset.Actions](),
	reflect.TypeFor[daemonset.AdoptPod](),
	reflect.TypeFor[daemonset.AdoptRevision](),
	reflect.TypeFor[daemonset.Availability](),
	reflect.TypeFor[daemonset.Backoff](),
	reflect.TypeFor[daemonset.BackoffEntry](),
	reflect.TypeFor[daemonset.BackoffKey](),
	reflect.TypeFor[daemonset.Budget](),
	reflect.TypeFor[daemonset.Change](),
	reflect.TypeFor[daemonset.CreatePod](),
	reflect.TypeFor[daemonset.CreateRevision](),
	reflect.TypeFor[daemonset.Daemon](),
	reflect.TypeFor[daemonset.DaemonSet](),
	reflect.TypeFor[daemonset.DeletePod](),
	reflect.TypeFor[daemonset.DeleteRevision](),
	reflect.TypeFor[daemonset.Deletion](),
	reflect.TypeFor[daemonset.Delta](),
	reflect.TypeFor[daemonset.Dialect](),
	reflect.TypeFor[daemonset.Effect](),
	reflect.TypeFor[daemonset.Node](),
	reflect.TypeFor[daemonset.NodeCase](),
	reflect.TypeFor[daemonset.NodeDecision](),
	reflect.TypeFor[daemonset.NodeEvent](),
	reflect.TypeFor[daemonset.NodeReport](),
	reflect.TypeFor[daemonset.NodeRules](),
	reflect.TypeFor[daemonset.Object](),
	reflect.TypeFor[daemonset.Options](),
	reflect.TypeFor[daemonset.Placement](),
	reflect.TypeFor[daemonset.Placer](),
	reflect.TypeFor[daemonset.Pass](),
	reflect.TypeFor[daemonset.Plan](),
	reflect.TypeFor[daemonset.Pod](),
	reflect.TypeFor[daemonset.PodEvent](),
	reflect.TypeFor[daemonset.PodReader](),
	reflect.TypeFor[daemonset.PreDelete](),
	reflect.TypeFor[daemonset.PreparePod](),
	reflect.TypeFor[daemonset.RefreshPod](),
	reflect.TypeFor[daemonset.RelabelPod](),
	reflect.TypeFor[daemonset.ReleasePod](),
	reflect.TypeFor[daemonset.ReleaseRevision](),
	reflect.TypeFor[daemonset.Report](),
	reflect.TypeFor[daemonset.Result](),
	reflect.TypeFor[daemonset.RevisionEvent](),
	reflect.TypeFor[daemonset.RollingType](),
	reflect.TypeFor[daemonset.Snapshot](),
	reflect.TypeFor[daemonset.Status](),
	reflect.TypeFor[daemonset.Strategy](),
	reflect.TypeFor[daemonset.Taint](),
	reflect.TypeFor[daemonset.Template](),
	reflect.TypeFor[daemonset.Toleration](),
	reflect.TypeFor[daemonset.TolerationOperator](),
	reflect.TypeFor[daemonset.Tracker](),
	reflect.TypeFor[daemonset.UpdatePod](),
	reflect.TypeFor[daemonset.UpdateRevision](),
	reflect.TypeFor[daemonset.Version](),
}
