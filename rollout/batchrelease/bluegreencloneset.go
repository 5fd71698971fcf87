// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"math"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/union"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// blueGreenCloneSet is a CloneSet in the blue-green style, see bySurge.
type blueGreenCloneSet struct{ bySurge }

func (blueGreenCloneSet) count(c *Context, w *workload.Workload, _ quirk.Set) {
	c.surge(w, int32(max(math.MinInt32, min(c.Batch.OfUp64(c.Replicas), math.MaxInt32))))
}

func (k blueGreenCloneSet) take(p *workload.Patch, w *workload.Workload, _ quirk.Set) {
	original, running := k.overwrite(p, w, rollout.Percent(0), rollout.Percent(20)), false
	p.Paused = &running
	p.Annotate(workload.AnnotationOriginalStrategy, union.Text(original))
}

// upgrade raises the surge. If [quirk.OtherTemplateReleased] is repaired, it also resumes a workload
// with a sufficient surge: admission has stopped it for another template that was then taken back.
func (k blueGreenCloneSet) upgrade(c *Context, w, _ *workload.Workload, repair quirk.Set) (p workload.Patch, write bool, refused kplan.Reason) {
	if reason := k.unprepared(w); reason != "" {
		return p, false, reason
	}
	if c.CurrentSurge.OfUp64(c.Replicas) >= c.DesiredSurge.OfUp64(c.Replicas) {
		p.ClearPartition = repair.Has(quirk.OtherTemplateReleased) && w.Partition.OfUp64(w.DesiredReplicas()) > 0
		return p, p.ClearPartition, ""
	}
	return workload.Patch{ClearPartition: true, MaxSurge: c.DesiredSurge}, true, ""
}

func (k blueGreenCloneSet) giveBack(plan *ReleasePlan, w *workload.Workload, _ bool, opts Options) (workload.Patch, bool) {
	p, _, write := k.restored(plan, w, opts.Repair)
	return p, write
}

func (blueGreenCloneSet) resumed(w *workload.Workload, patched bool) (kplan.Hold, bool) {
	s := &w.Status
	switch {
	case patched || w.Paused:
		return kplan.Hold{Name: w.Name, Reason: reason.NotResumed}, true
	case s.ReadyReplicas != s.UpdatedReadyReplicas:
		return kplan.Hold{Name: w.Name, Reason: reason.NotPromoted, Have: int64(s.UpdatedReadyReplicas), Limit: int64(s.ReadyReplicas)}, true
	}
	return kplan.Hold{}, false
}
