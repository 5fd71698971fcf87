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

// A report is the part of a plan other than actions and events: the next status, the time of the
// next call, and holds of a rollout that waits for its ReplicaSets.
type report struct {
	status    Status
	recheckAt time.Time
	extra     *partition.ExtraStatus
	holds     []kplan.Hold
}

// report sets the report for a decision. It sets conditions in upstream's order.
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

// counted sets the report of a pass that counts pods.
func (r *report) counted(in *input, c *counts, d *decision, list *conditions) {
	s, drives := &r.status, d.path == pathRollout
	s.count(in, c, d.wanted(in, c))
	if drives && (in.complete(s) || s.progressed(&in.d.Status)) {
		list.found = false // no FoundNewReplicaSet now: setProgress sets Progressing, after Available
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

// wanted returns the number of wanted pods for status.unavailableReplicas = wanted - available. By
// default it counts the sizes before the plan, less the unavailable pods that the scaling of a
// partitioned Deployment removes, and the size of a new ReplicaSet: see
// [quirk.UnavailableReplicasLag].
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

// partitionRequeue is the time after which upstream plans again while the number of updated pods
// has not reached the partition.
const partitionRequeue = 2 * time.Second

// reportPartition completes the report of a partitioned Deployment. It sets the counts for the
// controller that sets the partition, and the time of the next call. If only the partition holds
// back the new set, it adds holds for pods of the new set that are not available yet.
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

// recheckPartition returns the time of the next call, at most partitionRequeue after now while the
// Deployment's status has not reached the partition, or if the pass ends with an error. The
// argument at is the time otherwise, or zero.
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
