// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kplan-go/kplan/internal/verify/total"
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
	"Annotated":                          kube.Annotated,
	"Child":                              kube.Child,
	"ControllerRevision":                 kube.ControllerRevision,
	"ControllerRevisions":                kube.ControllerRevisions,
	"Daemon":                             kube.Daemon,
	"DaemonSet":                          kube.DaemonSet,
	"DaemonSetPod":                       kube.DaemonSetPod,
	"DaemonSetRequests":                  kube.DaemonSetRequests,
	"DaemonSetSnapshot":                  kube.DaemonSetSnapshot,
	"DaemonSetStatus":                    kube.DaemonSetStatus,
	"DaemonSetStatusRequest":             kube.DaemonSetStatusRequest,
	"Default":                            kube.Default[appsv1.Deployment],
	"Deployment":                         kube.Deployment,
	"DeploymentCondition":                kube.DeploymentCondition,
	"DeploymentRequests":                 kube.DeploymentRequests,
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
	"Pod":                                kube.Pod,
	"DaemonSetPods":                      kube.DaemonSetPods,
	"Pods":                               kube.Pods,
	"PodResources":                       kube.PodResources,
	"ReplicaSet":                         kube.ReplicaSet,
	"ReplicaSetCondition":                kube.ReplicaSetCondition,
	"PodRequests":                        kube.PodRequests,
	"ReplicaSetRequests":                 kube.ReplicaSetRequests,
	"ReplicaSetSnapshot":                 kube.ReplicaSetSnapshot,
	"ReplicaSetStatus":                   kube.ReplicaSetStatus,
	"ReplicaSetStatusRequest":            kube.ReplicaSetStatusRequest,
	"ReplicationController":              kube.ReplicationController,
	"ReplicationControllerCondition":     kube.ReplicationControllerCondition,
	"ReplicationControllerRequests":      kube.ReplicationControllerRequests,
	"ReplicationControllerSnapshot":      kube.ReplicationControllerSnapshot,
	"ReplicationControllerStatus":        kube.ReplicationControllerStatus,
	"ReplicationControllerStatusRequest": kube.ReplicationControllerStatusRequest,
	"RestoredDaemonSet":                  kube.RestoredDaemonSet,
	"RollbackCleared":                    kube.RollbackCleared,
	"RolledBack":                         kube.RolledBack,
	"Scaled":                             kube.Scaled,
	"Selector":                           kube.Selector,
	"Snapshot":                           kube.Snapshot,
	"Stale":                              kube.Stale,
	"StatefulSet":                        kube.StatefulSet,
	"Template":                           kube.Template,
	"TemplateID":                         kube.TemplateID,
	"ToIntOrString":                      kube.ToIntOrString,
	"ToLabelSelector":                    kube.ToLabelSelector,
	"ToNodeSelector":                     kube.ToNodeSelector,
	"ToReplicationController":            kube.ToReplicationController,
	"ToSelector":                         kube.ToSelector,
	"ToTolerations":                      kube.ToTolerations,
	"Tolerations":                        kube.Tolerations,
	"World":                              kube.World,
	"WorldAt":                            kube.WorldAt,
	"Validate":                           kube.Validate,
	"ValidateDaemonSet":                  kube.ValidateDaemonSet,
	"ValidateReplicaSet":                 kube.ValidateReplicaSet,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[kube.Client](),
	reflect.TypeFor[kube.Executor](),
	reflect.TypeFor[kube.Object](),
	reflect.TypeFor[kube.Patch](),
	reflect.TypeFor[kube.Request](),
	reflect.TypeFor[kube.Retry](),
	reflect.TypeFor[kube.Verb](),
	reflect.TypeFor[kube.WorldObject](),
	reflect.TypeFor[kube.WorldSet](),
}
