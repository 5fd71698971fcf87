// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// cloneSet is a CloneSet of OpenKruise that is updated by partition.
type cloneSet struct{ byPartition }

func (cloneSet) count(c *Context, w *workload.Workload, repair quirk.Set) {
	c.partition(w, false)
	stable := c.DesiredPartition.Value()
	if c.Batch.IsPercent() && !(repair.Has(quirk.CloneSetKeepsExtraPods) && !partition.ExactShare(stable, c.Replicas)) {
		c.DesiredPartition = partition.StableShare(stable, c.Replicas, c.Batch)
	}
}

func (cloneSet) take(p *workload.Patch, _ *workload.Workload, _ quirk.Set) {
	running := false
	p.Paused, p.Partition = &running, rollout.Percent(100)
}

func (k cloneSet) giveBack(plan *ReleasePlan, _ *workload.Workload, keep bool, _ Options) (workload.Patch, bool) {
	p, all := k.released(plan)
	if !all {
		running := false
		p.Paused, p.ClearPartition = &running, !keep
	}
	return p, true
}
