package kruise

import (
	"slices"

	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// close does one closing step, and reports whether the Rollout is closed.
func (st *pass) close(reason ClosingReason, waitReady bool) bool {
	if st.has(workload.RollbackLeavesPaused) && st.w != nil && !st.w.Consistent { // nothing is known of what is to be given back
		st.hold(ReasonWorkloadInconsistent, 0, 0)
		return false
	}
	if st.sub == nil && st.has(workload.RollbackLeavesPaused) && st.hasLeftovers() {
		st.restartSteps()
	}
	if st.sub == nil {
		return true
	}
	st.unmark(reason)
	if t := st.s.Shared; t != nil && slices.Contains(t.Finalizers, st.sharedFinalizer()) {
		st.add(SetFinalizer{Kind: "TrafficRouting", Name: t.Name, UID: t.UID, Finalizer: st.sharedFinalizer(), Remove: true, Reason: ReasonClosing})
	}
	st.resumeAbandoned(reason)
	style := st.r.Style()
	sequence := ClosingSequence(style, reason)
	s := st.sub
	if s.FinalisingStep == "" {
		s.FinalisingStep, s.LastUpdateTime = sequence[0], st.now
		st.closingStep(sequence[0], waitReady) // it is checked in the next pass
		return false
	}
	if s.FinalisingStep == FinalEnd {
		return true
	}
	if !s.FinalisingStep.known(style) {
		s.FinalisingStep = sequence[0]
		return false
	}
	since := s.LastUpdateTime
	if !st.closingStep(s.FinalisingStep, waitReady) {
		s.LastUpdateTime = since
		return false
	}
	s.LastUpdateTime, s.FinalisingStep = st.now, following(sequence, s.FinalisingStep)
	return s.FinalisingStep == FinalEnd
}

// hasLeftovers reports whether something of a release is left, although none is known: an update
// that was let in has not been noticed yet.
func (st *pass) hasLeftovers() bool {
	if st.w == nil {
		return false
	}
	pinned := st.stable != nil && st.stable.Selector[st.selectorKey()] != ""
	return st.w.InProgress || st.w.Labels[workload.LabelStableRevision] != "" || pinned
}

// unmark takes the mark of the release from the workload, but not that of another update.
// If that one cannot be released next since its stable revision is not known, and the
// workload has been given back, it does not wait either.
func (st *pass) unmark(reason ClosingReason) {
	if st.w == nil || !st.w.InProgress {
		return
	}
	patch := workload.Patch{}
	if st.markIsOfNextRelease(reason) {
		if st.w.Labels[workload.LabelStableRevision] != "" || !st.r.WorkloadRef.Traits().Paused {
			return
		}
		if st.br == nil || st.br.Status.Phase == batchrelease.PhaseCompleted {
			running := false
			patch.Paused = &running
		}
	}
	patch.RemoveAnnotations(workload.AnnotationInProgress)
	st.add(PatchWorkload{Workload: st.r.WorkloadRef, UID: st.w.UID, Patch: patch, Reason: ReasonClosing})
}

// markIsOfNextRelease reports whether the mark of the workload is that of another update
// than the one that is closed ([workload.NextReleaseUnmarked]): the template is another, or
// the mark appears in a later pass of the closing.
func (st *pass) markIsOfNextRelease(reason ClosingReason) bool {
	if !st.has(workload.NextReleaseUnmarked) || !st.w.InProgress {
		return false
	}
	changed := st.sub.Revision != st.w.CanaryRevision
	switch reason {
	case ClosingSuccess:
		return changed || st.sub.FinalisingStep != ""
	case ClosingRollback: // which goes on behind a step that the reset has written down
		return changed
	}
	return false
}

// resumeAbandoned gives a Deployment back that no BatchRelease drives any more
// ([workload.RollbackLeavesPaused]). A rollback that takes over the reset of a continuous
// release goes on behind the step that resumes it. One that comes before the BatchRelease
// has no such step, and neither has a Rollout that is deleted or disabled then. The
// Deployment still has the label of the stable revision, which giving back removes.
func (st *pass) resumeAbandoned(reason ClosingReason) {
	if !st.has(workload.RollbackLeavesPaused) || reason == ClosingSuccess || st.br != nil || st.w == nil || !st.r.WorkloadRef.Traits().Paused {
		return
	}
	if st.w.Labels[workload.LabelStableRevision] == "" || st.markIsOfNextRelease(reason) {
		return
	}
	w := workload.Workload{Ref: st.w.Ref, Annotations: st.w.Annotations, Paused: true}
	if w.Annotations[partition.AnnotationStrategy] != "" {
		w.StrategyType = "Recreate"
	}
	patch := st.restored(w, reason)
	st.add(PatchWorkload{Workload: st.r.WorkloadRef, UID: st.w.UID, Patch: patch, Reason: ReasonGiveBack})
}

// restored is what gives such a Deployment back. It is one that was taken over blue-green if
// its BatchRelease has seen the end of the release before it saw what it had written.
func (st *pass) restored(w workload.Workload, reason ClosingReason) workload.Patch {
	if st.r.Style() == workload.BlueGreen && w.Annotations[workload.AnnotationOriginalStrategy] != "" {
		br := batchrelease.Release{WorkloadRef: w.Ref, ReleasePlan: batchrelease.ReleasePlan{RollingStyle: workload.BlueGreen}}
		patch, _ := batchrelease.ReleasePatch(br, w, batchrelease.Options{Repair: st.opts.Repair})
		return patch
	}
	keep := reason != ClosingRollback && st.has(workload.DeletionFinishesRelease)
	return batchrelease.ResumeDeployment(w, keep, st.opts.Repair)
}

// repairInterrupted repairs what another template leaves behind that was taken back before its
// release began ([workload.RollbackLeavesPaused]): admission has paused the partition, and the reset for it has
// written down a closing step, behind which the closing would begin. A stable revision
// that was not known when the release began, since the workload was seen as it was
// before, is known now.
func (st *pass) repairInterrupted() {
	if !st.has(workload.RollbackLeavesPaused) {
		return
	}
	st.sub.FinalisingStep = ""
	if st.sub.StableRevision == "" {
		st.sub.StableRevision = st.w.StableRevision
	}
	strategy, err := partition.ParseStrategy(st.w.Annotations[partition.AnnotationStrategy])
	if err != nil || !strategy.Paused {
		return
	}
	strategy.Paused = false
	patch := workload.Patch{}
	patch.Annotate(partition.AnnotationStrategy, strategy.Text())
	st.add(PatchWorkload{Workload: st.r.WorkloadRef, UID: st.w.UID, Patch: patch, Reason: ReasonStep})
}

// beginClosing makes the closing of a Rollout that is deleted or disabled begin at its
// first step, wherever another closing was or had ended ([workload.RollbackLeavesPaused]).
func (st *pass) beginClosing() {
	phase := st.p.Status.Phase
	if st.has(workload.RollbackLeavesPaused) && st.sub != nil && st.r.Status.Phase != phase && (phase == PhaseTerminating || phase == PhaseDisabling) {
		st.sub.FinalisingStep = ""
	}
}

// closingStep reports whether one closing step is done.
func (st *pass) closingStep(step FinalisingStep, waitReady bool) bool {
	switch step {
	case FinalRestoreStable:
		return st.restoreStable()
	case FinalRouteToStable:
		return st.restoreGateway()
	case FinalRouteToNew:
		return st.routeAllToNew()
	case FinalRemoveCanary:
		return st.removeCanary()
	case FinalResume:
		return st.resume(waitReady)
	case FinalRelease:
		return st.deleteRelease()
	}
	st.p.Failure = "closing step " + string(step) + " never ends"
	return false
}

// closeGone restores the traffic of a workload that is gone ([workload.TrafficLeftBehind]), and reports whether
// that is done.
func (st *pass) closeGone() bool {
	if st.sub == nil {
		return true
	}
	st.w = &workload.State{RevisionLabelKey: st.selectorKey()}
	defer func() { st.w = nil }()
	done := st.cleanUp() && st.deleteRelease()
	if !done && st.p.RecheckAt.IsZero() {
		st.recheckAfter(recheck)
	}
	return done
}

// selectorKey returns the key of the revision in the selector of the stable Service.
func (st *pass) selectorKey() string {
	if s := st.stable; s != nil {
		for _, key := range []string{workload.LabelPodTemplateHash, workload.LabelControllerRevision} {
			if s.Selector[key] != "" {
				return key
			}
		}
	}
	return workload.LabelPodTemplateHash
}
