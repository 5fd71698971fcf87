// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/kube/internal/apitest"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
)

// Nothing that the package exports panics, whatever it is given.
func TestTotal(t *testing.T) {
	total.Package{
		Functions: exportedFunctions, Types: exportedTypes,
		Specials: []func(reflect.Type, *rand.Rand) (reflect.Value, bool){apitest.DrawObject},
	}.Check(t)
}

var exportedFunctions = map[string]any{
	"AddToWorld":                kubekruise.AddToWorld,
	"Advance":                   kubekruise.Advance,
	"AdvancedDaemonSet":         kubekruise.AdvancedDaemonSet,
	"AdvancedDaemonSetSnapshot": kubekruise.AdvancedDaemonSetSnapshot,
	"AdvancedStatefulSet":       kubekruise.AdvancedStatefulSet,
	"AutoscalerPatch":           kubekruise.AutoscalerPatch,
	"BatchRelease":              kubekruise.BatchRelease,
	"BatchReleasePatch":         kubekruise.BatchReleasePatch,
	"BatchReleaseV1alpha1":      kubekruise.BatchReleaseV1alpha1,
	"CloneSet":                  kubekruise.CloneSet,
	"CloseGatePatch":            kubekruise.CloseGatePatch,
	"DaemonSet":                 kubekruise.DaemonSet,
	"DeleteBatchReleaseOptions": kubekruise.DeleteBatchReleaseOptions,
	"Deployment":                kubekruise.Deployment,
	"FinalizerPatch":            kubekruise.FinalizerPatch,
	"HTTPRoute":                 kubekruise.HTTPRoute,
	"HookPatch":                 kubekruise.HookPatch,
	"Ingress":                   kubekruise.Ingress,
	"IngressPatch":              kubekruise.IngressPatch,
	"LabelPodPatch":             kubekruise.LabelPodPatch,
	"NewBatchRelease":           kubekruise.NewBatchRelease,
	"NewCanaryDeployment":       kubekruise.NewCanaryDeployment,
	"NewCanaryIngress":          kubekruise.NewCanaryIngress,
	"NewCanaryService":          kubekruise.NewCanaryService,
	"OpenGatePatch":             kubekruise.OpenGatePatch,
	"PatchRolloutPatch":         kubekruise.PatchRolloutPatch,
	"Pods":                      kubekruise.Pods,
	"PreparePodPatch":           kubekruise.PreparePodPatch,
	"RefreshPodPatch":           kubekruise.RefreshPodPatch,
	"ReplicaSetPatch":           kubekruise.ReplicaSetPatch,
	"ResizePodPatch":            kubekruise.ResizePodPatch,
	"Revisions":                 kubekruise.Revisions,
	"Rollout":                   kubekruise.Rollout,
	"RolloutV1alpha1":           kubekruise.RolloutV1alpha1,
	"RoutePatch":                kubekruise.RoutePatch,
	"SelectPodsPatch":           kubekruise.SelectPodsPatch,
	"Service":                   kubekruise.Service,
	"Sets":                      kubekruise.Sets,
	"StatefulSet":               kubekruise.StatefulSet,
	"ToBatchRelease":            kubekruise.ToBatchRelease,
	"ToBatchReleaseStatus":      kubekruise.ToBatchReleaseStatus,
	"ToRollout":                 kubekruise.ToRollout,
	"ToRolloutStatus":           kubekruise.ToRolloutStatus,
	"ToRolloutV1alpha1":         kubekruise.ToRolloutV1alpha1,
	"UpdatePodPatch":            kubekruise.UpdatePodPatch,
	"UpdatedBatchRelease":       kubekruise.UpdatedBatchRelease,
	"WorkloadPatch":             kubekruise.WorkloadPatch,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[kubekruise.Advanced](),
	reflect.TypeFor[kubekruise.AdvancedStatefulSetObject](),
	reflect.TypeFor[kubekruise.AdvancedStatefulSetRollingUpdate](),
	reflect.TypeFor[kubekruise.BatchReleaseObject](),
	reflect.TypeFor[kubekruise.BatchReleaseObjectV1alpha1](),
	reflect.TypeFor[kubekruise.BatchReleaseSpec](),
	reflect.TypeFor[kubekruise.BatchReleaseSpecV1alpha1](),
	reflect.TypeFor[kubekruise.BatchReleaseStatus](),
	reflect.TypeFor[kubekruise.BatchStatus](),
	reflect.TypeFor[kubekruise.BlueGreenStatus](),
	reflect.TypeFor[kubekruise.CanaryStatus](),
	reflect.TypeFor[kubekruise.CanaryStrategyV1alpha1](),
	reflect.TypeFor[kubekruise.CloneSetObject](),
	reflect.TypeFor[kubekruise.RolloutCondition](),
	reflect.TypeFor[kubekruise.HTTPRouteObject](),
	reflect.TypeFor[kubekruise.RolloutObject](),
	reflect.TypeFor[kubekruise.RolloutObjectV1alpha1](),
	reflect.TypeFor[kubekruise.RolloutSpec](),
	reflect.TypeFor[kubekruise.RolloutSpecV1alpha1](),
	reflect.TypeFor[kubekruise.RolloutStatus](),
	reflect.TypeFor[kubekruise.RolloutStrategy](),
	reflect.TypeFor[kubekruise.RolloutStrategyV1alpha1](),
	reflect.TypeFor[kubekruise.StepsStatus](),
	reflect.TypeFor[kubekruise.WorkloadRefV1alpha1](),
}
