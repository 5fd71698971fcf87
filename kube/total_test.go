package kube_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kplan-go/kplan/internal/total"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout"
)

// Nothing that the package exports panics, whatever it is given.
func TestTotal(t *testing.T) {
	calls := "makes the calls of a plan; its own tests give it what it must not get"
	total.Package{
		Functions: exportedFunctions, Types: exportedTypes,
		Skip:     map[string]string{"Executor.Deployment": calls, "Executor.ReplicaSet": calls, "Executor.ReplicationController": calls, "Executor.DaemonSet": calls},
		Specials: []func(reflect.Type, *rand.Rand) (reflect.Value, bool){drawObject},
	}.Check(t)
}

// drawObject draws what the API has as an interface.
func drawObject(t reflect.Type, random *rand.Rand) (reflect.Value, bool) {
	v := reflect.New(t).Elem()
	switch t {
	case reflect.TypeFor[metav1.Object](), reflect.TypeFor[kube.Object]():
		objects := []any{(*corev1.Pod)(nil), &corev1.Pod{}, (*appsv1.Deployment)(nil), &appsv1.ReplicaSet{}}
		if i := random.IntN(len(objects) + 1); i < len(objects) {
			v.Set(reflect.ValueOf(objects[i]))
		}
	case reflect.TypeFor[labels.Selector]():
		selectors := []labels.Selector{labels.Nothing(), labels.Everything(), labels.NewSelector().Add(labels.Requirement{})}
		if i := random.IntN(len(selectors) + 1); i < len(selectors) {
			v.Set(reflect.ValueOf(selectors[i]))
		}
	case reflect.TypeFor[resource.Quantity]():
		v.Set(reflect.ValueOf(resource.MustParse([]string{"0", "1", "-3", "1e1000", "1Ei"}[random.IntN(5)])))
	case reflect.TypeFor[rollout.IntOrPercent]():
		v.Set(reflect.ValueOf([]rollout.IntOrPercent{{}, rollout.Int(-1), rollout.Int(1 << 30), rollout.Percent(25)}[random.IntN(4)]))
	default:
		return v, false
	}
	return v, true
}

