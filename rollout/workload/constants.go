// SPDX-License-Identifier: Apache-2.0

package workload

// Keys of annotations.
const (
	AnnotationInProgress        = "rollouts.kruise.io/in-progressing"
	AnnotationOriginalStrategy  = "rollouts.kruise.io/original-deployment-strategy"
	AnnotationHash              = "rollouts.kruise.io/hash"
	AnnotationRollbackInBatch   = "rollouts.kruise.io/rollback-in-batch"
	AnnotationRollingStyle      = "rollouts.kruise.io/rolling-style"
	AnnotationTrafficRouting    = "rollouts.kruise.io/trafficrouting"
	AnnotationDaemonSetRevision = "rollouts.kruise.io/daemonset-revision"
	AnnotationDaemonSetControl  = "rollouts.kruise.io/daemonset-advanced-control"
	AnnotationDaemonSetStrategy = "rollouts.kruise.io/daemonset-original-update-strategy"
)

// Keys of labels. [LabelRolloutID] is a key of an annotation as well.
const (
	LabelRolloutID          = "rollouts.kruise.io/rollout-id"
	LabelBatchID            = "rollouts.kruise.io/rollout-batch-id"
	LabelNoNeedUpdate       = "rollouts.kruise.io/no-need-update"
	LabelStableRevision     = "rollouts.kruise.io/stable-revision"
	LabelAdvanced           = "rollouts.kruise.io/controlled-by-advanced-deployment-controller"
	LabelWorkloadType       = "rollouts.kruise.io/workload-type"
	LabelCanaryDeployment   = "rollouts.kruise.io/canary-deployment"
	LabelPodTemplateHash    = "pod-template-hash"
	LabelControllerRevision = "controller-revision-hash"
)

// Finalizers.
const (
	FinalizerRollout          = "rollouts.kruise.io/rollout"
	FinalizerBatchRelease     = "rollouts.kruise.io/batch-release-finalizer"
	FinalizerCanaryDeployment = "finalizer.rollouts.kruise.io/batch-release"
)

// Numbers that are written to workloads.
const (
	InfiniteMinReady = 2147483646 // minReadySeconds of a blue-green release
	InfiniteDeadline = 2147483647 // progressDeadlineSeconds of a blue-green release
	HoldEverything   = 32767      // partition of StatefulSets and DaemonSets that holds every pod back
)
