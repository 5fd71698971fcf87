// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"time"
	_ "unsafe" // for go:linkname

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	_ "k8s.io/kubernetes/pkg/controller/deployment/util" // linked below
	"k8s.io/kubernetes/pkg/controller/replicaset"
)

// The functions of this file are upstream's own, linked by name because they are not exported. The
// linker does not check signatures: Linked lists them for the test that does. The empty file
// linkname.s makes the compiler accept functions without a body.

// PodsToDelete chooses the victims of a scale-down. It reorders filteredPods.
//
//go:linkname PodsToDelete k8s.io/kubernetes/pkg/controller/replicaset.getPodsToDelete
func PodsToDelete(filteredPods, relatedPods []*corev1.Pod, diff int) []*corev1.Pod

// RankPods counts related pods on the nodes of pods.
//
//go:linkname RankPods k8s.io/kubernetes/pkg/controller/replicaset.getPodsRankedByRelatedPodsOnSameNode
func RankPods(podsToRank, relatedPods []*corev1.Pod) controller.ActivePodsWithRanks

// ReplicaSetStatus computes the status of a ReplicaSet.
//
//go:linkname ReplicaSetStatus k8s.io/kubernetes/pkg/controller/replicaset.calculateStatus
func ReplicaSetStatus(rs *appsv1.ReplicaSet, activePods []*corev1.Pod, terminatingPods []*corev1.Pod, manageReplicasErr error, controllerFeatures replicaset.ReplicaSetControllerFeatures, now time.Time) appsv1.ReplicaSetStatus

// DeploymentStatus computes the status of a Deployment.
//
//go:linkname DeploymentStatus k8s.io/kubernetes/pkg/controller/deployment.calculateStatus
func DeploymentStatus(allRSs []*appsv1.ReplicaSet, newRS *appsv1.ReplicaSet, deployment *appsv1.Deployment) appsv1.DeploymentStatus

// ReplicaSetName names the ReplicaSet of a Deployment.
//
//go:linkname ReplicaSetName k8s.io/kubernetes/pkg/controller/deployment.generateReplicaSetName
func ReplicaSetName(deploymentName, podTemplateSpecHash string) string

// Fraction is the change that keeps the share of a ReplicaSet.
//
//go:linkname Fraction k8s.io/kubernetes/pkg/controller/deployment/util.getReplicaSetFraction
func Fraction(logger klog.Logger, rs appsv1.ReplicaSet, d appsv1.Deployment) int32

// MaxReplicasAnnotation reads the annotation max-replicas.
//
//go:linkname MaxReplicasAnnotation k8s.io/kubernetes/pkg/controller/deployment/util.getMaxReplicasAnnotation
func MaxReplicasAnnotation(logger klog.Logger, rs *appsv1.ReplicaSet) (int32, bool)

// DaemonSetPatch is the template of a DaemonSet as a revision stores it.
//
//go:linkname DaemonSetPatch k8s.io/kubernetes/pkg/controller/daemon.getPatch
func DaemonSetPatch(ds *appsv1.DaemonSet) ([]byte, error)

// UpdatedPods divides the pods of a node into the new one and the old one.
//
//go:linkname UpdatedPods k8s.io/kubernetes/pkg/controller/daemon.findUpdatedPodsOnNode
func UpdatedPods(ds *appsv1.DaemonSet, podsOnNode []*corev1.Pod, hash string) (newPod, oldPod *corev1.Pod, ok bool)

// PodsWithoutNode returns the pods that wait for nodes that do not exist.
//
//go:linkname PodsWithoutNode k8s.io/kubernetes/pkg/controller/daemon.getUnscheduledPodsWithoutNode
func PodsWithoutNode(runningNodesList []*corev1.Node, nodeToDaemonPods map[string][]*corev1.Pod) []string

//go:linkname updatedDesiredNodeCounts k8s.io/kubernetes/pkg/controller/daemon.(*DaemonSetsController).updatedDesiredNodeCounts
func updatedDesiredNodeCounts(dsc *daemon.DaemonSetsController, ctx context.Context, ds *appsv1.DaemonSet, nodeList []*corev1.Node, nodeToDaemonPods map[string][]*corev1.Pod) (int, int, int, error)

//go:linkname updateNode k8s.io/kubernetes/pkg/controller/daemon.(*DaemonSetsController).updateNode
func updateNode(dsc *daemon.DaemonSetsController, logger klog.Logger, old, cur interface{})

//go:linkname syncNodeUpdate k8s.io/kubernetes/pkg/controller/daemon.(*DaemonSetsController).syncNodeUpdate
func syncNodeUpdate(dsc *daemon.DaemonSetsController, ctx context.Context, nodeName string) error

//go:linkname isScalingEvent k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).isScalingEvent
func isScalingEvent(dc *deployment.DeploymentController, ctx context.Context, d *appsv1.Deployment, rsList []*appsv1.ReplicaSet) (bool, error)

//go:linkname requeueStuckDeployment k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).requeueStuckDeployment
func requeueStuckDeployment(dc *deployment.DeploymentController, ctx context.Context, d *appsv1.Deployment, newStatus appsv1.DeploymentStatus) time.Duration

//go:linkname addDeployment k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).addDeployment
func addDeployment(dc *deployment.DeploymentController, logger klog.Logger, obj interface{})

//go:linkname updateDeployment k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).updateDeployment
func updateDeployment(dc *deployment.DeploymentController, logger klog.Logger, old, cur interface{})

//go:linkname deleteDeployment k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).deleteDeployment
func deleteDeployment(dc *deployment.DeploymentController, logger klog.Logger, obj interface{})

//go:linkname addReplicaSet k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).addReplicaSet
func addReplicaSet(dc *deployment.DeploymentController, logger klog.Logger, obj interface{})

//go:linkname updateReplicaSet k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).updateReplicaSet
func updateReplicaSet(dc *deployment.DeploymentController, logger klog.Logger, old, cur interface{})

//go:linkname deleteReplicaSet k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).deleteReplicaSet
func deleteReplicaSet(dc *deployment.DeploymentController, logger klog.Logger, obj interface{})

//go:linkname deletePod k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).deletePod
func deletePod(dc *deployment.DeploymentController, logger klog.Logger, obj interface{})

//go:linkname handleErr k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).handleErr
func handleErr(dc *deployment.DeploymentController, ctx context.Context, err error, key string)
