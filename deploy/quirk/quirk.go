// SPDX-License-Identifier: Apache-2.0

// Package quirk names the quirks of Deployments: defects of upstream.
// Plans have them by default; Repair of deploy.Options takes the set to repair.
package quirk

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/quirkset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/quirk"
)

// A Set is a set of quirks. The zero Set is empty. In JSON it is a list of names.
type Set uint64

// The quirks. [Table] describes each.
const (
	StaleAnnotationBlocksRollout   Set = 1 << iota // a stale desired-replicas annotation stops all rollouts
	RecreateStuckAfterScaling                      // Recreate with two active ReplicaSets and changed replicas is stuck
	ProductsWrapAround                             // products of a scaling wrap around beyond 32 bits
	SumsWrapAround                                 // sums and limits wrap around beyond 32 bits
	ScalingLosesShares                             // scaling in the middle of a rollout does not keep shares
	ScalingKeepsUnavailable                        // scaling keeps old pods that are not available, and others go
	StatusAheadStopsCleanup                        // a status that is ahead of its spec stops the cleanup of all
	UnavailableReplicasLag                         // unavailableReplicas counts the sizes before the pass
	DeletingDeploymentWritesNewSet                 // a Deployment that is being deleted writes its new ReplicaSet
	ReusedSetKeepsDeadline                         // a rollout that reuses a ReplicaSet keeps the clock of the deadline
	ReplicaFailureNotRefreshed                     // a changed message of ReplicaFailure is not reported
	UsedSetsFillHistory                            // a ReplicaSet in use takes the place of an idle one in the history
	UnreadableRevisionSortsByAge                   // a revision that does not parse is placed by age when history is cut
	EmptyMapSelectsAll                             // an empty map of labels is no empty selector
	LenientSizeAnnotations                         // saturation reads a malformed size as a number
	ScaleFromZeroStartsYoungest                    // from nothing, the youngest ReplicaSet is started and not the latest revision
	ExcessAvailableCounts                          // available pods beyond the size of a ReplicaSet allow others to go
	CutNameInvalid                                 // a name that is cut after a dot is invalid
	RollbackCreatesAbandonedSet                    // a rollback creates a ReplicaSet for the template that it gives up
	CleanupDeletesStartedSet                       // the ReplicaSet that a pass starts is deleted by its cleanup of history

	// Of partitioned Deployments.

	OldestFirstUnderPartition // the oldest template goes first, for some numbers of ReplicaSets
	NewPodAtPartitionZero     // without a surge a new pod is started at partition 0
	ScaledBeyondPartition     // scaled up, the new ReplicaSet stays beyond its partition
	StatusAheadFailsScaling   // a status that is ahead of its spec ends a scaling with an error
	ScalingTakesAvailable     // scaling takes available pods beyond the minimum
)

// All is all quirks.
const All = ScalingTakesAvailable<<1 - 1

// Has reports whether q contains all of x.
func (q Set) Has(x Set) bool { return q&x == x }

// String returns the names, separated by commas.
func (q Set) String() string { return quirkset.Format(Table(), q) }

// MarshalJSON encodes the set as the list of its names.
func (q Set) MarshalJSON() ([]byte, error) { return quirkset.Marshal(Table(), q) }

// UnmarshalJSON decodes the output of [Set.MarshalJSON]. An unknown name is an error.
func (q *Set) UnmarshalJSON(data []byte) error { return quirkset.Unmarshal(Table(), data, q) }

// Parse returns the set of the quirks with these names. Unknown names are errors.
func Parse(names ...string) (Set, error) { return quirkset.Parse[Set](Table(), names...) }

// Revision returns the repairs of package revision for the cleanup of history.
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
