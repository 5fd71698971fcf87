// SPDX-License-Identifier: Apache-2.0

package daemonset

// A Reason is the reason of an action, or of a change that is held back.
type Reason string

// Reasons of a [Placement].
const (
	ReasonFits            Reason = "Fits"            // nothing excludes the node
	ReasonNodeName        Reason = "NodeName"        // the template names another node
	ReasonNodeSelector    Reason = "NodeSelector"    // a label of the nodeSelector is missing or differs
	ReasonAffinity        Reason = "Affinity"        // no term of the required node affinity holds
	ReasonTaintNoSchedule Reason = "TaintNoSchedule" // a taint is not tolerated: pods stay, but none is created
	ReasonTaintNoExecute  Reason = "TaintNoExecute"  // a taint is not tolerated: pods go
)

// Reasons of actions.
const (
	ReasonOrphan           Reason = "Orphan"           // it matches and has no controller
	ReasonNoMatch          Reason = "NoMatch"          // it no longer matches
	ReasonNewTemplate      Reason = "NewTemplate"      // no revision has the template
	ReasonUnlabelled       Reason = "Unlabelled"       // a revision has no hash
	ReasonRollback         Reason = "Rollback"         // an old template is current again
	ReasonDuplicate        Reason = "Duplicate"        // several revisions have the template, or a node too many pods
	ReasonHistoryLimit     Reason = "HistoryLimit"     // more old revisions than revisionHistoryLimit
	ReasonMissing          Reason = "Missing"          // the node has no pod
	ReasonMisplaced        Reason = "Misplaced"        // the node should not run a pod
	ReasonFailed           Reason = "Failed"           // the pod has failed
	ReasonSucceeded        Reason = "Succeeded"        // the pod has ended
	ReasonPrepared         Reason = "Prepared"         // the pod is in state PreparingDelete
	ReasonReplaced         Reason = "Replaced"         // a new pod has taken over
	ReasonNodeGone         Reason = "NodeGone"         // the pod waits for a node that does not exist
	ReasonOldUnavailable   Reason = "OldUnavailable"   // an old pod that is not available makes way for a new one
	ReasonRollout          Reason = "Rollout"          // the budget has room
	ReasonNotDesired       Reason = "NotDesired"       // an old pod on a node that no longer should run one
	ReasonPreDelete        Reason = "PreDelete"        // the hook holds the pod; also a hold
	ReasonInPlaceCompleted Reason = "InPlaceCompleted" // the update in place is over
	ReasonNextBatch        Reason = "NextBatch"        // the next containers are updated in place
	ReasonGraceOver        Reason = "GraceOver"        // the grace period is over, or of another revision
)

// Reasons of holds. Have and Limit of a [kplan.Hold] are the two numbers that the comment
// compares.
const (
	// The whole DaemonSet waits.

	ReasonStalePods    Reason = "StalePods"    // the pods were read at version Have, before the written version Limit
	ReasonStaleOwner   Reason = "StaleOwner"   // the DaemonSet was read at version Have, before the written version Limit
	ReasonSelectingAll Reason = "SelectingAll" // an empty selector stops everything
	ReasonDeleting     Reason = "Deleting"     // the DaemonSet is being deleted
	ReasonUnseen       Reason = "Unseen"       // earlier writes are not seen yet
	ReasonFrozen       Reason = "Frozen"       // Options.Freeze is set
	ReasonCollision    Reason = "Collision"    // another revision has the name of the new one, the Have-th time
	ReasonManageFirst  Reason = "ManageFirst"  // the manage step creates or deletes pods first; Have nodes have an old pod
	ReasonPaused       Reason = "Paused"       // the update is paused; Have nodes have an old pod
	ReasonOnDelete     Reason = "OnDelete"     // old pods stay until they are deleted; Have nodes have one

	// A limit holds back changes.

	ReasonBurst          Reason = "Burst"          // Have pods are to be created, deleted or updated, Limit may at once
	ReasonMaxUnavailable Reason = "MaxUnavailable" // Have nodes are unavailable or become it in this plan, Limit may be; old pods wait
	ReasonMaxSurge       Reason = "MaxSurge"       // Have nodes surge or begin to, Limit may; old pods wait
	ReasonPartition      Reason = "Partition"      // Have nodes are not updated: the partition is Limit
	ReasonNotSelected    Reason = "NotSelected"    // Have nodes are not updated: the update's selector leaves them out
	ReasonProgressive    Reason = "Progressive"    // Have nodes get no pod: the partition is Limit
	ReasonMinAvailable   Reason = "MinAvailable"   // old pods on nodes that no longer should run one stay: Have nodes remain available, Limit are desired
	ReasonStrict         Reason = "Strict"         // Have old pods are unavailable, Limit of them may go

	// One node uses up the budget or waits. With SumHolds, each of the first seven holds is about
	// Have nodes.

	ReasonTooManyPods  Reason = "TooManyPods"  // the node has several new or several old pods
	ReasonEmpty        Reason = "Empty"        // the node has no pod
	ReasonTerminating  Reason = "Terminating"  // all pods of the node are being deleted
	ReasonNewAndOld    Reason = "NewAndOld"    // the node has a new and an old pod
	ReasonNotReady     Reason = "NotReady"     // the pod is not ready
	ReasonNotAvailable Reason = "NotAvailable" // the pod has not been ready for minReadySeconds
	ReasonPreparing    Reason = "Preparing"    // the pod is in state PreparingDelete
	ReasonMissingNode  Reason = "MissingNode"  // there is no such node
	ReasonDeadNode     Reason = "DeadNode"     // the node does not answer, and is skipped
	ReasonBackoff      Reason = "Backoff"      // a failed pod stays for Limit seconds
	ReasonInPlace      Reason = "InPlace"      // the update in place is not over
)
