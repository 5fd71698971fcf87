// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/rollout/partition"
)

// A report is the output of a pass apart from its actions: the next status, when to look
// again, and the holds of a rollout that waits.
type report struct {
	status    Status
	recheckAt time.Time
	extra     *partition.ExtraStatus
	holds     []kplan.Hold
}

// report fills in the report after a decision. Conditions are set in the order in which
// upstream sets them.
func (r *report) report(in *input, c *counts, u *newSetUpdate, d *decision) {
	in = d.created.inputAfter(in)
	list := in.storedConditions()
	if d.path == pathRefused {
		list.finish(in)
		r.status = in.storedStatus(list.list)
		r.status.ObservedGeneration = max(r.status.ObservedGeneration, in.d.Generation)
		return
	}
	list.setPause(in)
	list.setFound(in, u)
	if d.created != nil && !d.created.taken {
		list.setCreated(in, d.created.rs.Name)
	}
	if d.sizing.failed || d.path == pathRollback {
		list.finish(in)
		r.status = in.storedStatus(list.list)
	} else {
		r.counted(in, c, d, &list)
	}
	if in.partitioned() {
		d.reportPartition(in, r)
	}
}

// counted fills in the report of a pass that counts pods.
func (r *report) counted(in *input, c *counts, d *decision, list *conditions) {
	s, drives := &r.status, d.path == pathRollout
	s.count(in, c, d.wanted(in, c))
	if drives && (in.complete(s) || s.progressed(&in.d.Status)) {
		list.found = false // progress sets it, after the condition Available
	}
	list.addFound(in)
	list.setAvailable(in, s.AvailableReplicas)
	if drives {
		list.setProgress(in, s)
	}
	if drives || in.opts.Repair.Has(quirk.ReplicaFailureNotRefreshed) {
		list.setFailure(in, c)
	}
	list.finish(in)
	s.Conditions = list.list
	if drives {
		r.recheckAt = in.recheck(s)
		r.holds = in.incompleteHolds(c, s, len(d.sizing.holds)+len(d.sizing.changes) == 0)
	}
}

// wanted returns the number of wanted pods from which unavailable pods are computed: by
// default the pods wanted before the plan, see [quirk.UnavailableReplicasLag].
func (d *decision) wanted(in *input, c *counts) int64 {
	wanted := d.created.countsAfter(c).wanted
	if !in.opts.Repair.Has(quirk.UnavailableReplicasLag) {
		return wanted - d.sizing.cleaned
	}
	for _, c := range d.sizing.changes {
		wanted += int64(c.to) - int64(in.sets[c.set].size)
	}
	return wanted
}

// partitionRequeue is the time after which upstream looks again at a partition that is not
// reached.
const partitionRequeue = 2 * time.Second

// reportPartition completes the report of a partitioned Deployment: the counts for the
// controller that moves the partition, when to look again, and the hold of a new set that
// is at its partition but not complete.
func (d *decision) reportPartition(in *input, r *report) {
	r.recheckAt = in.recheckPartition(r.recheckAt, d.sizing.failed)
	if d.sizing.failed {
		return
	}
	r.extra = &partition.ExtraStatus{ExpectedUpdatedReplicas: in.partitionLimit()}
	s := in.newSet()
	if s == nil {
		return
	}
	r.extra.UpdatedReadyReplicas = s.status().ReadyReplicas
	unchanged := len(d.sizing.changes)+len(d.refreshed) == 0
	if holds := slices.Concat(d.sizing.holds, r.holds); unchanged && len(holds) == 1 && holds[0].Reason == reason.Partition {
		r.holds = append(r.holds, in.newSetHolds(s)...)
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
