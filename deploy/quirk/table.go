// SPDX-License-Identifier: Apache-2.0

package quirk

import "github.com/kplan-go/kplan"

const (
	inDeployment = " of the deployment controller of Kubernetes 1.36.3"
	inPartition  = " of the advanced deployment controller of OpenKruise Rollouts, commit 9dd6279d"
	issue        = "kubernetes/kubernetes#"
)

func rolloutQuirks() []kplan.Quirk {
	return append(append(sizeQuirks(), otherQuirks()...), namingQuirks()...)
}

func sizeQuirks() []kplan.Quirk {
	return []kplan.Quirk{{
		Name:     "StaleAnnotationBlocksRollout",
		Upstream: "A stale desired-replicas annotation on a ReplicaSet of the right size counts as a scaling in every pass and stops all rollouts.",
		Source:   "isScalingEvent, scale" + inDeployment, Issue: issue + "102551",
		Input:  "4 replicas; an old ReplicaSet of 4 that was scaled for 5, a new one of 0",
		Repair: "The annotation is refreshed.",
	}, {
		Name:     "RecreateStuckAfterScaling",
		Upstream: "Recreate with two active ReplicaSets and changed replicas scales in every pass, which changes nothing.",
		Source:   "scale" + inDeployment, Issue: issue + "125568",
		Input:  "Recreate, 5 replicas; old and new ReplicaSets of 2, scaled for 3",
		Repair: "It goes on to recreate.",
	}, {
		Name:     "ProductsWrapAround",
		Upstream: "The product of a size and the pods that may be wanted wraps around beyond the range of int32.",
		Source:   "getReplicaSetFraction of the deployment util package of Kubernetes 1.36.3", Issue: issue + "128535",
		Input:  "95000 to 100000 replicas; ReplicaSets of 45000 and 50000",
		Repair: "It is computed exactly.",
	}, {
		Name:     "SumsWrapAround",
		Upstream: "Sums of pods, and limits, wrap around beyond the range of int32.",
		Source:   "NewRSNewReplicas, MaxUnavailable, GetReplicaCountForReplicaSets of the deployment util package of Kubernetes 1.36.3", Issue: issue + "128535",
		Input:  "2147483647 replicas; maxUnavailable 101%",
		Repair: "They are computed exactly. What is written ends at the largest int32.",
	}, {
		Name: "ScalingLosesShares",
		Upstream: "Scaling in the middle of a rollout moves ReplicaSets against the direction of the whole, loses what a small one cannot give, " +
			"gives all that rounding leaves over to one, and after an interruption forgets where it began.",
		Source: "scale" + inDeployment, Issue: issue + "44734",
		Input:  "10 to 11 replicas, surge 3; ReplicaSets of 8 and 2",
		Repair: "Sizes reach their sum by the method of the largest remainder, and shares are those before an interruption.",
	}, {
		Name: "ScalingKeepsUnavailable",
		Upstream: "Scaled in the middle of a rollout, ReplicaSets lose pods by their sizes: available ones go, while old ones that are not " +
			"available stay.",
		Source: "scale" + inDeployment, Issue: issue + "119536",
		Input:  "3 to 2 replicas, no surge; an old ReplicaSet of 1 that is not available, a new one of 2",
		Repair: "As many pods of old ReplicaSets that are not available go in their place, the oldest ReplicaSet first.",
	}, {
		Name:     "StatusAheadStopsCleanup",
		Upstream: "An old ReplicaSet whose status is ahead of its spec stops the removal of unavailable pods of all others.",
		Source:   "cleanupUnhealthyReplicas" + inDeployment,
		Input:    "5 replicas, surge 2, 1 unavailable; the oldest ReplicaSet wants 3 and reports 5 available",
		Repair:   "It counts as having what it wants.",
	}, {
		Name:     "UnavailableReplicasLag",
		Upstream: "status.unavailableReplicas is that of the sizes before the pass.",
		Source:   "calculateStatus" + inDeployment,
		Input:    "3 replicas, 1 unavailable; an old ReplicaSet of 2, a new one of 0",
		Repair:   "It is that of the new sizes.",
	}, {
		Name:     "DeletingDeploymentWritesNewSet",
		Upstream: "A Deployment that is being deleted still writes annotations and minReadySeconds of its new ReplicaSet.",
		Source:   "getNewReplicaSet" + inDeployment,
		Input:    "a Deployment that is being deleted with minReadySeconds 5; its ReplicaSet has 0",
		Repair:   "It writes nothing.",
	}}
}

func otherQuirks() []kplan.Quirk {
	return []kplan.Quirk{{
		Name:     "ReusedSetKeepsDeadline",
		Upstream: "A rollout that reuses a ReplicaSet keeps the clock of the progress deadline, and its failure.",
		Source:   "getNewReplicaSet" + inDeployment, Issue: issue + "40207",
		Input:  "a rollout back to revision 1 after ProgressDeadlineExceeded",
		Repair: "The condition Progressing is FoundNewReplicaSet as of now.",
	}, {
		Name:     "ReplicaFailureNotRefreshed",
		Upstream: "A changed message of ReplicaFailure is not reported, and neither is its end while paused.",
		Source:   "SetDeploymentCondition of the deployment util package of Kubernetes 1.36.3, sync" + inDeployment,
		Input:    "a ReplicaSet that fails with another message than the Deployment reports",
		Repair:   "Both are reported.",
	}, {
		Name:     "UsedSetsFillHistory",
		Upstream: "When history is cut, an old ReplicaSet in use takes the place of an idle one to go back to.",
		Source:   "cleanupDeployment" + inDeployment, Issue: issue + "41145",
		Input:  "history limit 1; an idle old ReplicaSet and one that still has a pod",
		Repair: "The limit counts idle ones.",
	}, {
		Name:     "UnreadableRevisionSortsByAge",
		Upstream: "When history is cut, a ReplicaSet whose revision does not parse is compared with others by age, which can be cyclic.",
		Source:   "ReplicaSetsByRevision of the deployment util package of Kubernetes 1.36.3", Issue: issue + "109934",
		Input:  "history limit 1; revisions 1 and, younger, \"bad\"",
		Repair: "Its revision is 0.",
	}}
}

