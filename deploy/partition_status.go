// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"time"

	"github.com/kplan-go/kplan/rollout/partition"
)

// partitionRequeue is the time after which upstream looks again at a partition that is not
// reached.
const partitionRequeue = 2 * time.Second

// reportPartition completes the report of a partitioned Deployment: the counts for the
// controller that moves the partition, when to look again, and the hold of a new set that
// is at its partition but not complete.
func (d *decision) reportPartition(in *input, r *report) {
	r.recheckAt = in.recheckPartition(r.recheckAt, d.failed)
	if d.failed {
		return
	}
	r.extra = &partition.ExtraStatus{ExpectedUpdatedReplicas: in.limit()}
	s := in.newSet()
	if s == nil {
		return
	}
	r.extra.UpdatedReadyReplicas = s.status().ReadyReplicas
	if len(d.changes)+len(d.refreshed) == 0 && len(d.holds)+len(r.holds) == 1 && append(d.holds, r.holds...)[0].Reason == ReasonPartition {
		r.holds = append(r.holds, in.lacks(s)...)
	}
}

// recheckPartition looks again soon while the partition is not reached according to
// the stored status, or if the pass has ended with an error.
func (in *input) recheckPartition(at time.Time, failed bool) time.Time {
	_, waiting := partition.Progress{
		Generation: in.d.Generation, ObservedGeneration: in.d.Status.ObservedGeneration,
		Partition: in.d.Partitioned.Partition, Replicas: in.replicas,
		StatusReplicas: in.d.Status.Replicas, UpdatedReplicas: in.d.Status.UpdatedReplicas,
	}.Waiting()
	soon := in.now.Add(partitionRequeue)
	if (waiting || failed) && (at.IsZero() || soon.Before(at)) {
		return soon
	}
	return at
}
