// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/rollout/argo"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"AbortDelay":     argo.AbortDelay,
	"Apply":          argo.Apply,
	"Approximate":    argo.Approximate,
	"Budget":         argo.Budget,
	"Parse":          argo.Parse,
	"Reconcile":      argo.Reconcile,
	"ScaleDownDelay": argo.ScaleDownDelay,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[argo.Action](),
	reflect.TypeFor[argo.Actions](),
	reflect.TypeFor[argo.BlueGreen](),
	reflect.TypeFor[argo.Canary](),
	reflect.TypeFor[argo.CanaryScale](),
	reflect.TypeFor[argo.Counts](),
	reflect.TypeFor[argo.CreateReplicaSet](),
	reflect.TypeFor[argo.DelayReplicaSet](),
	reflect.TypeFor[argo.EvictPod](),
	reflect.TypeFor[argo.HeaderMatch](),
	reflect.TypeFor[argo.Mirror](),
	reflect.TypeFor[argo.Options](),
	reflect.TypeFor[argo.Pause](),
	reflect.TypeFor[argo.PauseCondition](),
	reflect.TypeFor[argo.Phase](),
	reflect.TypeFor[argo.PingPong](),
	reflect.TypeFor[argo.Plan](),
	reflect.TypeFor[argo.Pod](),
	reflect.TypeFor[argo.Preview](),
	reflect.TypeFor[argo.Progress](),
	reflect.TypeFor[argo.RemoveRoute](),
	reflect.TypeFor[argo.ReplicaSet](),
	reflect.TypeFor[argo.Rollout](),
	reflect.TypeFor[argo.Route](),
	reflect.TypeFor[argo.RouteMatch](),
	reflect.TypeFor[argo.Routing](),
	reflect.TypeFor[argo.Run](),
	reflect.TypeFor[argo.RunPhase](),
	reflect.TypeFor[argo.Runs](),
	reflect.TypeFor[argo.ScaleReplicaSet](),
	reflect.TypeFor[argo.SelectPods](),
	reflect.TypeFor[argo.Service](),
	reflect.TypeFor[argo.SetRoute](),
	reflect.TypeFor[argo.SetWeight](),
	reflect.TypeFor[argo.Size](),
	reflect.TypeFor[argo.Snapshot](),
	reflect.TypeFor[argo.Status](),
	reflect.TypeFor[argo.Step](),
	reflect.TypeFor[argo.StringMatch](),
	reflect.TypeFor[argo.Style](),
	reflect.TypeFor[argo.Threshold](),
	reflect.TypeFor[argo.TrafficWeights](),
	reflect.TypeFor[argo.WeightDestination](),
	reflect.TypeFor[argo.Weights](),
}