func namingQuirks() []kplan.Quirk {
	return []kplan.Quirk{{
		Name:     "EmptyMapSelectsAll",
		Upstream: "An empty map of labels is not recognised as an empty selector, and every orphan of the namespace is adopted.",
		Source:   "syncDeployment" + inDeployment,
		Input:    "a selector whose matchLabels are {}; an orphan",
		Repair:   "It is an empty selector.",
	}, {
		Name:     "LenientSizeAnnotations",
		Upstream: "Saturation, and all of a partitioned Deployment, read \"+3\" and numbers beyond 32 bits as sizes.",
		Source:   "IsSaturated of the deployment util package of Kubernetes 1.36.3",
		Input:    "3 replicas; an old ReplicaSet of 1, a new one of 3 that was scaled for \"+3\"",
		Repair:   "Only decimal digits within 31 bits are a size.",
	}, {
		Name:     "ScaleFromZeroStartsYoungest",
		Upstream: "Scaled up from nothing, the youngest ReplicaSet is started and not the one that ran last.",
		Source:   "FindActiveOrLatest of the deployment util package of Kubernetes 1.36.3",
		Input:    "paused, 5 replicas; ReplicaSets of 0 with revisions 3 and, younger, 2",
		Repair:   "The one with the highest revision is started.",
	}, {
		Name:     "ExcessAvailableCounts",
		Upstream: "Available pods of a ReplicaSet beyond what it wants, which it is about to delete, allow other pods to go.",
		Source:   "reconcileOldReplicaSets" + inDeployment,
		Input:    "10 replicas, 2 unavailable; an old ReplicaSet of 7, a new one that wants 3 and reports 5 available",
		Repair:   "A ReplicaSet has no more available pods than it wants.",
	}, {
		Name:     "CutNameInvalid",
		Upstream: "The name of a ReplicaSet that is cut after a dot is invalid, and the creation fails in every pass.",
		Source:   "getNewReplicaSet" + inDeployment, Issue: issue + "116447",
		Input:  "a Deployment whose name has 253 characters, the 250th of them a dot",
		Repair: "The dot at the cut is left out.",
	}, {
		Name:     "RollbackCreatesAbandonedSet",
		Upstream: "A rollback first creates a ReplicaSet for the template that it gives up.",
		Source:   "rollback" + inDeployment,
		Input:    "a template without a ReplicaSet and a request to go back to revision 1",
		Repair:   "None is created.",
	}, {
		Name:     "CleanupDeletesStartedSet",
		Upstream: "The cleanup of history looks at sizes from before the pass, and deletes the old ReplicaSet that the pass has started.",
		Source:   "cleanupDeployment" + inDeployment,
		Input:    "10 replicas, paused, revisionHistoryLimit 0; one ReplicaSet, of an old template and of size 0",
		Repair:   "A ReplicaSet that the pass leaves with a size stays.",
	}}
}

func partitionQuirks() []kplan.Quirk {
	return []kplan.Quirk{{
		Name: "OldestFirstUnderPartition",
		Upstream: "With 3, 5 to 7 or 9 to 15 active old ReplicaSets, and most larger numbers, the oldest template goes first, " +
			"and a new one older than some old one is taken for old, which may never end.",
		Source: "scaleDownOldReplicaSetsForRollingUpdate" + inPartition,
		Input:  "6 replicas, partition 20%; old ReplicaSets of 3, 1 and 2, a new one of 2",
		Repair: "The latest template goes first, so that the one that was stable goes last.",
	}, {
		Name:     "NewPodAtPartitionZero",
		Upstream: "Without a surge the new ReplicaSet is created with a pod, and an old pod is removed, at partition 0.",
		Source:   "NewRSReplicasLowerBound" + inPartition,
		Input:    "3 replicas, partition 0, no surge; an old ReplicaSet of 3",
		Repair:   "It is created without pods.",
	}, {
		Name:     "ScaledBeyondPartition",
		Upstream: "Scaled up, the new ReplicaSet keeps its share, and stays beyond its partition.",
		Source:   "scale" + inPartition, Issue: "openkruise/rollouts#321",
		Input:  "6 to 12 replicas, partition 20%; ReplicaSets of 4 and 2",
		Repair: "What would be beyond goes to the largest old one.",
	}, {
		Name:     "StatusAheadFailsScaling",
		Upstream: "An old ReplicaSet whose status is ahead of its spec ends a scaling with an error, and nothing is reported.",
		Source:   "scale" + inPartition,
		Input:    "6 to 3 replicas; an old ReplicaSet that wants 4 and reports 5 available, a new one of 2",
		Repair:   "It counts as having what it wants.",
	}, {
		Name: "ScalingTakesAvailable",
		Upstream: "Scaled or paused in the middle of a rollout, ReplicaSets lose available pods beyond the minimum, since the surge goes " +
			"whatever is available.",
		Source: "scale" + inPartition,
		Input:  "paused, 6 replicas, none unavailable; an old ReplicaSet of 6, a new one of 2 with none available",
		Repair: "Pods that are not available, or not yet started, go in their place, new ones first.",
	}}
}
