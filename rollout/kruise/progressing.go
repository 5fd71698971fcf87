package kruise

import (
	"slices"
	"strings"

	"github.com/kplan-go/kplan/internal/condition"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/selector"
)

// progressing acts on the reason of the condition Progressing.
func (st *pass) progressing() {
	if st.w == nil || !st.w.Consistent {
		return
	}
	c := condition.Find(st.p.Status.Conditions, workload.ConditionProgressing)
	if c == nil {
		return
	}
	switch c.Reason {
	case ProgressInitializing:
		st.initializing(c)
	case ProgressInRolling:
		st.rolling()
	case ProgressPaused:
		if st.r.Paused {
			st.hold(ReasonPaused, 0, 0)
			return
		}
		st.condition(workload.ConditionProgressing, "True", ProgressInRolling, "")
	case ProgressFinalising:
		st.closing(ClosingSuccess, true, "Rollout progressing has been completed", "True")
	case ProgressCancelling:
		resumes := st.has(workload.DeletionFinishesRelease) // even if another template has come by now
		st.closing(ClosingRollback, resumes, "Rollout progressing has been canceled", "False")
	case ProgressCompleted:
		st.p.Status.Phase = PhaseHealthy
	}
}

func (st *pass) closing(reason ClosingReason, wait bool, message string, succeeded selector.ConditionStatus) {
	if !st.close(reason, wait) {
		if st.p.Failure == "" {
			st.recheckAfter(recheck)
		}
		return
	}
	st.condition(workload.ConditionProgressing, "False", ProgressCompleted, message)
	st.set(workload.ConditionSucceeded, succeeded, "", "")
}

// initializing starts with a fresh status, and waits a little so that the workload's
// other observers can catch up.
func (st *pass) initializing(c *workload.Condition) {
	if st.has(workload.ReleaseOfWhatIsThere) && !st.w.InProgress { // it is seen as it was before the update
		st.hold(ReasonNoUpdate, 0, 0)
		if st.p.Status.Phase == PhaseProgressing { // and not about to be disabled or deleted
			st.p.Status.Phase = PhaseHealthy
		}
		return
	}
	if st.has(workload.ReleaseOfWhatIsThere) && st.w.InRollback && st.w.StableRevision == st.w.PodTemplateHash {
		st.restartSteps()
		st.condition(workload.ConditionProgressing, "True", ProgressCancelling, "The workload has been rolled back and the rollout process will be canceled")
		return
	}
	st.restartSteps()
	if !st.routable() {
		return
	}
	if due := c.LastUpdateTime.Add(recheck); due.After(st.now) {
		st.hold(ReasonInitializing, int64(st.now.Sub(c.LastUpdateTime).Seconds()), int64(recheck.Seconds()))
		st.recheckAfter(recheck)
		return
	}
	if !st.shareRouting() {
		return
	}
	st.condition(workload.ConditionProgressing, "True", ProgressInRolling, "Rollout is in Progressing")
}

// restartSteps makes the status that of a release that begins.
func (st *pass) restartSteps() {
	st.sub = &StepStatus{
		ObservedRolloutID: st.w.RolloutID(st.opts.Repair), ObservedWorkloadGeneration: st.w.Generation, RolloutHash: st.hash,
		StableRevision: st.w.StableRevision, Revision: st.w.CanaryRevision, CurrentStepIndex: 1,
		NextStepIndex: NextStep(st.steps(), 1), CurrentStepState: StateBeforeUpgrade, LastUpdateTime: st.now,
	}
}

// shareRouting adds our finalizer to the TrafficRouting that the Rollout names.
func (st *pass) shareRouting() bool {
	name := st.r.Annotations[workload.AnnotationTrafficRouting]
	if name == "" {
		return true
	}
	t := st.s.Shared
	switch {
	case t == nil:
		st.p.Failure = "traffic routing " + name + " not found"
		return false
	case t.Phase == "Finalizing" || t.Phase == "Terminating":
		st.hold(ReasonSharedRouting, 0, 0)
		st.recheckAfter(recheck)
		return false
	case slices.Contains(t.Finalizers, st.sharedFinalizer()):
		return true
	}
	st.add(SetFinalizer{Kind: "TrafficRouting", Name: t.Name, UID: t.UID, Finalizer: st.sharedFinalizer(), Reason: ReasonSharedRouting})
	st.recheckAfter(recheck)
	return false
}

func (st *pass) sharedFinalizer() string { return "progressing.rollouts.kruise.io/" + st.r.Name }

