package rollout

// ReleasePatch returns what gives a workload back when its BatchRelease ends, and
// false if nothing has to be written, or no driver knows the workload.
func ReleasePatch(br BatchRelease, w Workload, opts BatchOptions) (p WorkloadPatch, write bool) {
	p, write = resumePatch(br, w, opts)
	if releasedNext(&br.ReleasePlan, &w, opts.Repair) {
		wait(&p, &w)
	}
	return p, write
}

// releasedNext reports whether an update was let in while the release is being closed,
// which is released next ([NextReleaseUnmarked]). The mark of the release itself is gone by then.
func releasedNext(plan *ReleasePlan, w *Workload, repair Quirks) bool {
	known := w.Labels[LabelStableRevision] != "" || w.Kind != "Deployment"
	return repair.Has(NextReleaseUnmarked) && plan.FinalizingPolicy == WaitResume && w.Annotations[AnnotationInProgress] != "" && known
}

// wait takes away from a patch what would let a workload go on that admission holds for
// its next release.
func wait(p *WorkloadPatch, w *Workload) {
	if p.Paused != nil && w.Kind == "Deployment" {
		paused := true
		p.Paused = &paused
	}
	p.ClearPartition = false
	if p.ReplaceStrategy {
		p.StrategyType, p.ReplaceStrategy = nil, false
	}
	delete(p.Labels, LabelStableRevision)
	delete(p.Annotations, AnnotationDaemonSetStrategy)
}

func resumePatch(br BatchRelease, w Workload, opts BatchOptions) (p WorkloadPatch, write bool) {
	d := br.ReleasePlan.driver(w.WorkloadRef)
	plan := &br.ReleasePlan
	keep := keeps(&br, &w, opts)
	switch {
	case d == "":
		return p, false
	case d.blueGreen():
		if opts.Repair.Has(RollbackLeavesPaused) && frozenBySurge(plan, &w) {
			running := false
			p.Paused = &running
			return p, true
		}
		return giveBackSurge(d, plan, &w)
	case d == DriverCanary:
		paused := plan.BatchPartition != nil || opts.Repair.Has(DeletionFinishesRelease) && keep
		p.remove(AnnotationControlInfo)
		if p.Paused = &paused; !paused && opts.Repair.Has(NextReleaseUnmarked) {
			p.label(LabelStableRevision, nil)
		}
		return p, true
	}
	if d == DriverDeployment && (w.Annotations[AnnotationControlInfo] == "" || !w.Paused) {
		paused := opts.Repair.Has(RollbackLeavesPaused) && plan.BatchPartition == nil && w.Paused && w.Labels[LabelStableRevision] != ""
		if paused { // by admission, before the release could take it over
			p = ResumeDeployment(&w, keep, opts.Repair)
		}
		return p, paused
	}
	p.remove(AnnotationControlInfo)
	if plan.BatchPartition != nil {
		return p, true
	}
	running := false
	switch d {
	case DriverDeployment:
		return ResumeDeployment(&w, keep, opts.Repair), true
	case DriverCloneSet:
		p.Paused, p.ClearPartition = &running, !keep
	case DriverStatefulSet:
		p.ClearPartition = !keep
	case DriverDaemonSet:
		p.StrategyPaused, p.ClearPartition = &running, !opts.KeepPaused
		if opts.Repair.Has(DeletionFinishesRelease) {
			p.ClearPartition = !keep
		}
	case DriverNativeDaemonSet:
		p.remove(AnnotationDaemonSetRevision, AnnotationDaemonSetControl, AnnotationDaemonSetStrategy)
		if !keep {
			kind := w.Annotations[AnnotationDaemonSetStrategy]
			if kind == "" {
				kind = "RollingUpdate"
			}
			p.StrategyType, p.ReplaceStrategy = &kind, true
		}
	}
	return p, true
}

// keeps reports whether a workload stays as it is when it is given back before its
// release is done. Under [DeletionFinishesRelease] what has been rolled back does not.
func keeps(br *BatchRelease, w *Workload, opts BatchOptions) bool {
	if br.ReleasePlan.FinalizingPolicy == WaitResume {
		return false
	}
	if !opts.Repair.Has(DeletionFinishesRelease) {
		return opts.KeepPaused
	}
	to := w.UpdateRevision
	return to == "" || to != br.Status.StableRevision && to != w.StableRevision
}

// ResumeDeployment restores the strategy that was moved to the annotation.
func ResumeDeployment(w *Workload, keep bool, repair Quirks) (p WorkloadPatch) {
	p.Paused = &keep
	strategy, _ := ParseStrategy(w.Annotations[AnnotationStrategy])
	wasRecreate := w.Annotations[AnnotationOriginalStrategy] == recreated && repair.Has(RecreateNotRestored)
	if w.StrategyType == "Recreate" && !wasRecreate {
		rolling := "RollingUpdate"
		p.StrategyType = &rolling
		if ru := strategy.RollingUpdate; ru != nil {
			p.MaxSurge, p.MaxUnavailable = ru.MaxSurge, ru.MaxUnavailable
		}
	}
	p.remove(AnnotationControlInfo, AnnotationStrategy, AnnotationExtraStatus)
	if wasRecreate {
		p.remove(AnnotationOriginalStrategy)
	}
	p.label(LabelStableRevision, nil)
	p.label(LabelAdvanced, nil)
	return p
}

