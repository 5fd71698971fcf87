// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"slices"

	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// close does one closing step of a Rollout. The second result reports whether all closing steps are
// done; if not, the Rollout is planned again soon.
func (st *pass) close(n outcome, why ClosingReason, waitReady bool) (outcome, bool) {
	n, closed := st.closeOnce(n, why, waitReady)
	if !closed && n.failure == "" {
		n.recheckAfter(recheck)
	}
	return n, closed
}

func (st *pass) closeOnce(n outcome, why ClosingReason, waitReady bool) (outcome, bool) {
	if st.has(quirk.RollbackLeavesPaused) && st.w != nil && !st.w.Consistent { // the state of the workload is unknown
		n.hold(reason.WorkloadInconsistent, 0, 0)
		return n, false
	}
	if !n.begun && st.has(quirk.RollbackLeavesPaused) && st.hasLeftovers() {
		n.sub, n.begun = st.restarted(), true
	}
	if !n.begun {
		return n, true
	}
	n.writes[writeMark] = st.unmark(&n, why)
	if t := st.s.Shared; t != nil && slices.Contains(t.Finalizers, st.sharedFinalizer()) {
		n.writes[writeSharedRouting] = st.setShared(true, reason.Closing)
	}
	n.writes[writeAbandoned] = st.resumeAbandoned(&n, why)
	sequence := ClosingSequence(st.r.Style(), why)
	switch step := n.sub.FinalisingStep; {
	case step == "":
		n.sub.FinalisingStep, n.sub.LastUpdateTime = sequence[0], st.now
		n, _ = st.closingStep(n, waitReady) // it is checked in the next pass
		return n, false
	case step == FinalEnd:
		return n, true
	case !step.known(st.r.Style()):
		n.sub.FinalisingStep = sequence[0]
		return n, false
	}
	since, done := n.sub.LastUpdateTime, false
	if n, done = st.closingStep(n, waitReady); !done {
		n.sub.LastUpdateTime = since
		return n, false
	}
	n.sub.LastUpdateTime, n.sub.FinalisingStep = st.now, following(sequence, n.sub.FinalisingStep)
	return n, n.sub.FinalisingStep == FinalEnd
}

// hasLeftovers reports whether something of a release is left, although none is known: an update
// that was let in has not been noticed yet, or a BatchRelease was created and the status that
// tells of it was not written.
func (st *pass) hasLeftovers() bool {
	if st.w == nil {
		return false
	}
	stable := st.s.Traffic.Stable
	pinned := stable != nil && stable.Selector[selectorKey(stable)] != ""
	br := st.s.BatchRelease
	return st.w.InProgress || st.w.Labels[workload.LabelStableRevision] != "" || pinned || br != nil && br.DeletionTimestamp.IsZero()
}

// unmark takes the mark of the release from the workload, unless the mark belongs to another
// update. If that update cannot be released next because its stable revision is unknown, and
// the workload has been given back, the workload resumes.
func (st *pass) unmark(n *outcome, why ClosingReason) Action {
	if st.w == nil || !st.w.InProgress {
		return nil
	}
	patch := workload.Patch{}
	if st.markIsOfNextRelease(&n.sub, why) {
		if st.w.Labels[workload.LabelStableRevision] != "" || !st.r.WorkloadRef.Traits().Paused {
			return nil
		}
		if n.br == nil || n.br.Status.Phase == batchrelease.PhaseCompleted {
			running := false
			patch.Paused = &running
		}
	}
	patch.RemoveAnnotations(workload.AnnotationInProgress)
	return st.patch(patch, reason.Closing)
}

// markIsOfNextRelease reports whether the mark of the workload belongs to another update than
// the closed one ([quirk.NextReleaseUnmarked]): the template is another, or the mark appears
// in a later pass of the closing.
func (st *pass) markIsOfNextRelease(sub *StepStatus, why ClosingReason) bool {
	if !st.has(quirk.NextReleaseUnmarked) || !st.w.InProgress {
		return false
	}
	changed := sub.Revision != st.w.CanaryRevision
	switch why {
	case ClosingSuccess:
		return changed || sub.FinalisingStep != ""
	case ClosingRollback: // continues after the step that the reset has recorded
		return changed
	}
	return false
}

