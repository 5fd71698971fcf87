// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// daemonSet is a DaemonSet of OpenKruise, which is updated by partition.
type daemonSet struct{ byPartition }

func (daemonSet) count(c *Context, w *workload.Workload, _ quirk.Set) {
	c.partition(w, false)
	// More pods may need no update than the DaemonSet has.
	c.DesiredPartition = rollout.Int(max(c.DesiredPartition.Value(), 0))
}

func (daemonSet) take(p *workload.Patch, w *workload.Workload, _ quirk.Set) {
	running := false
	p.StrategyPaused, p.Partition = &running, rollout.Int(w.DesiredReplicas())
}

func (k daemonSet) giveBack(plan *ReleasePlan, _ *workload.Workload, keep bool, opts Options) (workload.Patch, bool) {
	p, all := k.released(plan)
	if all {
		return p, true
	}
	running := false
	// Upstream keeps the partition with KeepPaused, even after a release that succeeded.
	p.StrategyPaused, p.ClearPartition = &running, !opts.KeepPaused
	if opts.Repair.Has(quirk.DeletionFinishesRelease) {
		p.ClearPartition = !keep
	}
	return p, true
}
