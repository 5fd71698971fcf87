// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// A Plan is the next step of a Deployment.
type Plan struct {
	// Actions are the writes, in order. After any prefix of them the Deployment is within
	// its budget, or no further outside than before. Stop at the first one that fails, and
	// plan again.
	Actions Actions `json:"actions,omitempty"`
	// Holds are the writes that were held back, and the reasons.
	Holds []kplan.Hold[Reason] `json:"holds,omitempty"`
	// Status is the complete next status. Write it if it differs.
	Status Status `json:"status"`
	// Budget has the limits that actions and holds are computed from.
	Budget rollout.Budget `json:"budget"`
	// RecheckAt is when to call [Reconcile] again even if nothing changes. It is
	// zero if time alone cannot change the plan. It is the first instant at which the plan
	// differs: one nanosecond after a progress deadline, at which a rollout is still in
	// time.
	RecheckAt time.Time `json:"recheckAt,omitzero"`
	// ExtraStatus is reported in an annotation of a partitioned Deployment. It is nil
	// for others, and if the pass ends with an error.
	ExtraStatus *partition.ExtraStatus `json:"extraStatus,omitzero"`
	// Events are the events that Kubernetes would record on the Deployment if all writes
	// succeed. [Finish] returns the events to record.
	Events []kplan.Event `json:"events,omitempty"`
}

// A Reason is the reason of an action or a hold.
type Reason string

// Reasons of actions.
const (
	ReasonNewTemplate  Reason = "NewTemplate"  // no ReplicaSet has the Deployment's template
	ReasonRevision     Reason = "Revision"     // revision, annotations or minReadySeconds follow the Deployment
	ReasonRolloutUp    Reason = "RolloutUp"    // the surge has room for pods of the new template
	ReasonRolloutDown  Reason = "RolloutDown"  // enough pods are available without these of an old template
	ReasonUnhealthy    Reason = "Unhealthy"    // unavailable pods of an old template serve no requests
	ReasonSurplus      Reason = "Surplus"      // the new ReplicaSet is larger than the Deployment
	ReasonScaling      Reason = "Scaling"      // the Deployment's replicas have changed, or it is paused
	ReasonSaturated    Reason = "Saturated"    // the new ReplicaSet serves alone
	ReasonRecreateDown Reason = "RecreateDown" // Recreate removes all old pods first
	ReasonRecreateUp   Reason = "RecreateUp"   // no old pod is left
	ReasonOrphan       Reason = "Orphan"       // the selector matches a ReplicaSet without a controller
	ReasonNoMatch      Reason = "NoMatch"      // the selector no longer matches a ReplicaSet
	ReasonRollback     Reason = "Rollback"     // an annotation asks for a former revision
	ReasonHistoryLimit Reason = "HistoryLimit" // more old ReplicaSets than revisionHistoryLimit

	// Of partitioned Deployments.

	ReasonPartitionRestore Reason = "PartitionRestore" // old ReplicaSets have fewer pods than the partition leaves to them
	ReasonTakenForOld      Reason = "TakenForOld"      // upstream takes the new ReplicaSet for an old one: OldestFirstUnderPartition
	ReasonExtraStatus      Reason = "ExtraStatus"      // counts for the controller that moves the partition
)

