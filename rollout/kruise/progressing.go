// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/condition"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// progressing acts on the reason of the condition Progressing.
func (st *pass) progressing(n outcome) outcome {
	if st.w == nil || !st.w.Consistent {
		return n
	}
	c := condition.Find(n.status.Conditions, workload.ConditionProgressing)
	if c == nil {
		return n
	}
	switch c.Reason {
	case ProgressInitializing:
		return st.initializing(n, c.LastUpdateTime)
	case ProgressInRolling:
		return st.rolling(n)
	case ProgressPaused:
		if st.r.Paused {
			n.hold(reason.Paused, 0, 0)
			return n
		}
		n.progress("True", ProgressInRolling, "")
	case ProgressFinalising:
		return st.closing(n, ClosingSuccess, true, "Rollout progressing has been completed", "True")
	case ProgressCancelling:
		resumes := st.has(quirk.DeletionFinishesRelease) // even if another template has come by now
		return st.closing(n, ClosingRollback, resumes, "Rollout progressing has been canceled", "False")
	case ProgressCompleted:
		n.status.Phase = PhaseHealthy
	}
	return n
}

func (st *pass) closing(n outcome, reason ClosingReason, wait bool, message string, succeeded kplan.ConditionStatus) outcome {
	n, closed := st.close(n, reason, wait)
	if closed {
		n.progress("False", ProgressCompleted, message)
		n.set(workload.ConditionSucceeded, succeeded, "", "")
	}
	return n
}

// initializing sets a new status of the steps. It waits a few seconds, so that other controllers
// see the change of the workload.
func (st *pass) initializing(n outcome, since time.Time) outcome {
	if st.has(quirk.ReleaseOfWhatIsThere) && !st.w.InProgress { // it is seen as it was before the update
		n.hold(reason.NoUpdate, 0, 0)
		if n.status.Phase == PhaseProgressing { // and not about to be disabled or deleted
			n.status.Phase = PhaseHealthy
		}
		return n
	}
	n.sub, n.begun = st.restarted(), true
	if st.has(quirk.ReleaseOfWhatIsThere) && st.w.InRollback && st.w.StableRevision == st.w.PodTemplateHash {
		n.progress("True", ProgressCancelling, "The workload has been rolled back and the rollout process will be canceled")
		return n
	}
	if missing := st.trafficMissing(); missing != "" {
		n.hold(reason.TrafficMissing, 0, 0)
		n.failure = missing + " not found"
		return n
	}
	if due := since.Add(recheck); due.After(st.now) {
		n.hold(reason.Initializing, int64(st.now.Sub(since).Seconds()), int64(recheck.Seconds()))
		n.recheckAfter(recheck)
		return n
	}
	n, shared := st.shareRouting(n)
	if shared {
		n.progress("True", ProgressInRolling, "Rollout is in Progressing")
	}
	return n
}

// shareRouting adds our finalizer to the TrafficRouting that the Rollout names. The second
// result is false until it is there.
func (st *pass) shareRouting(n outcome) (outcome, bool) {
	name := st.r.Annotations[workload.AnnotationTrafficRouting]
	if name == "" {
		return n, true
	}
	t := st.s.Shared
	switch {
	case t == nil:
		n.failure = "traffic routing " + name + " not found"
		return n, false
	case t.Phase == "Finalizing" || t.Phase == "Terminating":
		n.hold(reason.SharedRouting, 0, 0)
	case slices.Contains(t.Finalizers, st.sharedFinalizer()):
		return n, true
	default:
		n.writes[writeSharedRouting] = st.setShared(false, reason.SharedRouting)
	}
	n.recheckAfter(recheck)
	return n, false
}

// setShared adds our finalizer to the TrafficRouting, or removes it.
func (st *pass) setShared(remove bool, reason kplan.Reason) Action {
	t := st.s.Shared
	return SetFinalizer{Kind: "TrafficRouting", Name: t.Name, UID: t.UID, Finalizer: st.sharedFinalizer(), Remove: remove, Reason: reason}
}

func (st *pass) sharedFinalizer() string { return "progressing.rollouts.kruise.io/" + st.r.Name }

