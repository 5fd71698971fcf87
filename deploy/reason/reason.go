// SPDX-License-Identifier: Apache-2.0

// Package reason names the reasons of actions and holds in plans of Deployments.
package reason

import "github.com/kplan-go/kplan"

// Reasons of actions.
const (
	NewTemplate  kplan.Reason = "NewTemplate"  // no ReplicaSet has the Deployment's template
	Revision     kplan.Reason = "Revision"     // revision, annotations or minReadySeconds follow the Deployment
	RolloutUp    kplan.Reason = "RolloutUp"    // the surge has room for pods of the new template
	RolloutDown  kplan.Reason = "RolloutDown"  // enough pods are available without these of an old template
	Unhealthy    kplan.Reason = "Unhealthy"    // unavailable pods of an old template serve no requests
	Surplus      kplan.Reason = "Surplus"      // the new ReplicaSet is larger than the Deployment
	Scaling      kplan.Reason = "Scaling"      // the Deployment's replicas have changed, or it is paused
	Saturated    kplan.Reason = "Saturated"    // the new ReplicaSet serves alone
	RecreateDown kplan.Reason = "RecreateDown" // Recreate removes all old pods first
	RecreateUp   kplan.Reason = "RecreateUp"   // no old pod is left
	Orphan       kplan.Reason = "Orphan"       // the selector matches a ReplicaSet without a controller
	NoMatch      kplan.Reason = "NoMatch"      // the selector no longer matches a ReplicaSet
	Rollback     kplan.Reason = "Rollback"     // an annotation asks for a former revision
	HistoryLimit kplan.Reason = "HistoryLimit" // more old ReplicaSets than revisionHistoryLimit

	// Of partitioned Deployments.

	PartitionRestore kplan.Reason = "PartitionRestore" // old ReplicaSets have fewer pods than the partition leaves to them
	TakenForOld      kplan.Reason = "TakenForOld"      // upstream takes the new ReplicaSet for an old one: OldestFirstUnderPartition
	ExtraStatus      kplan.Reason = "ExtraStatus"      // counts for the controller that moves the partition
)

// Reasons of holds. Have and Limit of a [kplan.Hold] are the two numbers that the
// comment compares.
const (
	// The limits of a rolling update.

	SurgeExhausted     kplan.Reason = "SurgeExhausted"     // Have pods are wanted, Limit may be
	Terminating        kplan.Reason = "Terminating"        // Have pods are wanted or being deleted, Limit may be wanted
	TerminatingUnknown kplan.Reason = "TerminatingUnknown" // some ReplicaSet does not report its terminating pods
	MinAvailable       kplan.Reason = "MinAvailable"       // Have pods would be available, Limit must stay
	Partition          kplan.Reason = "Partition"          // the new ReplicaSet wants Have pods, the partition allows Limit

	// Policies of Options.

	OnDelete     kplan.Reason = "OnDelete"     // Have pods exist, and stay until they are deleted; Limit are wanted
	MovesInPlace kplan.Reason = "MovesInPlace" // Have pods exist, and are updated in place instead of being replaced, up to Limit
	Kept         kplan.Reason = "Kept"         // the old ReplicaSet wants Have pods, of which it keeps Limit

	// Progress that the ReplicaSets still have to make.

	NotObserved        kplan.Reason = "NotObserved"        // the ReplicaSet has observed generation Have of Limit
	StatusBehind       kplan.Reason = "StatusBehind"       // the ReplicaSet reports Have pods, Limit are wanted
	StatusAhead        kplan.Reason = "StatusAhead"        // the ReplicaSet reports Have available pods but wants Limit
	NotReady           kplan.Reason = "NotReady"           // Have pods of the new ReplicaSet are ready of Limit wanted
	NotAvailable       kplan.Reason = "NotAvailable"       // Have pods of the new ReplicaSet have been ready for minReadySeconds, of Limit wanted
	OldPodsRemain      kplan.Reason = "OldPodsRemain"      // Have pods of an old ReplicaSet still exist, Limit may
	ReplicaSetDeleting kplan.Reason = "ReplicaSetDeleting" // the new ReplicaSet is being deleted

	// Failures.

	ReplicaFailure   kplan.Reason = "ReplicaFailure"   // the ReplicaSet cannot create or delete pods: it has Have of Limit
	DeadlineExceeded kplan.Reason = "DeadlineExceeded" // no progress for Limit seconds, reported Have seconds ago
	NameTaken        kplan.Reason = "NameTaken"        // another ReplicaSet has the name of the new one
	CreateFailed     kplan.Reason = "CreateFailed"     // the new ReplicaSet could not be created
	NothingToScale   kplan.Reason = "NothingToScale"   // annotations say that replicas were Have, not Limit, but no size has to change

	// Steps that the state of the Deployment forbids.

	PausePoint        kplan.Reason = "PausePoint"        // a pause point lets Have pods of the old ReplicaSet go, of Limit
	SelectingAll      kplan.Reason = "SelectingAll"      // the Deployment's selector is empty
	RollbackNotFound  kplan.Reason = "RollbackNotFound"  // no ReplicaSet has the revision Have that a rollback asks for
	RollbackUnchanged kplan.Reason = "RollbackUnchanged" // revision Have, which a rollback asks for, has the present template
	Deleting          kplan.Reason = "Deleting"          // the Deployment is being deleted
	Paused            kplan.Reason = "Paused"            // the Deployment is paused
	PausedNew         kplan.Reason = "PausedNew"         // it is paused and has no ReplicaSet yet: none is created, of Limit pods
	PausedTemplate    kplan.Reason = "PausedTemplate"    // it is paused and its template has changed: no ReplicaSet is created, of Limit pods
	Frozen            kplan.Reason = "Frozen"            // it is paused, and the policy leaves everything as it is
	ScalingFirst      kplan.Reason = "ScalingFirst"      // a rollout waits until sizes are adapted to Limit replicas

	// ReplicaSets that stay in the history.

	HistoryNotEmpty  kplan.Reason = "HistoryNotEmpty"  // the old ReplicaSet still has or wants pods: Have
	HistoryNotSynced kplan.Reason = "HistoryNotSynced" // the old ReplicaSet has observed generation Have of Limit
)