var exportedFunctions = map[string]any{
	"AdoptDaemonPodPatch":                kube.AdoptDaemonPodPatch,
	"AdoptPatch":                         kube.AdoptPatch,
	"AdoptPodPatch":                      kube.AdoptPodPatch,
	"AdoptRevisionPatch":                 kube.AdoptRevisionPatch,
	"AdvancedDaemonSet":                  kube.AdvancedDaemonSet,
	"AdvancedDaemonSetSnapshot":          kube.AdvancedDaemonSetSnapshot,
	"AnnotateDeploymentPatch":            kube.AnnotateDeploymentPatch,
	"AnnotatePatch":                      kube.AnnotatePatch,
	"Annotated":                          kube.Annotated,
	"AutoscalerPatch":                    kube.AutoscalerPatch,
	"BatchRelease":                       kube.BatchRelease,
	"BatchReleasePatch":                  kube.BatchReleasePatch,
	"BatchReleaseV1alpha1":               kube.BatchReleaseV1alpha1,
	"Child":                              kube.Child,
	"CloseGatePatch":                     kube.CloseGatePatch,
	"ControllerRevision":                 kube.ControllerRevision,
	"ControllerRevisions":                kube.ControllerRevisions,
	"DaemonSet":                          kube.DaemonSet,
	"DaemonSetPod":                       kube.DaemonSetPod,
	"DaemonSetSnapshot":                  kube.DaemonSetSnapshot,
	"DaemonSetStatus":                    kube.DaemonSetStatus,
	"DaemonSetStatusRequest":             kube.DaemonSetStatusRequest,
	"DefaultDeployment":                  kube.DefaultDeployment,
	"DeleteBatchReleaseOptions":          kube.DeleteBatchReleaseOptions,
	"DeleteDaemonPodOptions":             kube.DeleteDaemonPodOptions,
	"DeletePodOptions":                   kube.DeletePodOptions,
	"DeleteReplicaSetOptions":            kube.DeleteReplicaSetOptions,
	"DeleteRevisionOptions":              kube.DeleteRevisionOptions,
	"Deployment":                         kube.Deployment,
	"DeploymentCondition":                kube.DeploymentCondition,
	"DeploymentStatus":                   kube.DeploymentStatus,
	"DeploymentStatusRequest":            kube.DeploymentStatusRequest,
	"Domains":                            kube.Domains,
	"Entries":                            kube.Entries,
	"Entry":                              kube.Entry,
	"FinalizerPatch":                     kube.FinalizerPatch,
	"Fresh":                              kube.Fresh,
	"FromDaemonSetStatus":                kube.FromDaemonSetStatus,
	"FromDeploymentCondition":            kube.FromDeploymentCondition,
	"FromDeploymentStatus":               kube.FromDeploymentStatus,
	"FromReplicaSetCondition":            kube.FromReplicaSetCondition,
	"FromReplicaSetStatus":               kube.FromReplicaSetStatus,
	"FromReplicationController":          kube.FromReplicationController,
	"FromReplicationControllerCondition": kube.FromReplicationControllerCondition,
	"FromReplicationControllerStatus":    kube.FromReplicationControllerStatus,
	"HookPatch":                          kube.HookPatch,
	"IngressPatch":                       kube.IngressPatch,
	"IntOrPercent":                       kube.IntOrPercent,
	"LabelPodPatch":                      kube.LabelPodPatch,
	"LabelSelector":                      kube.LabelSelector,
	"NewBatchRelease":                    kube.NewBatchRelease,
	"NewCanaryDeployment":                kube.NewCanaryDeployment,
	"NewCanaryIngress":                   kube.NewCanaryIngress,
	"NewCanaryService":                   kube.NewCanaryService,
	"NewControllerPod":                   kube.NewControllerPod,
	"NewControllerRevision":              kube.NewControllerRevision,
	"NewDaemonPod":                       kube.NewDaemonPod,
	"NewDaemonSetRevision":               kube.NewDaemonSetRevision,
	"NewPod":                             kube.NewPod,
	"NewReplicaSet":                      kube.NewReplicaSet,
	"Node":                               kube.Node,
	"NodeSelector":                       kube.NodeSelector,
	"OpenGatePatch":                      kube.OpenGatePatch,
	"Outcome":                            kube.Outcome,
	"Owner":                              kube.Owner,
	"PatchRolloutPatch":                  kube.PatchRolloutPatch,
	"PausePatch":                         kube.PausePatch,
	"Pod":                                kube.Pod,
	"PreparePodPatch":                    kube.PreparePodPatch,
	"RefreshPodPatch":                    kube.RefreshPodPatch,
	"RelabelPodPatch":                    kube.RelabelPodPatch,
	"ReleaseDaemonPodPatch":              kube.ReleaseDaemonPodPatch,
	"ReleasePatch":                       kube.ReleasePatch,
	"ReleasePodPatch":                    kube.ReleasePodPatch,
	"ReleaseRevisionPatch":               kube.ReleaseRevisionPatch,
	"Renumbered":                         kube.Renumbered,
	"ReplicaSet":                         kube.ReplicaSet,
	"ReplicaSetCondition":                kube.ReplicaSetCondition,
	"ReplicaSetPatch":                    kube.ReplicaSetPatch,
	"ReplicaSetSnapshot":                 kube.ReplicaSetSnapshot,
	"ReplicaSetStatus":                   kube.ReplicaSetStatus,
	"ReplicaSetStatusRequest":            kube.ReplicaSetStatusRequest,
	"ReplicationController":              kube.ReplicationController,
	"ReplicationControllerCondition":     kube.ReplicationControllerCondition,
	"ReplicationControllerSnapshot":      kube.ReplicationControllerSnapshot,
	"ReplicationControllerStatus":        kube.ReplicationControllerStatus,
	"ReplicationControllerStatusRequest": kube.ReplicationControllerStatusRequest,
	"ResizePodPatch":                     kube.ResizePodPatch,
	"RestoredDaemonSet":                  kube.RestoredDaemonSet,
	"RollbackCleared":                    kube.RollbackCleared,
	"RolledBack":                         kube.RolledBack,
	"Rollout":                            kube.Rollout,
	"RolloutCloneSet":                    kube.RolloutCloneSet,
	"RolloutDaemonSet":                   kube.RolloutDaemonSet,
	"RolloutDeployment":                  kube.RolloutDeployment,
	"RolloutIngress":                     kube.RolloutIngress,
	"RolloutPods":                        kube.RolloutPods,
	"RolloutRevisions":                   kube.RolloutRevisions,
	"RolloutRoute":                       kube.RolloutRoute,
	"RolloutService":                     kube.RolloutService,
	"RolloutSets":                        kube.RolloutSets,
	"RolloutStatefulSet":                 kube.RolloutStatefulSet,
	"RolloutV1alpha1":                    kube.RolloutV1alpha1,
	"RoutePatch":                         kube.RoutePatch,
	"ScalePatch":                         kube.ScalePatch,
	"Scaled":                             kube.Scaled,
	"SelectPodsPatch":                    kube.SelectPodsPatch,
	"Selector":                           kube.Selector,
	"Snapshot":                           kube.Snapshot,
	"Stale":                              kube.Stale,
	"Template":                           kube.Template,
	"TemplateID":                         kube.TemplateID,
	"ToBatchRelease":                     kube.ToBatchRelease,
	"ToBatchReleaseStatus":               kube.ToBatchReleaseStatus,
	"ToIntOrString":                      kube.ToIntOrString,
	"ToLabelSelector":                    kube.ToLabelSelector,
	"ToNodeSelector":                     kube.ToNodeSelector,
	"ToReplicationController":            kube.ToReplicationController,
	"ToRollout":                          kube.ToRollout,
	"ToRolloutStatus":                    kube.ToRolloutStatus,
	"ToRolloutV1alpha1":                  kube.ToRolloutV1alpha1,
	"ToSelector":                         kube.ToSelector,
	"ToTolerations":                      kube.ToTolerations,
	"Tolerations":                        kube.Tolerations,
	"UpdatePodPatch":                     kube.UpdatePodPatch,
	"UpdatedBatchRelease":                kube.UpdatedBatchRelease,
	"UpdatedRevision":                    kube.UpdatedRevision,
	"Validate":                           kube.Validate,
	"WorkloadPatch":                      kube.WorkloadPatch,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[kube.Advanced](),
	reflect.TypeFor[kube.BatchReleaseObject](),
	reflect.TypeFor[kube.BatchReleaseObjectV1alpha1](),
	reflect.TypeFor[kube.BatchReleaseSpec](),
	reflect.TypeFor[kube.BatchReleaseSpecV1alpha1](),
	reflect.TypeFor[kube.BatchReleaseStatus](),
	reflect.TypeFor[kube.BatchStatus](),
	reflect.TypeFor[kube.BlueGreenStatus](),
	reflect.TypeFor[kube.CanaryStatus](),
	reflect.TypeFor[kube.CanaryStrategyV1alpha1](),
	reflect.TypeFor[kube.Client](),
	reflect.TypeFor[kube.CloneSet](),
	reflect.TypeFor[kube.Executor](),
	reflect.TypeFor[kube.HTTPRoute](),
	reflect.TypeFor[kube.Object](),
	reflect.TypeFor[kube.Patch](),
	reflect.TypeFor[kube.Request](),
	reflect.TypeFor[kube.Retry](),
	reflect.TypeFor[kube.RolloutCondition](),
	reflect.TypeFor[kube.RolloutObject](),
	reflect.TypeFor[kube.RolloutObjectV1alpha1](),
	reflect.TypeFor[kube.RolloutSpec](),
	reflect.TypeFor[kube.RolloutSpecV1alpha1](),
	reflect.TypeFor[kube.RolloutStatus](),
	reflect.TypeFor[kube.RolloutStrategy](),
	reflect.TypeFor[kube.RolloutStrategyV1alpha1](),
	reflect.TypeFor[kube.StepsStatus](),
	reflect.TypeFor[kube.Verb](),
	reflect.TypeFor[kube.WorkloadRefV1alpha1](),
}
