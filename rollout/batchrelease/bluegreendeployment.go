// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/union"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// blueGreenDeployment is a Deployment in the blue-green style, see bySurge.
type blueGreenDeployment struct{ bySurge }

func (blueGreenDeployment) count(c *Context, w *workload.Workload, _ quirk.Set) {
	c.surge(w, partition.Limit(c.Batch, c.Replicas))
}

// prepare detaches the autoscaler and raises minReadySeconds of the stable ReplicaSet: then no more
// of its pods become available.
func (k blueGreenDeployment) prepare(s *Snapshot) (stableSet, autoscaler Action) {
	if !k.controlled(&s.Release, s.Workload) && s.StableSet != "" {
		stableSet = PatchReplicaSet{Name: s.StableSet, MinReadySeconds: workload.InfiniteMinReady, Reason: reason.Initialize}
	}
	_, autoscaler = k.bySurge.prepare(s)
	return stableSet, autoscaler
}

func (k blueGreenDeployment) take(p *workload.Patch, w *workload.Workload, _ quirk.Set) {
	original := k.overwrite(p, w, rollout.Percent(25), rollout.Percent(25))
	deadline, rolling := int32(600), "RollingUpdate"
	if w.ProgressDeadlineSeconds != nil {
		deadline = *w.ProgressDeadlineSeconds
	}
	if original.ProgressDeadlineSeconds == nil {
		original.ProgressDeadlineSeconds = &deadline
	}
	infinite := int32(workload.InfiniteDeadline)
	p.ProgressDeadlineSeconds, p.StrategyType = &infinite, &rolling
	p.Annotate(workload.AnnotationOriginalStrategy, union.Text(original))
}

// upgrade raises the surge. If [quirk.OtherTemplateReleased] is repaired, it also resumes a workload
// with a sufficient surge: admission has stopped it for another template that was then taken back.
func (k blueGreenDeployment) upgrade(c *Context, w, _ *workload.Workload, repair quirk.Set) (p workload.Patch, write bool, refused kplan.Reason) {
	if why := k.unprepared(w); why != "" {
		return p, false, why
	}
	running := false
	if c.CurrentSurge.OfUp64(c.Replicas) >= c.DesiredSurge.OfUp64(c.Replicas) {
		if write = repair.Has(quirk.OtherTemplateReleased) && w.Paused; write {
			p.Paused = &running
		}
		return p, write, ""
	}
	rolling := "RollingUpdate"
	return workload.Patch{Paused: &running, StrategyType: &rolling, MaxSurge: c.DesiredSurge, MaxUnavailable: rollout.Int(0)}, true, ""
}

func (k blueGreenDeployment) unprepared(w *workload.Workload) kplan.Reason {
	if why := k.bySurge.unprepared(w); why != "" {
		return why
	}
	switch {
	case w.StrategyType != "RollingUpdate":
		return reason.StrategyType
	case w.RollingUpdate == nil:
		return reason.NoRollingUpdate
	case w.ProgressDeadlineSeconds == nil || *w.ProgressDeadlineSeconds != workload.InfiniteDeadline:
		return reason.DeadlineSeconds
	}
	return ""
}

func (k blueGreenDeployment) giveBack(plan *ReleasePlan, w *workload.Workload, _ bool, opts Options) (workload.Patch, bool) {
	p, o, write := k.restored(plan, w, opts.Repair)
	if write && w.Annotations[workload.AnnotationOriginalStrategy] != "" {
		p.ProgressDeadlineSeconds = o.ProgressDeadlineSeconds
		p.Label(workload.LabelStableRevision, nil)
	}
	return p, write
}

func (blueGreenDeployment) resumed(w *workload.Workload, patched bool) (kplan.Hold, bool) {
	s := &w.Status
	switch {
	case patched || w.Paused:
		return kplan.Hold{Name: w.Name, Reason: reason.NotResumed}, true
	case s.ReadyReplicas != s.UpdatedReplicas:
		return kplan.Hold{Name: w.Name, Reason: reason.NotPromoted, Have: int64(s.UpdatedReplicas), Limit: int64(s.ReadyReplicas)}, true
	}
	return unavailable(w)
}
