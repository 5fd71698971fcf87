package kube_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/total"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/kube/internal/apitest"
)

// Nothing that the package exports panics, whatever it is given.
func TestTotal(t *testing.T) {
	calls := "makes the calls of a plan; its own tests give it what it must not get"
	total.Package{
		Functions: exportedFunctions, Types: exportedTypes,
		Skip:     map[string]string{"Executor.Deployment": calls, "Executor.ReplicaSet": calls, "Executor.ReplicationController": calls, "Executor.DaemonSet": calls},
		Specials: []func(reflect.Type, *rand.Rand) (reflect.Value, bool){apitest.DrawObject},
	}.Check(t)
}

var exportedFunctions = map[string]any{
	"AdoptDaemonPodPatch":                kube.AdoptDaemonPodPatch,
	"AdoptPatch":                         kube.AdoptPatch,
	"AdoptPodPatch":                      kube.AdoptPodPatch,
	"AdoptRevisionPatch":                 kube.AdoptRevisionPatch,
	"AnnotateDeploymentPatch":            kube.AnnotateDeploymentPatch,
	"AnnotatePatch":                      kube.AnnotatePatch,
	"Annotated":                          kube.Annotated,
	"Child":                              kube.Child,
	"ControllerRevision":                 kube.ControllerRevision,
	"ControllerRevisions":                kube.ControllerRevisions,
	"DaemonSet":                          kube.DaemonSet,
	"DaemonSetPod":                       kube.DaemonSetPod,
	"DaemonSetSnapshot":                  kube.DaemonSetSnapshot,
	"DaemonSetStatus":                    kube.DaemonSetStatus,
	"DaemonSetStatusRequest":             kube.DaemonSetStatusRequest,
	"DefaultDeployment":                  kube.DefaultDeployment,
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
	"Fresh":                              kube.Fresh,
	"FromDaemonSetStatus":                kube.FromDaemonSetStatus,
	"FromDeploymentCondition":            kube.FromDeploymentCondition,
	"FromDeploymentStatus":               kube.FromDeploymentStatus,
	"FromReplicaSetCondition":            kube.FromReplicaSetCondition,
	"FromReplicaSetStatus":               kube.FromReplicaSetStatus,
	"FromReplicationController":          kube.FromReplicationController,
	"FromReplicationControllerCondition": kube.FromReplicationControllerCondition,
	"FromReplicationControllerStatus":    kube.FromReplicationControllerStatus,
	"IntOrPercent":                       kube.IntOrPercent,
	"LabelSelector":                      kube.LabelSelector,
	"NewControllerPod":                   kube.NewControllerPod,
	"NewControllerRevision":              kube.NewControllerRevision,
	"NewDaemonPod":                       kube.NewDaemonPod,
	"NewDaemonSetRevision":               kube.NewDaemonSetRevision,
	"NewPod":                             kube.NewPod,
	"NewReplicaSet":                      kube.NewReplicaSet,
	"Node":                               kube.Node,
	"NodeSelector":                       kube.NodeSelector,
	"Outcome":                            kube.Outcome,
	"Owner":                              kube.Owner,
	"PausePatch":                         kube.PausePatch,
	"Pod":                                kube.Pod,
	"RelabelPodPatch":                    kube.RelabelPodPatch,
	"ReleaseDaemonPodPatch":              kube.ReleaseDaemonPodPatch,
	"ReleasePatch":                       kube.ReleasePatch,
	"ReleasePodPatch":                    kube.ReleasePodPatch,
	"ReleaseRevisionPatch":               kube.ReleaseRevisionPatch,
	"Renumbered":                         kube.Renumbered,
	"ReplicaSet":                         kube.ReplicaSet,
	"ReplicaSetCondition":                kube.ReplicaSetCondition,
	"ReplicaSetSnapshot":                 kube.ReplicaSetSnapshot,
	"ReplicaSetStatus":                   kube.ReplicaSetStatus,
	"ReplicaSetStatusRequest":            kube.ReplicaSetStatusRequest,
	"ReplicationController":              kube.ReplicationController,
	"ReplicationControllerCondition":     kube.ReplicationControllerCondition,
	"ReplicationControllerSnapshot":      kube.ReplicationControllerSnapshot,
	"ReplicationControllerStatus":        kube.ReplicationControllerStatus,
	"ReplicationControllerStatusRequest": kube.ReplicationControllerStatusRequest,
	"RestoredDaemonSet":                  kube.RestoredDaemonSet,
	"RollbackCleared":                    kube.RollbackCleared,
	"RolledBack":                         kube.RolledBack,
	"ScalePatch":                         kube.ScalePatch,
	"Scaled":                             kube.Scaled,
	"Selector":                           kube.Selector,
	"Snapshot":                           kube.Snapshot,
	"Stale":                              kube.Stale,
	"Template":                           kube.Template,
	"TemplateID":                         kube.TemplateID,
	"ToIntOrString":                      kube.ToIntOrString,
	"ToLabelSelector":                    kube.ToLabelSelector,
	"ToNodeSelector":                     kube.ToNodeSelector,
	"ToReplicationController":            kube.ToReplicationController,
	"ToSelector":                         kube.ToSelector,
	"ToTolerations":                      kube.ToTolerations,
	"Tolerations":                        kube.Tolerations,
	"UpdatedRevision":                    kube.UpdatedRevision,
	"Validate":                           kube.Validate,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[kube.Client](),
	reflect.TypeFor[kube.Executor](),
	reflect.TypeFor[kube.Object](),
	reflect.TypeFor[kube.Patch](),
	reflect.TypeFor[kube.Request](),
	reflect.TypeFor[kube.Retry](),
	reflect.TypeFor[kube.Verb](),
}
