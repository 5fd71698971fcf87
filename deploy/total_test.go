// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/total"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes, NoJSON: []string{"Pass", "Report.LiveCheck", "Outcome.Err", "Result.Err", "Result.Errs"}}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"Apply":            deploy.Apply,
	"Complete":         deploy.Complete,
	"Effects":          deploy.Effects,
	"GetCondition":     deploy.GetCondition,
	"NewPass":          deploy.NewPass,
	"OldPodsRunning":   deploy.OldPodsRunning,
	"ParsePartitioned": deploy.ParsePartitioned,
	"PartitionedBy":    deploy.PartitionedBy,
	"Progressed":       deploy.Progressed,
	"Reconcile":        deploy.Reconcile,
	"RemoveCondition":  deploy.RemoveCondition,
	"SetCondition":     deploy.SetCondition,
	"Stalled":          deploy.Stalled,
	"TimedOut":         deploy.TimedOut,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[deploy.Action](),
	reflect.TypeFor[deploy.Actions](),
	reflect.TypeFor[deploy.AdoptReplicaSet](),
	reflect.TypeFor[deploy.AdoptionPolicy](),
	reflect.TypeFor[deploy.AnnotateDeployment](),
	reflect.TypeFor[deploy.AnnotateReplicaSet](),
	reflect.TypeFor[deploy.Change](),
	reflect.TypeFor[deploy.ClearRollback](),
	reflect.TypeFor[deploy.CreateReplicaSet](),
	reflect.TypeFor[deploy.DeleteReplicaSet](),
	reflect.TypeFor[deploy.Delta](),
	reflect.TypeFor[deploy.Deployment](),
	reflect.TypeFor[deploy.DeploymentEvent](),
	reflect.TypeFor[deploy.LeftoverPolicy](),
	reflect.TypeFor[deploy.Options](),
	reflect.TypeFor[deploy.PauseDeployment](),
	reflect.TypeFor[deploy.PausedPolicy](),
	reflect.TypeFor[deploy.Pass](),
	reflect.TypeFor[deploy.Plan](),
	reflect.TypeFor[deploy.ReleaseReplicaSet](),
	reflect.TypeFor[deploy.ReplicaSetEvent](),
	reflect.TypeFor[deploy.Report](),
	reflect.TypeFor[deploy.Result](),
	reflect.TypeFor[deploy.RollBackDeployment](),
	reflect.TypeFor[deploy.ScaleReplicaSet](),
	reflect.TypeFor[deploy.SetPolicy](),
	reflect.TypeFor[deploy.Snapshot](),
	reflect.TypeFor[deploy.Status](),
	reflect.TypeFor[deploy.Strategy](),
	reflect.TypeFor[deploy.TerminatingPolicy](),
	reflect.TypeFor[deploy.Tracker](),
}
