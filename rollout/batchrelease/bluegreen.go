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

// bySurge is embedded in the blue-green kinds. They keep all old pods and raise maxSurge to add new
// pods.
type bySurge struct{ byPartition }

// prepare detaches the autoscaler: it changes the name of the autoscaler's target.
func (bySurge) prepare(s *Snapshot) (_, autoscaler Action) {
	a := s.Autoscaler
	if a == nil || a.TargetName != s.Workload.Name {
		return nil, nil
	}
	return nil, RetargetAutoscaler{Name: a.Name, From: a.TargetName, To: a.TargetName + AutoscalerSuffix, Reason: reason.Initialize}
}

// overwrite sets the fields that all blue-green workloads get, and returns the saved original
// strategy completed with the current one. Limits that are unset there are saved as surge and
// unavailable.
func (bySurge) overwrite(p *workload.Patch, w *workload.Workload, surge, unavailable rollout.IntOrPercent) workload.OriginalStrategy {
	original, limits := workload.ParseOriginal(w.Annotations[workload.AnnotationOriginalStrategy]), w.Limits()
	surge, unavailable = or(limits.MaxSurge, surge), or(limits.MaxUnavailable, unavailable)
	if original.MaxSurge == nil {
		original.MaxSurge = &surge
	}
	if original.MaxUnavailable == nil {
		original.MaxUnavailable = &unavailable
	}
	if original.MinReadySeconds == 0 {
		original.MinReadySeconds = w.MinReadySeconds
	}
	minReady := int32(workload.InfiniteMinReady)
	p.MinReadySeconds, p.MaxSurge, p.MaxUnavailable = &minReady, rollout.Int(1), rollout.Int(0)
	return original
}

// or returns v, or w if v is unset.
func or(v, w rollout.IntOrPercent) rollout.IntOrPercent {
	if v.IsZero() {
		return w
	}
	return v
}

func (bySurge) held(preparing, _ bool) (kplan.Reason, bool) { return reason.RollbackFirst, !preparing }

// unprepared returns the reason why the workload cannot be updated.
func (bySurge) unprepared(w *workload.Workload) kplan.Reason {
	switch {
	case w.Annotations[partition.AnnotationControlInfo] == "":
		return reason.NoControlInfo
	case w.MinReadySeconds != workload.InfiniteMinReady:
		return reason.MinReadySeconds
	}
	return ""
}

// restored returns the patch that restores the overwritten fields of the workload, and the original
// strategy from the annotation, if the workload still has it. While the plan has a BatchPartition
// the release is not over, and nothing is restored.
func (bySurge) restored(plan *ReleasePlan, w *workload.Workload, repair quirk.Set) (p workload.Patch, o workload.OriginalStrategy, write bool) {
	running, text := false, w.Annotations[workload.AnnotationOriginalStrategy]
	if plan.BatchPartition != nil {
		return p, o, false
	}
	if text == "" { // not prepared yet, or given back already; admission may have paused it
		if write = repair.Has(quirk.RollbackLeavesPaused) && w.Paused; write {
			p.Paused = &running
		}
		return p, o, write
	}
	o = workload.ParseOriginal(text)
	p.MinReadySeconds, p.Paused = &o.MinReadySeconds, &running
	if o.MaxSurge != nil {
		p.MaxSurge = *o.MaxSurge
	}
	if o.MaxUnavailable != nil {
		p.MaxUnavailable = *o.MaxUnavailable
	}
	p.RemoveAnnotations(workload.AnnotationOriginalStrategy, partition.AnnotationControlInfo)
	return p, o, true
}

func (bySurge) waits(plan *ReleasePlan, _ quirk.Set) bool { return plan.BatchPartition == nil }

// end restores the target of the autoscaler.
func (bySurge) end(s *Snapshot) (autoscaler, _ Action) {
	w, a := s.Workload, s.Autoscaler
	if s.Release.ReleasePlan.BatchPartition != nil || a == nil || a.TargetName != w.Name+AutoscalerSuffix {
		return nil, nil
	}
	return RetargetAutoscaler{Name: a.Name, From: a.TargetName, To: w.Name, Reason: reason.GiveBack}, nil
}
