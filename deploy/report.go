// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/partition"
)

// A report is what a pass says of the Deployment: its next status, when to look again, and
// what a rollout waits for.
type report struct {
	status    Status
	recheckAt time.Time
	extra     *partition.ExtraStatus
	holds     []kplan.Hold[Reason]
}

// report is what is said of the Deployment after a decision. Conditions are set in the
// order in which upstream sets them.
func (r *report) report(in *input, c *counts, f *following, d *decision) {
	in = d.created.input(in)
	list := in.stored()
	if d.path == pathRefused {
		list.finish(in)
		r.status = in.storedStatus(list.list)
		r.status.ObservedGeneration = max(r.status.ObservedGeneration, in.d.Generation)
		return
	}
	list.notePause(in)
	list.foundNew(in, f)
	if d.created != nil && !d.created.taken {
		list.created(in, d.created.rs.Name)
	}
	if d.failed || d.path == pathRollback {
		list.finish(in)
		r.status = in.storedStatus(list.list)
	} else {
		r.counted(in, c, d, &list)
	}
	if in.partitioned() {
		d.reportPartition(in, r)
	}
}

// counted is what is said after a pass that has counted.
func (r *report) counted(in *input, c *counts, d *decision, list *conditions) {
	s, drives := &r.status, d.path == pathRollout
	s.count(in, c, d.wanted(in, c))
	if drives && (in.complete(s) || s.progressed(&in.d.Status)) {
		list.found = false // progress says more, behind what is said of the available
	}
	list.sayFound(in)
	list.available(in, s.AvailableReplicas)
	if drives {
		list.progress(in, s)
	}
	if drives || in.opts.Repair.Has(ReplicaFailureNotRefreshed) {
		list.failure(in, c)
	}
	list.finish(in)
	s.Conditions = list.list
	if drives {
		r.recheckAt = in.recheck(s)
		r.holds = in.waits(c, s, len(d.holds) == 0 && len(d.changes) == 0)
	}
}

// wanted returns how many pods unavailable ones are reckoned from: those wanted before the
// plan, by default: see [UnavailableReplicasLag].
func (d *decision) wanted(in *input, c *counts) int64 {
	wanted := d.created.addedTo(c).wanted
	if !in.opts.Repair.Has(UnavailableReplicasLag) {
		return wanted - d.cleaned
	}
	for _, c := range d.changes {
		wanted += int64(c.to) - int64(in.sets[c.set].size)
	}
	return wanted
}
