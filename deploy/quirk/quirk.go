// SPDX-License-Identifier: Apache-2.0

// Package quirk names the quirks of package deploy: defects of the upstream controllers. By default
// plans reproduce them. The field Repair of deploy.Options is the set of quirks to repair.
package quirk

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/quirkset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/quirk"
)

// A Set is a set of quirks. The zero Set is empty. In JSON it is a list of names.
type Set uint64

// The quirks. [Table] has the upstream function, an example and the repair of each.
const (
	StaleAnnotationBlocksRollout   Set = 1 << iota // a stale desired-replicas annotation stops all rollouts
	RecreateStuckAfterScaling                      // Recreate with two active ReplicaSets and changed replicas is stuck
	ProductsWrapAround                             // products in proportional scaling exceed 32 bits and wrap around
	SumsWrapAround                                 // sums and limits exceed 32 bits and wrap around
	ScalingLosesShares                             // scaling in the middle of a rollout does not keep the shares of ReplicaSets
	ScalingKeepsUnavailable                        // scaling down removes available pods while unavailable old pods stay
	StatusAheadStopsCleanup                        // a status ahead of its spec stops all removal of unavailable pods
	UnavailableReplicasLag                         // unavailableReplicas is computed from the sizes before the pass
	DeletingDeploymentWritesNewSet                 // a Deployment that is being deleted updates its new ReplicaSet
	ReusedSetKeepsDeadline                         // reusing a ReplicaSet does not restart the deadline
	ReplicaFailureNotRefreshed                     // a changed message of ReplicaFailure is not reported
	UsedSetsFillHistory                            // ReplicaSets with pods count against the history limit
	UnreadableRevisionSortsByAge                   // a revision that does not parse is sorted by age
	EmptyMapSelectsAll                             // a selector with an empty map of labels selects everything
	LenientSizeAnnotations                         // some checks accept malformed size annotations
	ScaleFromZeroStartsYoungest                    // scaling up from 0 starts the youngest ReplicaSet, not the latest revision
	ExcessAvailableCounts                          // excess available pods allow the removal of others
	CutNameInvalid                                 // a ReplicaSet name that is truncated after a dot is invalid
	RollbackCreatesAbandonedSet                    // a rollback first creates a ReplicaSet for the template that it replaces
	CleanupDeletesStartedSet                       // a pass deletes the old ReplicaSet that it has scaled up

	// Of partitioned Deployments.

	OldestFirstUnderPartition // for some numbers of ReplicaSets the oldest template is removed first
	NewPodAtPartitionZero     // without a surge a new pod is started even at partition 0
	ScaledBeyondPartition     // scaling up grows the new ReplicaSet beyond its partition
	StatusAheadFailsScaling   // a status ahead of its spec ends a scaling with an error
	ScalingTakesAvailable     // scaling removes available pods that the minimum needs
)

// All is the set of all quirks.
const All = ScalingTakesAvailable<<1 - 1

// Has reports whether q contains all quirks of x. Every set contains the empty set.
func (q Set) Has(x Set) bool { return q&x == x }

// String returns the names of the quirks in the set, separated by commas.
func (q Set) String() string { return quirkset.Format(Table(), q) }

// MarshalJSON encodes the set as the list of its names.
func (q Set) MarshalJSON() ([]byte, error) { return quirkset.Marshal(Table(), q) }

// UnmarshalJSON decodes the output of [Set.MarshalJSON]. An unknown name is an error.
func (q *Set) UnmarshalJSON(data []byte) error { return quirkset.Unmarshal(Table(), data, q) }

// Parse returns the set of the quirks with these names. An unknown name is an error.
func Parse(names ...string) (Set, error) { return quirkset.Parse[Set](Table(), names...) }

// Revision returns options of package revision with the repairs in q that apply to
// revision.CleanUp.
func (q Set) Revision() (o revision.Options) {
	if q.Has(UsedSetsFillHistory) {
		o.Repair |= quirk.UsedSetsFillHistory
	}
	if q.Has(UnreadableRevisionSortsByAge) {
		o.Repair |= quirk.UnreadableRevisionSortsByAge
	}
	return o
}

// Table returns a description of each quirk, in the order of the constants.
func Table() []kplan.Quirk { return append(rolloutQuirks(), partitionQuirks()...) }
