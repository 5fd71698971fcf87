// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// statefulSet is a StatefulSet of Kubernetes or OpenKruise.
type statefulSet struct{ byPartition }

func (k statefulSet) count(c *Context, w *workload.Workload, _ quirk.Set) {
	c.partition(w, k.ordered(w))
}

func (statefulSet) ordered(w *workload.Workload) bool { return !w.Unordered }

func (statefulSet) take(p *workload.Patch, _ *workload.Workload, _ quirk.Set) {
	running := false
	p.StrategyPaused, p.Partition = &running, rollout.Int(workload.HoldEverything)
}

func (k statefulSet) giveBack(plan *ReleasePlan, _ *workload.Workload, keep bool, _ Options) (workload.Patch, bool) {
	p, all := k.released(plan)
	p.ClearPartition = !all && !keep
	return p, true
}