// frozenBySurge reports whether admission has paused a workload that was not prepared
// yet, or was given back before, so that there is nothing to restore but the pause ([RollbackLeavesPaused]).
func frozenBySurge(plan *ReleasePlan, w *Workload) bool {
	return plan.BatchPartition == nil && w.Paused && w.Annotations[AnnotationOriginalStrategy] == ""
}

// giveBackSurge restores what preparing overwrote, as long as it is known.
func giveBackSurge(d Driver, plan *ReleasePlan, w *Workload) (p WorkloadPatch, write bool) {
	text := w.Annotations[AnnotationOriginalStrategy]
	if plan.BatchPartition != nil || text == "" {
		return p, false
	}
	o, running := ParseOriginal(text), false
	p.MinReadySeconds, p.Paused = &o.MinReadySeconds, &running
	if o.MaxSurge != nil {
		p.MaxSurge = *o.MaxSurge
	}
	if o.MaxUnavailable != nil {
		p.MaxUnavailable = *o.MaxUnavailable
	}
	p.remove(AnnotationOriginalStrategy, AnnotationControlInfo)
	if d == DriverBlueGreenDeployment {
		p.ProgressDeadlineSeconds = o.ProgressDeadlineSeconds
		p.label(LabelStableRevision, nil)
	}
	return p, true
}

// giveBack appends what ends the release. The failure is not empty while it has to be
// repeated.
func (st *batchPass) giveBack() (failure string) {
	w := st.s.Workload
	if w == nil {
		return ""
	}
	plan := &st.s.Release.ReleasePlan
	p, write := ReleasePatch(st.s.Release, *w, st.opts)
	if write {
		st.add(BatchPatchWorkload{Workload: w.WorkloadRef, UID: w.UID, Patch: p, Reason: BatchReasonGiveBack})
	}
	waits := st.driver.blueGreen() && plan.BatchPartition == nil || st.driver == DriverCanary && plan.FinalizingPolicy == WaitResume
	waits = waits || st.driver == DriverDeployment && plan.FinalizingPolicy == WaitResume && st.opts.Repair.Has(LastStepNotAwaited)
	if waits && !releasedNext(plan, w, st.opts.Repair) {
		if hold, waiting := resumed(st.driver, w, write && st.driver.blueGreen()); waiting {
			st.p.Holds = append(st.p.Holds, hold)
			return "current release is not done: " + string(hold.Reason)
		}
	}
	if a := st.s.Autoscaler; st.driver.blueGreen() && plan.BatchPartition == nil && a != nil && a.TargetName == w.Name+AutoscalerSuffix {
		st.add(RetargetAutoscaler{Name: a.Name, From: a.TargetName, To: w.Name, Reason: BatchReasonGiveBack})
	}
	if st.driver == DriverCanary && st.s.Canary != nil {
		st.add(BatchSetFinalizer{
			Kind: "Deployment", Name: st.s.Canary.Name, UID: st.s.Canary.UID, Finalizer: FinalizerCanaryDeployment, Remove: true, Reason: BatchReasonGiveBack,
		})
	}
	return ""
}

// resumed says what a workload that was given back still has to do.
func resumed(d Driver, w *Workload, patched bool) (BatchHold, bool) {
	s := &w.Status
	replicas := w.replicas()
	allowed := w.limits().MaxUnavailable.Of(replicas)
	switch {
	case d == DriverDeployment:
		return unfinished(w)
	case patched || w.Paused:
		return BatchHold{Name: w.Name, Reason: ReasonNotResumed}, true
	case d == DriverBlueGreenCloneSet && s.ReadyReplicas != s.UpdatedReadyReplicas:
		return BatchHold{Name: w.Name, Reason: ReasonNotPromoted, Have: int64(s.UpdatedReadyReplicas), Limit: int64(s.ReadyReplicas)}, true
	case d == DriverBlueGreenCloneSet:
		return BatchHold{}, false
	case d == DriverBlueGreenDeployment && s.ReadyReplicas != s.UpdatedReplicas:
		return BatchHold{Name: w.Name, Reason: ReasonNotPromoted, Have: int64(s.UpdatedReplicas), Limit: int64(s.ReadyReplicas)}, true
	case d == DriverCanary && s.Replicas != s.UpdatedReplicas:
		return BatchHold{Name: w.Name, Reason: ReasonNotPromoted, Have: int64(s.UpdatedReplicas), Limit: int64(s.Replicas)}, true
	case int64(allowed)+int64(s.AvailableReplicas) < int64(replicas):
		return BatchHold{Name: w.Name, Reason: ReasonNotAvailable, Have: int64(s.AvailableReplicas), Limit: int64(replicas) - int64(allowed)}, true
	}
	return BatchHold{}, false
}

// unfinished says how many pods a Deployment that was given back still has to update,
// since the last step of its release has left them ([LastStepNotAwaited]).
func unfinished(w *Workload) (BatchHold, bool) {
	s, all := &w.Status, max(w.Status.Replicas, w.replicas())
	switch {
	case s.ObservedGeneration < w.Generation:
		return BatchHold{Name: w.Name, Reason: BatchReasonNotObserved, Have: s.ObservedGeneration, Limit: w.Generation}, true
	case s.UpdatedReplicas < all:
		return BatchHold{Name: w.Name, Reason: ReasonNotPromoted, Have: int64(s.UpdatedReplicas), Limit: int64(all)}, true
	}
	return BatchHold{}, false
}
