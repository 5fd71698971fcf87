// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/quirk"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// Quirks is a set of quirks: upstream behaviour that hardly anybody wants. Plans reproduce
// it by default, and [Options.Repair] repairs it. The zero Quirks is the empty set.
type Quirks uint64

// The quirks. [QuirkTable] describes each.
const (
	StaleAnnotationBlocksRollout   Quirks = 1 << iota // a stale desired-replicas annotation stops all rollouts
	RecreateStuckAfterScaling                         // Recreate with two active ReplicaSets and changed replicas is stuck
	ProductsWrapAround                                // products of a scaling wrap around beyond 32 bits
	SumsWrapAround                                    // sums and limits wrap around beyond 32 bits
	ScalingLosesShares                                // scaling in the middle of a rollout does not keep shares
	ScalingKeepsUnavailable                           // scaling keeps old pods that are not available, and others go
	StatusAheadStopsCleanup                           // a status that is ahead of its spec stops the cleanup of all
	UnavailableReplicasLag                            // unavailableReplicas is that of the sizes before the pass
	DeletingDeploymentWritesNewSet                    // a Deployment that is being deleted writes its new ReplicaSet
	ReusedSetKeepsDeadline                            // a rollout that reuses a ReplicaSet keeps the clock of the deadline
	ReplicaFailureNotRefreshed                        // a changed message of ReplicaFailure is not reported
	UsedSetsFillHistory                               // a ReplicaSet in use takes the place of an idle one in the history
	UnreadableRevisionSortsByAge                      // a revision that does not parse is placed by age when history is cut
	EmptyMapSelectsAll                                // an empty map of labels is no empty selector
	LenientSizeAnnotations                            // saturation reads what is no size as a size
	ScaleFromZeroStartsYoungest                       // from nothing, the youngest ReplicaSet is started and not the latest revision
	ExcessAvailableCounts                             // available pods beyond what a ReplicaSet wants allow others to go
	CutNameInvalid                                    // a name that is cut after a dot is invalid
	RollbackCreatesAbandonedSet                       // a rollback creates a ReplicaSet for the template that it gives up
	CleanupDeletesStartedSet                          // the ReplicaSet that a pass starts is deleted by its cleanup of history

	// Of partitioned Deployments.

	OldestFirstUnderPartition // the oldest template goes first, for some numbers of ReplicaSets
	NewPodAtPartitionZero     // without a surge a new pod is started at partition 0
	ScaledBeyondPartition     // scaled up, the new ReplicaSet stays beyond its partition
	StatusAheadFailsScaling   // a status that is ahead of its spec ends a scaling with an error
	ScalingTakesAvailable     // scaling takes available pods beyond the minimum
)

// RepairAll is all quirks.
const RepairAll = ScalingTakesAvailable<<1 - 1

// Has reports whether q contains all of x.
func (q Quirks) Has(x Quirks) bool { return q&x == x }

// String returns the names, separated by commas.
func (q Quirks) String() string { return quirk.Format(QuirkTable(), q) }

// MarshalJSON encodes the set as the list of its names.
func (q Quirks) MarshalJSON() ([]byte, error) { return quirk.Marshal(QuirkTable(), q) }

// UnmarshalJSON decodes the output of [Quirks.MarshalJSON]. An unknown name is an error.
func (q *Quirks) UnmarshalJSON(data []byte) error { return quirk.Unmarshal(QuirkTable(), data, q) }

// ParseQuirks returns the set of the quirks with these names. Unknown names are errors.
func ParseQuirks(names ...string) (Quirks, error) { return quirk.Parse[Quirks](QuirkTable(), names...) }

// revision returns the repairs of package revision for the cleanup of history.
func (q Quirks) revision() (o revision.Options) {
	if q.Has(UsedSetsFillHistory) {
		o.Repair |= revision.UsedSetsFillHistory
	}
	if q.Has(UnreadableRevisionSortsByAge) {
		o.Repair |= revision.UnreadableRevisionSortsByAge
	}
	return o
}

// budget resolves the limits of a partition.
func (q Quirks) budget(replicas int32, ru *partition.RollingUpdate) rollout.Budget {
	if q.Has(SumsWrapAround) {
		return partition.Budget(replicas, ru, true)
	}
	return partition.Budget(replicas, ru, false)
}

// policy returns the policy p of package rollout with the repairs of q.
func (q Quirks) policy(p rollout.Policy) rollout.Policy {
	p.ExactSums, p.ExactProducts = q.Has(SumsWrapAround), q.Has(ProductsWrapAround)
	p.CapAvailable, p.CapOld = q.Has(ExcessAvailableCounts), q.Has(StatusAheadStopsCleanup)
	return p
}

// QuirkTable returns a description of each quirk, in the order of the constants.
func QuirkTable() []kplan.Quirk { return append(rolloutQuirks(), partitionQuirks()...) }