// resumeAbandoned gives a Deployment back that no BatchRelease drives any more
// ([quirk.RollbackLeavesPaused]). A rollback that takes over the reset of a continuous
// release continues after the step that resumes the Deployment. A rollback before the
// BatchRelease exists has no such step, nor has a Rollout that is deleted or disabled at that
// time. The Deployment still has the label of the stable revision, which giving back removes.
func (st *pass) resumeAbandoned(n *outcome, why ClosingReason) Action {
	if !st.has(quirk.RollbackLeavesPaused) || why == ClosingSuccess || n.br != nil || st.w == nil || !st.r.WorkloadRef.Traits().Paused {
		return nil
	}
	if st.w.Labels[workload.LabelStableRevision] == "" || st.markIsOfNextRelease(&n.sub, why) {
		return nil
	}
	w := workload.Workload{Ref: st.w.Ref, Annotations: st.w.Annotations, Paused: true}
	if w.Annotations[partition.AnnotationStrategy] != "" {
		w.StrategyType = "Recreate"
	}
	return st.patch(st.restored(w, why), reason.GiveBack)
}

// restored returns the patch that gives such a Deployment back. A blue-green one still has its
// original strategy in an annotation if its BatchRelease has seen the end of the release before
// its own writes.
func (st *pass) restored(w workload.Workload, why ClosingReason) workload.Patch {
	if st.r.Style() == workload.BlueGreen && w.Annotations[workload.AnnotationOriginalStrategy] != "" {
		br := batchrelease.Release{WorkloadRef: w.Ref, ReleasePlan: batchrelease.ReleasePlan{RollingStyle: workload.BlueGreen}}
		patch, _ := batchrelease.ReleasePatch(br, w, batchrelease.Options{Repair: st.opts.Repair})
		return patch
	}
	keep := why != ClosingRollback && st.has(quirk.DeletionFinishesRelease)
	return batchrelease.ResumeDeployment(w, keep, st.opts.Repair)
}

// repairInterrupted cleans up after a template that was taken back before its release began
// ([quirk.RollbackLeavesPaused]): admission has paused the partition, and the reset for that
// template has recorded a closing step, from which the closing would start. It also sets a
// stable revision that was unknown at the begin of the release, when the state of the workload
// was stale.
func (st *pass) repairInterrupted(n outcome) outcome {
	if !st.has(quirk.RollbackLeavesPaused) {
		return n
	}
	n.sub.FinalisingStep = ""
	if n.sub.StableRevision == "" {
		n.sub.StableRevision = st.w.StableRevision
	}
	strategy, err := partition.ParseStrategy(st.w.Annotations[partition.AnnotationStrategy])
	if err != nil || !strategy.Paused {
		return n
	}
	strategy.Paused = false
	patch := workload.Patch{}
	patch.Annotate(partition.AnnotationStrategy, strategy.Text())
	n.writes[writeMark] = st.patch(patch, reason.Step)
	return n
}

// closingBegins reports whether the closing of a Rollout that is deleted or disabled begins
// in the next pass. It then begins at its first step, even if another closing was under way or
// had ended ([quirk.RollbackLeavesPaused]).
func (st *pass) closingBegins(phase Phase) bool {
	return st.has(quirk.RollbackLeavesPaused) && st.ends(phase)
}

// closingStep runs the current closing step. The second result reports whether it is done.
func (st *pass) closingStep(n outcome, waitReady bool) (outcome, bool) {
	switch n.sub.FinalisingStep {
	case FinalRestoreStable:
		return st.restoreStable(n)
	case FinalRouteToStable:
		return st.restoreGateway(n)
	case FinalRouteToNew:
		return st.routeAllToNew(n)
	case FinalRemoveCanary:
		return st.removeCanary(n)
	case FinalResume:
		return st.resume(n, waitReady)
	case FinalRelease:
		return st.deleteRelease(n)
	}
	n.failure = "closing step " + string(n.sub.FinalisingStep) + " never ends"
	return n, false
}

// closeGone restores the traffic of a workload that is gone ([quirk.TrafficLeftBehind]).
// The second result reports whether that is done.
func (st *pass) closeGone(n outcome) (outcome, bool) {
	if !n.begun {
		return n, true
	}
	gone := *st
	gone.w = &workload.State{RevisionLabelKey: selectorKey(n.stable)}
	n, done := gone.cleanUp(n)
	if done {
		n, done = gone.deleteRelease(n)
	}
	if !done && n.recheckAt.IsZero() {
		n.recheckAfter(recheck)
	}
	return n, done
}

// selectorKey returns the key of the revision in the selector of the stable Service.
func selectorKey(stable *traffic.Service) string {
	if stable != nil {
		for _, key := range []string{workload.LabelPodTemplateHash, workload.LabelControllerRevision} {
			if stable.Selector[key] != "" {
				return key
			}
		}
	}
	return workload.LabelPodTemplateHash
}
