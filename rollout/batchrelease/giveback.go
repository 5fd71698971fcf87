package batchrelease

import (
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// ReleasePatch returns what gives a workload back when its BatchRelease ends, and
// false if nothing has to be written, or no driver knows the workload.
func ReleasePatch(br Release, w workload.Workload, opts Options) (p workload.Patch, write bool) {
	p, write = resumePatch(br, w, opts)
	if releasedNext(&br.ReleasePlan, &w, opts.Repair) {
		wait(&p, &w)
	}
	return p, write
}

// releasedNext reports whether an update was let in while the release is being closed,
// which is released next ([workload.NextReleaseUnmarked]). The mark of the release itself is gone by then.
func releasedNext(plan *ReleasePlan, w *workload.Workload, repair workload.Quirks) bool {
	known := w.Labels[workload.LabelStableRevision] != "" || w.Kind != "Deployment"
	return repair.Has(workload.NextReleaseUnmarked) && plan.FinalizingPolicy == WaitResume && w.Annotations[workload.AnnotationInProgress] != "" && known
}

// wait takes away from a patch what would let a workload go on that admission holds for
// its next release.
func wait(p *workload.Patch, w *workload.Workload) {
	if p.Paused != nil && w.Kind == "Deployment" {
		paused := true
		p.Paused = &paused
	}
	p.ClearPartition = false
	if p.ReplaceStrategy {
		p.StrategyType, p.ReplaceStrategy = nil, false
	}
	delete(p.Labels, workload.LabelStableRevision)
	delete(p.Annotations, workload.AnnotationDaemonSetStrategy)
}

func resumePatch(br Release, w workload.Workload, opts Options) (p workload.Patch, write bool) {
	d := br.ReleasePlan.driver(w.Ref)
	plan := &br.ReleasePlan
	keep := keeps(&br, &w, opts)
	switch {
	case d == "":
		return p, false
	case d.BlueGreen():
		if opts.Repair.Has(workload.RollbackLeavesPaused) && frozenBySurge(plan, &w) {
			running := false
			p.Paused = &running
			return p, true
		}
		return giveBackSurge(d, plan, &w)
	case d == workload.DriverCanary:
		paused := plan.BatchPartition != nil || opts.Repair.Has(workload.DeletionFinishesRelease) && keep
		p.RemoveAnnotations(partition.AnnotationControlInfo)
		if p.Paused = &paused; !paused && opts.Repair.Has(workload.NextReleaseUnmarked) {
			p.Label(workload.LabelStableRevision, nil)
		}
		return p, true
	}
	if d == workload.DriverDeployment && (w.Annotations[partition.AnnotationControlInfo] == "" || !w.Paused) {
		paused := opts.Repair.Has(workload.RollbackLeavesPaused) && plan.BatchPartition == nil && w.Paused && w.Labels[workload.LabelStableRevision] != ""
		if paused { // by admission, before the release could take it over
			p = ResumeDeployment(w, keep, opts.Repair)
		}
		return p, paused
	}
	p.RemoveAnnotations(partition.AnnotationControlInfo)
	if plan.BatchPartition != nil {
		return p, true
	}
	running := false
	switch d {
	case workload.DriverDeployment:
		return ResumeDeployment(w, keep, opts.Repair), true
	case workload.DriverCloneSet:
		p.Paused, p.ClearPartition = &running, !keep
	case workload.DriverStatefulSet:
		p.ClearPartition = !keep
	case workload.DriverDaemonSet:
		p.StrategyPaused, p.ClearPartition = &running, !opts.KeepPaused
		if opts.Repair.Has(workload.DeletionFinishesRelease) {
			p.ClearPartition = !keep
		}
	case workload.DriverNativeDaemonSet:
		p.RemoveAnnotations(workload.AnnotationDaemonSetRevision, workload.AnnotationDaemonSetControl, workload.AnnotationDaemonSetStrategy)
		if !keep {
			kind := w.Annotations[workload.AnnotationDaemonSetStrategy]
			if kind == "" {
				kind = "RollingUpdate"
			}
			p.StrategyType, p.ReplaceStrategy = &kind, true
		}
	}
	return p, true
}

// keeps reports whether a workload stays as it is when it is given back before its
// release is done. Under [workload.DeletionFinishesRelease] what has been rolled back does not.
func keeps(br *Release, w *workload.Workload, opts Options) bool {
	if br.ReleasePlan.FinalizingPolicy == WaitResume {
		return false
	}
	if !opts.Repair.Has(workload.DeletionFinishesRelease) {
		return opts.KeepPaused
	}
	to := w.UpdateRevision
	return to == "" || to != br.Status.StableRevision && to != w.StableRevision
}

// ResumeDeployment restores the strategy that was moved to the annotation.
func ResumeDeployment(w workload.Workload, keep bool, repair workload.Quirks) (p workload.Patch) {
	p.Paused = &keep
	strategy, _ := partition.ParseStrategy(w.Annotations[partition.AnnotationStrategy])
	wasRecreate := w.Annotations[workload.AnnotationOriginalStrategy] == recreated && repair.Has(workload.RecreateNotRestored)
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

// frozenBySurge reports whether admission has paused a workload that was not prepared
// yet, or was given back before, so that there is nothing to restore but the pause ([workload.RollbackLeavesPaused]).
func frozenBySurge(plan *ReleasePlan, w *workload.Workload) bool {
	return plan.BatchPartition == nil && w.Paused && w.Annotations[workload.AnnotationOriginalStrategy] == ""
}

// giveBackSurge restores what preparing overwrote, as long as it is known.
func giveBackSurge(d workload.Driver, plan *ReleasePlan, w *workload.Workload) (p workload.Patch, write bool) {
	text := w.Annotations[workload.AnnotationOriginalStrategy]
	if plan.BatchPartition != nil || text == "" {
		return p, false
	}
	o, running := workload.ParseOriginal(text), false
	p.MinReadySeconds, p.Paused = &o.MinReadySeconds, &running
	if o.MaxSurge != nil {
		p.MaxSurge = *o.MaxSurge
	}
	if o.MaxUnavailable != nil {
		p.MaxUnavailable = *o.MaxUnavailable
	}
	p.RemoveAnnotations(workload.AnnotationOriginalStrategy, partition.AnnotationControlInfo)
	if d == workload.DriverBlueGreenDeployment {
		p.ProgressDeadlineSeconds = o.ProgressDeadlineSeconds
		p.Label(workload.LabelStableRevision, nil)
	}
	return p, true
}

// giveBack appends what ends the release. The failure is not empty while it has to be
// repeated.
func (st *pass) giveBack() (failure string) {
	w := st.s.Workload
	if w == nil {
		return ""
	}
	plan := &st.s.Release.ReleasePlan
	p, write := ReleasePatch(st.s.Release, *w, st.opts)
	if write {
		st.add(PatchWorkload{Workload: w.Ref, UID: w.UID, Patch: p, Reason: ReasonGiveBack})
	}
	waits := st.driver.BlueGreen() && plan.BatchPartition == nil || st.driver == workload.DriverCanary && plan.FinalizingPolicy == WaitResume
	waits = waits || st.driver == workload.DriverDeployment && plan.FinalizingPolicy == WaitResume && st.opts.Repair.Has(workload.LastStepNotAwaited)
	if waits && !releasedNext(plan, w, st.opts.Repair) {
		if hold, waiting := resumed(st.driver, w, write && st.driver.BlueGreen()); waiting {
			st.p.Holds = append(st.p.Holds, hold)
			return "current release is not done: " + string(hold.Reason)
		}
	}
	if a := st.s.Autoscaler; st.driver.BlueGreen() && plan.BatchPartition == nil && a != nil && a.TargetName == w.Name+AutoscalerSuffix {
		st.add(RetargetAutoscaler{Name: a.Name, From: a.TargetName, To: w.Name, Reason: ReasonGiveBack})
	}
	if st.driver == workload.DriverCanary && st.s.Canary != nil {
		st.add(SetFinalizer{
			Kind: "Deployment", Name: st.s.Canary.Name, UID: st.s.Canary.UID, Finalizer: workload.FinalizerCanaryDeployment, Remove: true, Reason: ReasonGiveBack,
		})
	}
	return ""
}

// resumed says what a workload that was given back still has to do.
func resumed(d workload.Driver, w *workload.Workload, patched bool) (Hold, bool) {
	s := &w.Status
	replicas := w.DesiredReplicas()
	allowed := w.Limits().MaxUnavailable.Of(replicas)
	switch {
	case d == workload.DriverDeployment:
		return unfinished(w)
	case patched || w.Paused:
		return Hold{Name: w.Name, Reason: ReasonNotResumed}, true
	case d == workload.DriverBlueGreenCloneSet && s.ReadyReplicas != s.UpdatedReadyReplicas:
		return Hold{Name: w.Name, Reason: ReasonNotPromoted, Have: int64(s.UpdatedReadyReplicas), Limit: int64(s.ReadyReplicas)}, true
	case d == workload.DriverBlueGreenCloneSet:
		return Hold{}, false
	case d == workload.DriverBlueGreenDeployment && s.ReadyReplicas != s.UpdatedReplicas:
		return Hold{Name: w.Name, Reason: ReasonNotPromoted, Have: int64(s.UpdatedReplicas), Limit: int64(s.ReadyReplicas)}, true
	case d == workload.DriverCanary && s.Replicas != s.UpdatedReplicas:
		return Hold{Name: w.Name, Reason: ReasonNotPromoted, Have: int64(s.UpdatedReplicas), Limit: int64(s.Replicas)}, true
	case int64(allowed)+int64(s.AvailableReplicas) < int64(replicas):
		return Hold{Name: w.Name, Reason: ReasonNotAvailable, Have: int64(s.AvailableReplicas), Limit: int64(replicas) - int64(allowed)}, true
	}
	return Hold{}, false
}

// unfinished says how many pods a Deployment that was given back still has to update,
// since the last step of its release has left them ([workload.LastStepNotAwaited]).
func unfinished(w *workload.Workload) (Hold, bool) {
	s, all := &w.Status, max(w.Status.Replicas, w.DesiredReplicas())
	switch {
	case s.ObservedGeneration < w.Generation:
		return Hold{Name: w.Name, Reason: ReasonNotObserved, Have: s.ObservedGeneration, Limit: w.Generation}, true
	case s.UpdatedReplicas < all:
		return Hold{Name: w.Name, Reason: ReasonNotPromoted, Have: int64(s.UpdatedReplicas), Limit: int64(all)}, true
	}
	return Hold{}, false
}
