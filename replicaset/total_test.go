// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/replicaset"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes, NoJSON: []string{"Pass", "Report.LiveCheck", "Outcome.Err", "Result.Err", "Result.Errs"}}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"Apply":           replicaset.Apply,
	"Effects":         replicaset.Effects,
	"Effects15":       replicaset.Effects15,
	"Entry":           replicaset.Entry,
	"Explain":         replicaset.Explain,
	"GetCondition":    replicaset.GetCondition,
	"NeedsForget":     replicaset.NeedsForget,
	"NeedsWrite":      replicaset.NeedsWrite,
	"NewPass":         replicaset.NewPass,
	"Order":           replicaset.Order,
	"Owner":           replicaset.Owner,
	"Reconcile":       replicaset.Reconcile,
	"ReconcileFrom":   replicaset.ReconcileFrom,
	"RemoveCondition": replicaset.RemoveCondition,
	"RetryDelay":      replicaset.RetryDelay,
	"SetCondition":    replicaset.SetCondition,
	"SlowStart":       replicaset.SlowStart,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[replicaset.Action](),
	reflect.TypeFor[replicaset.Actions](),
	reflect.TypeFor[replicaset.AdoptPod](),
	reflect.TypeFor[replicaset.CreatePods](),
	reflect.TypeFor[replicaset.DeletePod](),
	reflect.TypeFor[replicaset.Delta](),
	reflect.TypeFor[replicaset.Dialect](),
	reflect.TypeFor[replicaset.Effect](),
	reflect.TypeFor[replicaset.Options](),
	reflect.TypeFor[replicaset.Pass](),
	reflect.TypeFor[replicaset.Plan](),
	reflect.TypeFor[replicaset.PodEvent](),
	reflect.TypeFor[replicaset.PodReader](),
	reflect.TypeFor[replicaset.ReleasePod](),
	reflect.TypeFor[replicaset.ReplicaSet](),
	reflect.TypeFor[replicaset.Report](),
	reflect.TypeFor[replicaset.Result](),
	reflect.TypeFor[replicaset.Snapshot](),
	reflect.TypeFor[replicaset.Status](),
	reflect.TypeFor[replicaset.TerminatingPolicy](),
	reflect.TypeFor[replicaset.Tracker](),
}
