// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// deployment is a Deployment that is updated by partition: its controller is instructed by an
// annotation.
type deployment struct{ byPartition }

// strategyOf returns the strategy of a Deployment by partition, as far as it can be read.
func strategyOf(w *workload.Workload) partition.Strategy {
	strategy, _ := partition.ParseStrategy(w.Annotations[partition.AnnotationStrategy])
	return strategy
}

func (deployment) count(c *Context, w *workload.Workload, _ quirk.Set) {
	c.CurrentPartition, c.DesiredPartition = orZero(strategyOf(w).Partition), c.Batch
	c.Planned = partition.Limit(c.Batch, c.Replicas)
	c.Desired = c.Planned
}

func (deployment) controlled(_ *Release, w *workload.Workload) bool { return w.UnderPartition() }

// take pauses the Deployment and moves its limits to the annotation.
func (deployment) take(p *workload.Patch, w *workload.Workload, repair quirk.Set) {
	old := strategyOf(w)
	strategy := partition.Strategy{RollingStyle: partition.Style, RollingUpdate: old.RollingUpdate, Partition: rollout.Int(0)}
	if w.RollingUpdate != nil {
		strategy.RollingUpdate = w.RollingUpdate
	}
	p.Annotate(partition.AnnotationStrategy, strategy.Default(repair.Has(quirk.UnsetLimitDefaultsBoth)).Text())
	if repair.Has(quirk.RecreateNotRestored) && w.StrategyType == "Recreate" && old.RollingUpdate == nil {
		p.Annotate(workload.AnnotationOriginalStrategy, recreated)
	}
	advanced, paused, recreate := "true", true, "Recreate"
	p.Label(workload.LabelAdvanced, &advanced)
	p.Paused, p.StrategyType = &paused, &recreate
}

// recreated marks a Deployment with the original strategy Recreate
// ([quirk.RecreateNotRestored]).
const recreated = `{"type":"Recreate"}`

// held: before it is taken over, for then admission stops its controller itself.
func (deployment) held(preparing, _ bool) (kplan.Reason, bool) {
	return reason.ReleaseOutdated, preparing
}

func (deployment) upgrade(c *Context, w, _ *workload.Workload, repair quirk.Set) (p workload.Patch, write bool, refused kplan.Reason) {
	if !w.UnderPartition() {
		return p, false, ""
	}
	strategy := strategyOf(w)
	covered := partition.AtLeast(strategy.Partition, c.Batch)
	if repair.Has(quirk.MixedPartitionsNeverEnd) && !strategy.Partition.SameKind(c.Batch) {
		covered = partition.Limit(strategy.Partition, c.Replicas) >= partition.Limit(c.Batch, c.Replicas)
	}
	if covered {
		return p, false, ""
	}
	strategy.Partition = c.Batch
	p.Annotate(partition.AnnotationStrategy, strategy.Text())
	return p, true, ""
}

func (d deployment) giveBack(plan *ReleasePlan, w *workload.Workload, keep bool, opts Options) (p workload.Patch, write bool) {
	if w.Annotations[partition.AnnotationControlInfo] == "" || !w.Paused {
		// paused by admission, before the release could take it over
		paused := opts.Repair.Has(quirk.RollbackLeavesPaused) && plan.BatchPartition == nil && w.Paused && w.Labels[workload.LabelStableRevision] != ""
		if paused {
			p = ResumeDeployment(*w, keep, opts.Repair)
		}
		return p, paused
	}
	if p, all := d.released(plan); all {
		return p, true
	}
	return ResumeDeployment(*w, keep, opts.Repair), true
}

// ResumeDeployment restores the strategy that was moved to the annotation.
func ResumeDeployment(w workload.Workload, keep bool, repair quirk.Set) (p workload.Patch) {
	p.Paused = &keep
	strategy := strategyOf(&w)
	wasRecreate := w.Annotations[workload.AnnotationOriginalStrategy] == recreated && repair.Has(quirk.RecreateNotRestored)
	if w.StrategyType == "Recreate" && !wasRecreate {
		rolling := "RollingUpdate"
		p.StrategyType = &rolling
		if ru := strategy.RollingUpdate; ru != nil {
			p.MaxSurge, p.MaxUnavailable = ru.MaxSurge, ru.MaxUnavailable
		}
	}
	p.RemoveAnnotations(partition.AnnotationControlInfo, partition.AnnotationStrategy, partition.AnnotationExtraStatus)
	if wasRecreate {
		p.RemoveAnnotations(workload.AnnotationOriginalStrategy)
	}
	p.Label(workload.LabelStableRevision, nil)
	p.Label(workload.LabelAdvanced, nil)
	return p
}

func (deployment) waits(plan *ReleasePlan, repair quirk.Set) bool {
	return plan.FinalizingPolicy == WaitResume && repair.Has(quirk.LastStepNotAwaited)
}

// resumed returns the hold for pods that the Deployment still has to update,
// since the last step of its release has left them ([quirk.LastStepNotAwaited]).
func (deployment) resumed(w *workload.Workload, _ bool) (kplan.Hold, bool) {
	s, all := &w.Status, max(w.Status.Replicas, w.DesiredReplicas())
	switch {
	case s.ObservedGeneration < w.Generation:
		return kplan.Hold{Name: w.Name, Reason: reason.NotObserved, Have: s.ObservedGeneration, Limit: w.Generation}, true
	case s.UpdatedReplicas < all:
		return kplan.Hold{Name: w.Name, Reason: reason.NotPromoted, Have: int64(s.UpdatedReplicas), Limit: int64(all)}, true
	}
	return kplan.Hold{}, false
}
