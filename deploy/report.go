// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/partition"
)

// A report is the output of a pass apart from its actions: the next status, when to look
// again, and the holds of a rollout that waits.
type report struct {
	status    Status
	recheckAt time.Time
	extra     *partition.ExtraStatus
	holds     []kplan.Hold[Reason]
}

// report fills in the report after a decision. Conditions are set in the order in which
// upstream sets them.
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

// counted fills in the report of a pass that counts pods.
func (r *report) counted(in *input, c *counts, d *decision, list *conditions) {
	s, drives := &r.status, d.path == pathRollout
	s.count(in, c, d.wanted(in, c))
	if drives && (in.complete(s) || s.progressed(&in.d.Status)) {
		list.found = false // progress sets it, after the condition Available
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

// wanted returns the number of wanted pods from which unavailable pods are computed: by
// default the pods wanted before the plan, see [UnavailableReplicasLag].
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
