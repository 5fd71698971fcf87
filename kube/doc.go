// Package kube turns Kubernetes API objects into the snapshots that the planners
// read, and planned actions into API objects, patches and delete options. It
// makes no API calls of its own: an [Executor] carries out a plan through a
// [Client], which whoever calls it makes of client-go or controller-runtime, and Finish of
// the package that made the plan tells what follows. Nothing but creations whose outcome
// is not known is repeated, and these twice at most: see [Retry].
//
// Inbound there is one function for each noun: [Deployment], [ReplicaSet], [DaemonSet],
// [Pod], [Node], [ControllerRevision], [Template], [LabelSelector], and [Snapshot],
// [ReplicaSetSnapshot] and [DaemonSetSnapshot] for all that a planner reads at once.
// [AdvancedDaemonSet] and [AdvancedDaemonSetSnapshot] add what only OpenKruise has, and [DaemonSetPod] what only that
// planner reads of a pod. [ReplicationController] and [ReplicationControllerSnapshot] do
// the same for the older kind, [FromReplicationController] and [ToReplicationController]
// turn one kind into the other, and [Domains] gives the zones of nodes.
//
// Parts of objects have conversions of their own, with a way back:
//
//	in                                  out
//	FromDeploymentStatus                DeploymentStatus
//	FromReplicaSetStatus                ReplicaSetStatus
//	FromReplicationControllerStatus     ReplicationControllerStatus
//	FromDaemonSetStatus                 DaemonSetStatus
//	FromDeploymentCondition             DeploymentCondition
//	FromReplicaSetCondition             ReplicaSetCondition
//	FromReplicationControllerCondition  ReplicationControllerCondition
//	LabelSelector                       ToLabelSelector
//	Selector                            ToSelector
//	NodeSelector                        ToNodeSelector
//	Tolerations                         ToTolerations
//	IntOrPercent                        ToIntOrString
//
// or without one: [Entry] and [Entries] for the history of package revision; [Child],
// [Owner] and [Fresh] for claims of any object by any other; [Outcome] for errors
// of the API server.
//
// Outbound there is one for each action:
//
//	CreateReplicaSet    NewReplicaSet
//	AnnotateReplicaSet  Annotated, or AnnotatePatch
//	ScaleReplicaSet     Scaled, or ScalePatch
//	AdoptReplicaSet     AdoptPatch
//	ReleaseReplicaSet   ReleasePatch
//	DeleteReplicaSet    DeleteReplicaSetOptions
//	AnnotateDeployment  AnnotateDeploymentPatch
//	PauseDeployment     PausePatch
//	RollBackDeployment  RolledBack
//	ClearRollback       RollbackCleared
//	CreatePods          NewPod or NewControllerPod, as often as the action says
//	AdoptPod            AdoptPodPatch; of a DaemonSet AdoptDaemonPodPatch
//	ReleasePod          ReleasePodPatch; of a DaemonSet ReleaseDaemonPodPatch
//	DeletePod           DeletePodOptions; of a DaemonSet DeleteDaemonPodOptions
//	CreatePod           NewDaemonPod
//	RelabelPod          RelabelPodPatch
//	PreparePod          PreparePodPatch, and HookPatch of the status
//	UpdatePod           CloseGatePatch of the status, then ResizePodPatch of the resize,
//	                    then UpdatePodPatch
//	RefreshPod          ResizePodPatch of the resize, then RefreshPodPatch; or
//	                    OpenGatePatch of the status
//	CreateRevision      NewDaemonSetRevision; for other owners NewControllerRevision
//	UpdateRevision      UpdatedRevision, or Renumbered
//	AdoptRevision       AdoptRevisionPatch
//	ReleaseRevision     ReleaseRevisionPatch
//	DeleteRevision      DeleteRevisionOptions
//	Plan.Status         DeploymentStatus, ReplicaSetStatus, ReplicationControllerStatus,
//	                    DaemonSetStatus
//
// [RestoredDaemonSet], which goes back to a revision, is for those who write objects of
// their own.
//
// For package rollout there are types in the form of the API of OpenKruise Rollouts,
// whose module is not a dependency: [RolloutObject], [BatchReleaseObject], both of an
// older version as well, [CloneSet] and [HTTPRoute]. [Rollout] and [BatchRelease] give
// their snapshots, [ToRollout] and [ToBatchRelease] go back, RolloutDeployment and its
// like give workloads, [RolloutSets] and [RolloutPods] what belongs to them. Outbound:
//
//	SetFinalizer        FinalizerPatch
//	PatchRollout        PatchRolloutPatch
//	PatchWorkload       WorkloadPatch
//	CreateCanary        NewCanaryDeployment
//	PatchReplicaSet     ReplicaSetPatch
//	RetargetAutoscaler  AutoscalerPatch
//	LabelPod            LabelPodPatch
//	CreateBatchRelease  NewBatchRelease
//	UpdateBatchRelease  UpdatedBatchRelease
//	PatchBatchRelease   BatchReleasePatch
//	DeleteBatchRelease  DeleteBatchReleaseOptions
//	SelectPods          SelectPodsPatch
//	CreateService       NewCanaryService
//	SetRoute            RoutePatch
//	SetIngress          NewCanaryIngress or IngressPatch
//	Plan.Status         ToRolloutStatus, ToBatchReleaseStatus
//
// DeleteService and DeleteIngress name what to delete.
//
// # Rules
//
// Each rule names what it mirrors in Kubernetes 1.36.3.
//
//  1. Two templates are the same if they are semantically equal, the label
//     pod-template-hash aside (deployment util, EqualIgnoreHash). [TemplateID] is
//     a digest of what that comparison looks at.
//  2. The hash of a template is computed over a dump of the whole template, unset
//     fields included, so it depends on the release of the API types (controller,
//     ComputeHash).
//  3. The owner of an object is the first owner reference whose controller field is
//     true (metav1.GetControllerOfNoCopy).
//  4. A pod is ready if its first condition of type Ready is True (pod util,
//     GetPodReadyCondition). Its restarts are those of the container that restarted
//     most, and init containers count only if they restart always (controller,
//     ActivePodsWithRanks).
//  5. A new ReplicaSet has the labels of the template and the hash, the selector of
//     the Deployment and the hash, and the Deployment as its controller (deployment
//     controller, getNewReplicaSet).
//  6. A new pod has the labels, annotations, finalizers and spec of the template,
//     and the ReplicaSet as its controller (controller, GetPodFromTemplate).
//  7. A revision of a DaemonSet stores its template as a patch that replaces the
//     template, with sorted keys (daemon controller, getPatch).
//  8. A new pod of a DaemonSet has the template with the default tolerations, the
//     labels of the action, and a required node affinity for its node alone (daemon
//     util, CreatePodTemplate and ReplaceDaemonSetPodNodeNameNodeAffinity).
//  9. A percentage is text that ends in %; the text 5 is not the number 5 (intstr,
//     GetScaledValueFromIntOrPercent).
//
// # Fixtures
//
// Objects of an API server have names and UIDs, unique within a list. Those made up for
// tests often lack them, and then a name or a UID that occurs twice is an error, as is a
// Deployment or one of its ReplicaSets without a UID. Give each a name and a UID, one
// namespace to all, and owner references whose controller is true.
//
// # Sharing
//
// No function changes its arguments. Inbound functions share maps, and pointers to
// numbers, with the object, so a snapshot is good until the object changes; objects
// of an informer's cache never do. Times are in UTC, so that equal objects give
// equal snapshots everywhere. Outbound functions copy: what they return shares
// nothing with the object, the action or the status.
//
// # Invariants
//
//   - Two IDs are equal if and only if upstream's comparison says so of the
//     templates.
//   - The snapshot of the object that an action gives has the size, annotations and
//     template that the action says.
//   - A status survives the way to the snapshot and back, the zone of its times and
//     the difference between no conditions and an empty list aside.
//   - What is nil or missing is read as empty, or gives an error, never a panic.
//   - A field of a snapshot is read from the object, or tests name it and say why not.
//
// # Deviations
//
//   - [Deployment] and [DaemonSet] reject limits that are not numbers of pods.
//     Upstream takes them for 0 in some places and stops in others.
//   - A Deployment without a selector gives a ReplicaSet without one. Upstream
//     panics.
//
// # Complexity
//
// A pod costs no allocation; one of a DaemonSet costs some if it is pinned or has
// readiness gates. An ID costs a handful, whatever the template holds, and a tenth of
// the time of upstream's comparison or less, which makes a copy of both templates. A
// hash costs more than ten IDs, so only that of the Deployment or DaemonSet itself is
// computed.
package kube
