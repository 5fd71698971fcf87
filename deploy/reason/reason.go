// SPDX-License-Identifier: Apache-2.0

// Package reason names the reasons of actions and holds in plans of Deployments.
package reason

import "github.com/kplan-go/kplan"

// Reasons of actions.
const (
	NewTemplate  kplan.Reason = "NewTemplate"  // no ReplicaSet has the Deployment's template
	Revision     kplan.Reason = "Revision"     // revision, annotations or minReadySeconds follow the Deployment
	RolloutUp    kplan.Reason = "RolloutUp"    // the surge has room for more pods of the new template
	RolloutDown  kplan.Reason = "RolloutDown"  // enough pods stay available without the removed old pods
	Unhealthy    kplan.Reason = "Unhealthy"    // the removed old pods are not available
	Surplus      kplan.Reason = "Surplus"      // the new ReplicaSet wants more pods than the Deployment
	Scaling      kplan.Reason = "Scaling"      // the Deployment's replicas have changed, or it is paused
	Saturated    kplan.Reason = "Saturated"    // the new ReplicaSet alone has all replicas available
	RecreateDown kplan.Reason = "RecreateDown" // Recreate removes all old pods first
	RecreateUp   kplan.Reason = "RecreateUp"   // all old pods have ended
	Orphan       kplan.Reason = "Orphan"       // the selector matches a ReplicaSet without a controller
	NoMatch      kplan.Reason = "NoMatch"      // the selector no longer matches a ReplicaSet
	Rollback     kplan.Reason = "Rollback"     // an annotation requests a rollback
	HistoryLimit kplan.Reason = "HistoryLimit" // there are more old ReplicaSets than revisionHistoryLimit

	// Of partitioned Deployments.

	PartitionRestore kplan.Reason = "PartitionRestore" // the old ReplicaSets want fewer pods than the partition leaves to them
	TakenForOld      kplan.Reason = "TakenForOld"      // upstream takes the new ReplicaSet for an old one: the quirk OldestFirstUnderPartition
	ExtraStatus      kplan.Reason = "ExtraStatus"      // the annotation has other counts than the controller that sets the partition needs
)

// Reasons of holds. Have and Limit are the numbers of a [kplan.Hold]. If a comment does not name
// one, it is 0.
const (
	// The limits of a rolling update.

	SurgeExhausted     kplan.Reason = "SurgeExhausted"     // Have pods are wanted (by some policies: exist), Limit are allowed
	Terminating        kplan.Reason = "Terminating"        // Have pods are wanted or terminating, Limit may be
	TerminatingUnknown kplan.Reason = "TerminatingUnknown" // some ReplicaSet does not report its terminating pods
	MinAvailable       kplan.Reason = "MinAvailable"       // Have pods stay available after this step, Limit must
	Partition          kplan.Reason = "Partition"          // the new ReplicaSet wants Have pods, the partition allows Limit

	// Policies of Options.

	OnDelete     kplan.Reason = "OnDelete"     // old pods stay until a user deletes them: Have pods exist, Limit may
	MovesInPlace kplan.Reason = "MovesInPlace" // pods move in place: of an old ReplicaSet Have exist and Limit may move; the new one wants Have, the Deployment Limit
	Kept         kplan.Reason = "Kept"         // Options.Sets: the old ReplicaSet wants Have pods, and keeps Limit

	// Progress that the ReplicaSets still have to make.

	NotObserved        kplan.Reason = "NotObserved"        // the ReplicaSet has observed generation Have, its spec has generation Limit
	StatusBehind       kplan.Reason = "StatusBehind"       // the ReplicaSet reports Have pods, it wants Limit
	StatusAhead        kplan.Reason = "StatusAhead"        // the ReplicaSet reports Have available pods, it wants Limit
	NotReady           kplan.Reason = "NotReady"           // Have pods of the new ReplicaSet are ready, it wants Limit
	NotAvailable       kplan.Reason = "NotAvailable"       // Have pods of the new ReplicaSet are available, it wants Limit
	OldPodsRemain      kplan.Reason = "OldPodsRemain"      // Have pods of an old ReplicaSet exist, Limit (0) may
	ReplicaSetDeleting kplan.Reason = "ReplicaSetDeleting" // the new ReplicaSet is being deleted

	// Failures.

	ReplicaFailure   kplan.Reason = "ReplicaFailure"   // the ReplicaSet cannot create or delete pods: Have exist, it wants Limit
	DeadlineExceeded kplan.Reason = "DeadlineExceeded" // no progress for more than Limit seconds; the last update was Have seconds ago
	NameTaken        kplan.Reason = "NameTaken"        // another ReplicaSet has the name of the new one
	CreateFailed     kplan.Reason = "CreateFailed"     // the creation of the new ReplicaSet failed
	NothingToScale   kplan.Reason = "NothingToScale"   // annotations record Have replicas, the Deployment has Limit, but no size has to change

	// Steps that the state of the Deployment forbids.

	PausePoint        kplan.Reason = "PausePoint"        // a pause point lets Have of Limit pods of the old ReplicaSet be removed; also of the action that pauses
	SelectingAll      kplan.Reason = "SelectingAll"      // the Deployment's selector is empty
	RollbackNotFound  kplan.Reason = "RollbackNotFound"  // a rollback requests revision Have, which no ReplicaSet has
	RollbackUnchanged kplan.Reason = "RollbackUnchanged" // a rollback requests revision Have, which has the present template
	Deleting          kplan.Reason = "Deleting"          // the Deployment is being deleted
	Paused            kplan.Reason = "Paused"            // the Deployment is paused
	PausedNew         kplan.Reason = "PausedNew"         // the paused Deployment has no ReplicaSet, and creates none for its Limit replicas
	PausedTemplate    kplan.Reason = "PausedTemplate"    // the paused Deployment has Limit replicas and no ReplicaSet with its template, and creates none
	Frozen            kplan.Reason = "Frozen"            // the policy PausedFreeze keeps all sizes of the paused Deployment
	ScalingFirst      kplan.Reason = "ScalingFirst"      // the rollout waits until the sizes are adapted to Limit replicas

	// ReplicaSets that stay in the history.

	HistoryNotEmpty  kplan.Reason = "HistoryNotEmpty"  // beyond the limit, but the old ReplicaSet has or wants Have pods
	HistoryNotSynced kplan.Reason = "HistoryNotSynced" // beyond the limit, but the old ReplicaSet has observed generation Have, its spec has Limit
)