// rolling handles events such as a rollback, a new template or a changed plan. Without an event it
// runs the current step. The first case that applies counts.
func (st *pass) rolling(n outcome) outcome {
	if !n.begun {
		n.failure = "status of the steps is missing"
		return n
	}
	w, read := st.w, st.r.Status.Sub
	changed := read.Revision != w.CanaryRevision
	switch {
	case w.InRollback && (changed || st.empty()) && !st.inBatches():
		n.sub.Revision = w.CanaryRevision
		n.event("workload has been rollback, then rollout is canceled")
		n.progress("True", ProgressCancelling, "The workload has been rolled back and the rollout process will be canceled")
	case st.r.Paused:
		n.progress("True", ProgressPaused, "Rollout has been paused, you can resume it by kube-cli")
		n.hold(reason.Paused, 0, 0)
	case w.InRollback && changed:
		n.sub.Revision, n.sub.RolloutHash, n.sub.LastUpdateTime = w.CanaryRevision, st.hash, st.now
		n.sub.CurrentStepIndex, n.sub.NextStepIndex, n.sub.CurrentStepState = 1, NextStep(st.steps(), 1), StateBeforeUpgrade
	case read.Revision != "" && changed && !w.InRollback:
		return st.continuous(n)
	case read.RolloutHash != "" && read.RolloutHash != st.hash:
		n.sub = st.planChanged(n.sub)
	case read.CurrentStepState == StateCompleted:
		n.progress("True", ProgressFinalising, "Rollout has been completed and some closing work is being done")
	default:
		return st.stepMachine(st.repairInterrupted(n))
	}
	return n
}

// inBatches reports whether a rollback goes through the steps as well.
func (st *pass) inBatches() bool {
	stateful := st.r.WorkloadRef.Traits().RollbackInBatches || strings.EqualFold(st.w.Labels[workload.LabelWorkloadType], "statefulset")
	return len(st.r.Strategy().TrafficRoutings) == 0 && stateful && st.r.Annotations[workload.AnnotationRollbackInBatch] == "true"
}

// RecalculateStep returns the step with which a Rollout with changed steps continues. It tries the
// current step, then the others in order, and returns the first step that covers the released batch.
// If none does, it returns the last step that it has tried. Without a BatchRelease it returns the
// first step.
func RecalculateStep(steps []Step, br *batchrelease.Release, replicas, current int32) int32 {
	if br == nil || len(steps) == 0 {
		return 1
	}
	batch := int32(0) // without a BatchPartition, where upstream crashes
	if p := br.ReleasePlan.BatchPartition; p != nil {
		batch = *p
	}
	var released int64
	if batch >= 0 && int(batch) < len(br.ReleasePlan.Batches) {
		released = br.ReleasePlan.Batches[batch].CanaryReplicas.OfUp64(replicas)
	}
	covers := func(i int32) bool {
		return i >= 1 && int(i) <= len(steps) && released <= steps[i-1].Replicas.OfUp64(replicas)
	}
	if covers(current) {
		return current
	}
	last := current
	for i := int32(1); int(i) <= len(steps); i++ {
		if covers(i) {
			return i
		}
		if i != current {
			last = i
		}
	}
	return max(1, min(last, int32(len(steps))))
}

// planChanged continues with the changed step that covers the released batch.
func (st *pass) planChanged(sub StepStatus) StepStatus {
	target := RecalculateStep(st.r.Strategy().Steps, st.s.BatchRelease, st.w.Replicas, sub.CurrentStepIndex)
	sub.RolloutHash, sub.LastUpdateTime = st.hash, st.now
	if sub.NextStepIndex == target {
		sub.CurrentStepState = StateReady
		return sub
	}
	sub.NextStepIndex = target
	sub, _ = st.jump(sub)
	return sub
}

// continuous begins the release again if the template has changed during the release.
func (st *pass) continuous(n outcome) outcome {
	n.event("workload continuous publishing canaryRevision, then restart publishing")
	if st.r.Style() == workload.BlueGreen {
		n.status.Message = "new version releasing detected in the progress of blue-green release, please rollback first"
		n.hold(reason.RollbackFirst, 0, 0)
		return n
	}
	n, done := st.reset(n)
	if !done {
		n.recheckAfter(recheck)
		return n
	}
	n.sub, n.begun = StepStatus{}, false
	n.progress("True", ProgressInitializing, "Workload is continuous release")
	return n
}

// reset takes the traffic and the BatchRelease back, and keeps the workload. The second
// result is false until that is done.
func (st *pass) reset(n outcome) (outcome, bool) {
	var done bool
	if len(st.r.Strategy().TrafficRoutings) == 0 {
		return st.deleteRelease(n)
	}
	switch n.sub.FinalisingStep {
	default:
		n.sub.FinalisingStep = FinalRouteToStable
		fallthrough
	case FinalRouteToStable:
		if n, done = st.restoreGateway(n); !done {
			return n, false
		}
		n.sub.LastUpdateTime, n.sub.FinalisingStep = st.now, FinalRelease
		fallthrough
	case FinalRelease:
		if n, done = st.deleteRelease(n); !done {
			return n, false
		}
		n.sub.LastUpdateTime, n.sub.FinalisingStep = st.now, FinalRemoveCanary
		fallthrough
	case FinalRemoveCanary:
		n, _ = st.removeCanary(n)
	}
	return n, true
}

// empty reports whether the release is one of the stable template itself ([quirk.ReleaseOfWhatIsThere]).
func (st *pass) empty() bool {
	return st.has(quirk.ReleaseOfWhatIsThere) && st.r.WorkloadRef.Traits().Paused
}
