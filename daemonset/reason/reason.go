// SPDX-License-Identifier: Apache-2.0

// Package reason names the reasons of actions and holds in plans of DaemonSets.
package reason

import "github.com/kplan-go/kplan"

// Reasons of a Placement.
const (
	Fits            kplan.Reason = "Fits"            // nothing excludes the node
	NodeName        kplan.Reason = "NodeName"        // the template names another node
	NodeSelector    kplan.Reason = "NodeSelector"    // a label of the nodeSelector is missing or differs
	Affinity        kplan.Reason = "Affinity"        // no term of the required node affinity holds
	TaintNoSchedule kplan.Reason = "TaintNoSchedule" // a taint is not tolerated: pods stay, but none is created
	TaintNoExecute  kplan.Reason = "TaintNoExecute"  // a taint is not tolerated: pods go
)

// Reasons of actions.
const (
	Orphan           kplan.Reason = "Orphan"           // it matches and has no controller
	NoMatch          kplan.Reason = "NoMatch"          // it no longer matches
	NewTemplate      kplan.Reason = "NewTemplate"      // no revision has the template
	Unlabelled       kplan.Reason = "Unlabelled"       // a revision has no hash
	Rollback         kplan.Reason = "Rollback"         // an old template is current again
	Duplicate        kplan.Reason = "Duplicate"        // several revisions have the template, or a node too many pods
	HistoryLimit     kplan.Reason = "HistoryLimit"     // more old revisions than revisionHistoryLimit
	Missing          kplan.Reason = "Missing"          // the node has no pod
	Misplaced        kplan.Reason = "Misplaced"        // the node should not run a pod
	Failed           kplan.Reason = "Failed"           // the pod has failed
	Succeeded        kplan.Reason = "Succeeded"        // the pod has ended
	Prepared         kplan.Reason = "Prepared"         // the pod is in state PreparingDelete
	Replaced         kplan.Reason = "Replaced"         // a new pod has taken over
	NodeGone         kplan.Reason = "NodeGone"         // the pod waits for a node that does not exist
	OldUnavailable   kplan.Reason = "OldUnavailable"   // an old pod that is not available makes way for a new one
	Rollout          kplan.Reason = "Rollout"          // the budget has room
	NotDesired       kplan.Reason = "NotDesired"       // an old pod on a node that no longer should run one
	PreDelete        kplan.Reason = "PreDelete"        // the hook holds the pod; also a hold
	InPlaceCompleted kplan.Reason = "InPlaceCompleted" // the update in place is over
	NextBatch        kplan.Reason = "NextBatch"        // the next containers are updated in place
	GraceOver        kplan.Reason = "GraceOver"        // the grace period is over, or of another revision
)

// Reasons of holds. Have and Limit of a [kplan.Hold] are the two numbers that the comment
// compares.
const (
	// The whole DaemonSet waits.

	StalePods    kplan.Reason = "StalePods"    // the pods were read at version Have, before the written version Limit
	StaleOwner   kplan.Reason = "StaleOwner"   // the DaemonSet was read at version Have, before the written version Limit
	SelectingAll kplan.Reason = "SelectingAll" // an empty selector stops everything
	Deleting     kplan.Reason = "Deleting"     // the DaemonSet is being deleted
	Unseen       kplan.Reason = "Unseen"       // earlier writes are not seen yet
	Frozen       kplan.Reason = "Frozen"       // Options.Freeze is set
	Collision    kplan.Reason = "Collision"    // another revision has the name of the new one, the Have-th time
	ManageFirst  kplan.Reason = "ManageFirst"  // the manage step creates or deletes pods first; Have nodes have an old pod
	Paused       kplan.Reason = "Paused"       // the update is paused; Have nodes have an old pod
	OnDelete     kplan.Reason = "OnDelete"     // old pods stay until they are deleted; Have nodes have one

	// A limit holds back changes.

	Burst          kplan.Reason = "Burst"          // Have pods are to be created, deleted or updated, Limit may at once
	MaxUnavailable kplan.Reason = "MaxUnavailable" // Have nodes are unavailable or become it in this plan, Limit may be; old pods wait
	MaxSurge       kplan.Reason = "MaxSurge"       // Have nodes surge or begin to, Limit may; old pods wait
	Partition      kplan.Reason = "Partition"      // Have nodes are not updated: the partition is Limit
	NotSelected    kplan.Reason = "NotSelected"    // Have nodes are not updated: the update's selector leaves them out
	Progressive    kplan.Reason = "Progressive"    // Have nodes get no pod: the partition is Limit
	MinAvailable   kplan.Reason = "MinAvailable"   // old pods on nodes that no longer should run one stay: Have nodes remain available, Limit are desired
	Strict         kplan.Reason = "Strict"         // Have old pods are unavailable, Limit of them may go

	// One node uses up the budget or waits. With SumHolds, each of the first seven holds is about
	// Have nodes.

	TooManyPods  kplan.Reason = "TooManyPods"  // the node has several new or several old pods
	Empty        kplan.Reason = "Empty"        // the node has no pod
	Terminating  kplan.Reason = "Terminating"  // all pods of the node are being deleted
	NewAndOld    kplan.Reason = "NewAndOld"    // the node has a new and an old pod
	NotReady     kplan.Reason = "NotReady"     // the pod is not ready
	NotAvailable kplan.Reason = "NotAvailable" // the pod has not been ready for minReadySeconds
	Preparing    kplan.Reason = "Preparing"    // the pod is in state PreparingDelete
	MissingNode  kplan.Reason = "MissingNode"  // there is no such node
	DeadNode     kplan.Reason = "DeadNode"     // the node does not answer, and is skipped
	Backoff      kplan.Reason = "Backoff"      // a failed pod stays for Limit seconds
	InPlace      kplan.Reason = "InPlace"      // the update in place is not over
)
