// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
	"github.com/kplan-go/kplan/kube/internal/apitest"
)

// Nothing that the package exports panics, whatever it is given.
func TestTotal(t *testing.T) {
	total.Package{
		Functions: exportedFunctions, Types: exportedTypes,
		Specials: []func(reflect.Type, *rand.Rand) (reflect.Value, bool){apitest.DrawObject},
	}.Check(t)
}

var exportedFunctions = map[string]any{
	"NewReplicaSet": kubeargo.NewReplicaSet,
	"Pods":          kubeargo.Pods,
	"ReplicaSet":    kubeargo.ReplicaSet,
	"Requests":      kubeargo.Requests,
	"Resolve":       kubeargo.Resolve,
	"Rollout":       kubeargo.Rollout,
	"Service":       kubeargo.Service,
	"Snapshot":      kubeargo.Snapshot,
	"StepHash":      kubeargo.StepHash,
	"Validate":      kubeargo.Validate,
	"World":         kubeargo.World,
	"TemplateHash":  kubeargo.TemplateHash,
	"ToStatus":      kubeargo.ToStatus,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[kubeargo.Analysis](),
	reflect.TypeFor[kubeargo.AnalysisArgument](),
	reflect.TypeFor[kubeargo.AnalysisRunMetadata](),
	reflect.TypeFor[kubeargo.AnalysisTemplate](),
	reflect.TypeFor[kubeargo.AnalysisValueFrom](),
	reflect.TypeFor[kubeargo.BackgroundAnalysis](),
	reflect.TypeFor[kubeargo.BlueGreenStatus](),
	reflect.TypeFor[kubeargo.BlueGreenStrategy](),
	reflect.TypeFor[kubeargo.CanaryStatus](),
	reflect.TypeFor[kubeargo.CanaryStep](),
	reflect.TypeFor[kubeargo.CanaryStrategy](),
	reflect.TypeFor[kubeargo.RolloutCondition](),
	reflect.TypeFor[kubeargo.DryRun](),
	reflect.TypeFor[kubeargo.FieldRef](),
	reflect.TypeFor[kubeargo.HeaderMatch](),
	reflect.TypeFor[kubeargo.HeaderRoute](),
	reflect.TypeFor[kubeargo.MeasurementRetention](),
	reflect.TypeFor[kubeargo.MirrorRoute](),
	reflect.TypeFor[kubeargo.Pause](),
	reflect.TypeFor[kubeargo.PauseCondition](),
	reflect.TypeFor[kubeargo.PingPong](),
	reflect.TypeFor[kubeargo.RollbackWindow](),
	reflect.TypeFor[kubeargo.RolloutObject](),
	reflect.TypeFor[kubeargo.RolloutSpec](),
	reflect.TypeFor[kubeargo.RolloutStatus](),
	reflect.TypeFor[kubeargo.RouteMatch](),
	reflect.TypeFor[kubeargo.RunStatus](),
	reflect.TypeFor[kubeargo.SetCanaryScale](),
	reflect.TypeFor[kubeargo.Strategy](),
	reflect.TypeFor[kubeargo.StringMatch](),
	reflect.TypeFor[kubeargo.TrafficRouting](),
	reflect.TypeFor[kubeargo.TrafficWeights](),
	reflect.TypeFor[kubeargo.WeightDestination](),
	reflect.TypeFor[kubeargo.WorkloadRef](),
}