// Reasons of holds. Have and Limit of a [kplan.Hold] are the two numbers that the
// comment compares.
const (
	// The limits of a rolling update.

	ReasonSurgeExhausted     Reason = "SurgeExhausted"     // Have pods are wanted, Limit may be
	ReasonTerminating        Reason = "Terminating"        // Have pods are wanted or being deleted, Limit may be wanted
	ReasonTerminatingUnknown Reason = "TerminatingUnknown" // some ReplicaSet does not report its terminating pods
	ReasonMinAvailable       Reason = "MinAvailable"       // Have pods would be available, Limit must stay
	ReasonPartition          Reason = "Partition"          // the new ReplicaSet wants Have pods, the partition allows Limit

	// Policies of Options.

	ReasonOnDelete     Reason = "OnDelete"     // Have pods exist, and stay until they are deleted; Limit are wanted
	ReasonMovesInPlace Reason = "MovesInPlace" // Have pods exist, and are updated in place instead of being replaced, up to Limit
	ReasonKept         Reason = "Kept"         // the old ReplicaSet wants Have pods, of which it keeps Limit

	// Progress that the ReplicaSets still have to make.

	ReasonNotObserved        Reason = "NotObserved"        // the ReplicaSet has observed generation Have of Limit
	ReasonStatusBehind       Reason = "StatusBehind"       // the ReplicaSet reports Have pods, Limit are wanted
	ReasonStatusAhead        Reason = "StatusAhead"        // the ReplicaSet reports Have available pods but wants Limit
	ReasonNotReady           Reason = "NotReady"           // Have pods of the new ReplicaSet are ready of Limit wanted
	ReasonNotAvailable       Reason = "NotAvailable"       // Have pods of the new ReplicaSet have been ready for minReadySeconds, of Limit wanted
	ReasonOldPodsRemain      Reason = "OldPodsRemain"      // Have pods of an old ReplicaSet still exist, Limit may
	ReasonReplicaSetDeleting Reason = "ReplicaSetDeleting" // the new ReplicaSet is being deleted

	// Failures.

	ReasonReplicaFailure   Reason = "ReplicaFailure"   // the ReplicaSet cannot create or delete pods: it has Have of Limit
	ReasonDeadlineExceeded Reason = "DeadlineExceeded" // no progress for Limit seconds, reported Have seconds ago
	ReasonNameTaken        Reason = "NameTaken"        // another ReplicaSet has the name of the new one
	ReasonCreateFailed     Reason = "CreateFailed"     // the new ReplicaSet could not be created
	ReasonNothingToScale   Reason = "NothingToScale"   // annotations say that replicas were Have, not Limit, but no size has to change

	// Steps that the state of the Deployment forbids.

	ReasonPausePoint        Reason = "PausePoint"        // a pause point lets Have pods of the old ReplicaSet go, of Limit
	ReasonSelectingAll      Reason = "SelectingAll"      // the Deployment's selector is empty
	ReasonRollbackNotFound  Reason = "RollbackNotFound"  // no ReplicaSet has the revision Have that a rollback asks for
	ReasonRollbackUnchanged Reason = "RollbackUnchanged" // revision Have, which a rollback asks for, has the present template
	ReasonDeleting          Reason = "Deleting"          // the Deployment is being deleted
	ReasonPaused            Reason = "Paused"            // the Deployment is paused
	ReasonPausedNew         Reason = "PausedNew"         // it is paused and has no ReplicaSet yet: none is created, of Limit pods
	ReasonPausedTemplate    Reason = "PausedTemplate"    // it is paused and its template has changed: no ReplicaSet is created, of Limit pods
	ReasonFrozen            Reason = "Frozen"            // it is paused, and the policy leaves everything as it is
	ReasonScalingFirst      Reason = "ScalingFirst"      // a rollout waits until sizes are adapted to Limit replicas

	// ReplicaSets that stay in the history.

	ReasonHistoryNotEmpty  Reason = "HistoryNotEmpty"  // the old ReplicaSet still has or wants pods: Have
	ReasonHistoryNotSynced Reason = "HistoryNotSynced" // the old ReplicaSet has observed generation Have of Limit
)

// Empty reports whether the plan writes nothing but, perhaps, the status.
func (p Plan) Empty() bool { return len(p.Actions) == 0 }

// String returns one line for each action and hold. It ends without a newline.
func (p Plan) String() string {
	var lines []string
	for _, a := range p.Actions {
		lines = append(lines, fmt.Sprint(a))
	}
	for _, h := range p.Holds {
		lines = append(lines, h.String())
	}
	if len(lines) == 0 {
		return "nothing to do"
	}
	return strings.Join(lines, "\n")
}

// String returns the counts on one line.
func (s Status) String() string {
	return fmt.Sprintf("%d replicas, %d updated, %d ready, %d available, %d unavailable",
		s.Replicas, s.UpdatedReplicas, s.ReadyReplicas, s.AvailableReplicas, s.UnavailableReplicas)
}

// keys returns the keys of a map in order, separated by commas.
func keys(m map[string]string) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}