// rolling treats what changes the course, else drives the steps. The first
// case counts.
func (st *pass) rolling() {
	if st.sub == nil {
		st.p.Failure = "status of the steps is missing"
		return
	}
	w, read := st.w, st.r.Status.Sub
	changed := read.Revision != w.CanaryRevision
	switch {
	case w.InRollback && (changed || st.empty()) && !st.inBatches():
		st.sub.Revision = w.CanaryRevision
		st.event("workload has been rollback, then rollout is canceled")
		st.condition(workload.ConditionProgressing, "True", ProgressCancelling, "The workload has been rolled back and the rollout process will be canceled")
	case st.r.Paused:
		st.condition(workload.ConditionProgressing, "True", ProgressPaused, "Rollout has been paused, you can resume it by kube-cli")
		st.hold(ReasonPaused, 0, 0)
	case w.InRollback && changed:
		st.sub.Revision, st.sub.RolloutHash, st.sub.LastUpdateTime = w.CanaryRevision, st.hash, st.now
		st.sub.CurrentStepIndex, st.sub.NextStepIndex, st.sub.CurrentStepState = 1, NextStep(st.steps(), 1), StateBeforeUpgrade
	case read.Revision != "" && changed && !w.InRollback:
		st.continuous()
	case read.RolloutHash != "" && read.RolloutHash != st.hash:
		st.planChanged()
	case read.CurrentStepState == StateCompleted:
		st.condition(workload.ConditionProgressing, "True", ProgressFinalising, "Rollout has been completed and some closing work is being done")
	default:
		st.repairInterrupted()
		st.stepMachine()
	}
}

// inBatches reports whether a rollback goes through the steps as well.
func (st *pass) inBatches() bool {
	stateful := st.r.WorkloadRef.Traits().RollbackInBatches || strings.EqualFold(st.w.Labels[workload.LabelWorkloadType], "statefulset")
	return len(st.r.Strategy().TrafficRoutings) == 0 && stateful && st.r.Annotations[workload.AnnotationRollbackInBatch] == "true"
}

// RecalculateStep returns the step that a Rollout of changed steps continues with:
// the first, beginning with the current one, that covers the batch that
// is released. If none does it is the last one but the current one. Without a
// BatchRelease it is the first step.
func RecalculateStep(steps []Step, br *batchrelease.Release, replicas, current int32) int32 {
	if br == nil || len(steps) == 0 {
		return 1
	}
	batch := int32(0) // where upstream crashes
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

func (st *pass) planChanged() {
	target := RecalculateStep(st.r.Strategy().Steps, st.br, st.w.Replicas, st.sub.CurrentStepIndex)
	st.sub.RolloutHash, st.sub.LastUpdateTime = st.hash, st.now
	if st.sub.NextStepIndex == target {
		st.sub.CurrentStepState = StateReady
		return
	}
	st.sub.NextStepIndex = target
	st.jump()
}

// continuous starts anew with a template that changed in the middle.
func (st *pass) continuous() {
	st.event("workload continuous publishing canaryRevision, then restart publishing")
	if st.r.Style() == workload.BlueGreen {
		st.p.Status.Message = "new version releasing detected in the progress of blue-green release, please rollback first"
		st.hold(ReasonRollbackFirst, 0, 0)
		return
	}
	if !st.reset() {
		if st.p.Failure == "" {
			st.recheckAfter(recheck)
		}
		return
	}
	st.sub = nil
	st.condition(workload.ConditionProgressing, "True", ProgressInitializing, "Workload is continuous release")
}

// reset takes the traffic and the BatchRelease back, and keeps the workload.
func (st *pass) reset() bool {
	if len(st.r.Strategy().TrafficRoutings) == 0 {
		return st.deleteRelease()
	}
	switch st.sub.FinalisingStep {
	default:
		st.sub.FinalisingStep = FinalRouteToStable
		fallthrough
	case FinalRouteToStable:
		if !st.restoreGateway() {
			return false
		}
		st.sub.LastUpdateTime, st.sub.FinalisingStep = st.now, FinalRelease
		fallthrough
	case FinalRelease:
		if !st.deleteRelease() {
			return false
		}
		st.sub.LastUpdateTime, st.sub.FinalisingStep = st.now, FinalRemoveCanary
		fallthrough
	case FinalRemoveCanary:
		st.removeCanary()
	}
	return true
}

// empty reports whether the release is one of the stable template itself ([workload.ReleaseOfWhatIsThere]).
func (st *pass) empty() bool {
	return st.has(workload.ReleaseOfWhatIsThere) && st.r.WorkloadRef.Traits().Paused
}
