// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/condition"
	"github.com/kplan-go/kplan/internal/base/quirkset"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// Reconcile returns the next step of the Rollout in s at the time now. It performs nothing. The
// error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError] for each invalid field.
func Reconcile(s Snapshot, now time.Time, opts Options) (Plan, error) {
	if err := admit(&s, now, opts); err != nil {
		return Plan{}, err
	}
	st := &pass{s: &s, r: &s.Rollout, w: s.Workload, now: now.Round(0).UTC(), opts: opts, hash: StrategyHash(s.Rollout)}
	n := st.next()
	return n.plan(), nil
}

// next returns the result of the pass: the new phase by the state of the cluster, and the
// work of the phase that was read.
func (st *pass) next() outcome {
	n := st.keep(outcome{now: st.now, br: st.s.BatchRelease, stable: st.s.Traffic.Stable, grace: st.s.Grace})
	n.writes[writeFinalizer] = st.finalizer()
	if st.gone() {
		return n
	}
	n.writes[writeWorkloadType], n.writes[writeHash] = st.workloadType(), st.strategyHash()
	n, known := st.calculate(n)
	if !known {
		return n
	}
	return st.finish(st.act(n))
}

// keep returns n with the status of the snapshot.
func (st *pass) keep(n outcome) outcome {
	n.status, n.sub, n.begun = st.r.Status, StepStatus{}, false
	n.status.Conditions, n.status.Sub = slices.Clone(n.status.Conditions), nil
	if sub := st.r.Status.Sub; sub != nil {
		n.sub, n.begun = *sub, true
	}
	return n
}

func admit(s *Snapshot, now time.Time, opts Options) error {
	var es kplan.FieldErrors
	quirkset.Check(&es, uint64(opts.Repair), uint64(quirk.All))
	if now.IsZero() {
		es.Add("now", now, "must be set")
	}
	if s.Rollout.Name == "" {
		es.Add("Rollout.Name", "", "must be set")
	}
	if strategy := s.Rollout.Strategy(); strategy == nil {
		es.Add("Rollout.Canary", nil, "must be set, or BlueGreen must")
	} else if len(strategy.Steps) == 0 {
		es.Add("Rollout.Steps", 0, "must hold at least one step")
	}
	if _, err := workload.DriverOf(s.Rollout.WorkloadRef, s.Rollout.Style()); err != nil {
		es.Add("Rollout.WorkloadRef", s.Rollout.WorkloadRef.GroupKind(), workload.KnownKinds)
	}
	if s.Workload != nil {
		es.NotNegative("Workload.Replicas", s.Workload.Replicas)
	}
	return es.Join()
}

// gone reports whether the Rollout is closed, so that nothing but the finalizer keeps it.
func (st *pass) gone() bool {
	c := condition.Find(st.r.Status.Conditions, workload.ConditionTerminating)
	return !st.r.DeletionTimestamp.IsZero() && c != nil && c.Reason == ProgressCompleted && slices.Contains(st.r.Finalizers, workload.FinalizerRollout)
}

// finalizer returns the action that sets the finalizer, or removes it at the end, or nil.
func (st *pass) finalizer() Action {
	gone := st.gone()
	if !gone && (!st.r.DeletionTimestamp.IsZero() || slices.Contains(st.r.Finalizers, workload.FinalizerRollout)) {
		return nil
	}
	return SetFinalizer{Kind: "Rollout", Name: st.r.Name, UID: st.r.UID, Finalizer: workload.FinalizerRollout, Remove: gone, Reason: reason.Finalizer}
}

// workloadType returns the action that writes the type of the workload, nil if it is set.
func (st *pass) workloadType() Action {
	if st.w == nil || !st.w.Consistent || st.w.Labels[workload.LabelWorkloadType] != "" {
		return nil
	}
	kind, patch := strings.ToLower(st.r.WorkloadRef.Kind), workload.Patch{}
	patch.Label(workload.LabelWorkloadType, &kind)
	return st.patch(patch, reason.WorkloadType)
}

// patch changes the workload.
func (st *pass) patch(p workload.Patch, reason kplan.Reason) Action {
	return PatchWorkload{Workload: st.r.WorkloadRef, UID: st.w.UID, Patch: p, Reason: reason}
}

// strategyHash returns the action that writes the hash of the strategy, nil if it has not
// changed.
func (st *pass) strategyHash() Action {
	if st.r.Annotations[workload.AnnotationHash] == st.hash {
		return nil
	}
	return PatchRollout{Name: st.r.Name, UID: st.r.UID, Annotations: map[string]string{workload.AnnotationHash: st.hash}, Reason: reason.Hash}
}

// calculate derives the next phase from the state of the cluster. The second result is false
// if that is unknown, so that the status is kept.
func (st *pass) calculate(n outcome) (outcome, bool) {
	n.status.ObservedGeneration = st.r.Generation
	if !st.r.DeletionTimestamp.IsZero() {
		if n.status.Phase != PhaseTerminating {
			n.status.Phase = PhaseTerminating
			n.set(workload.ConditionTerminating, "True", ProgressTerminating, "Rollout is in terminating")
		}
		return n, true
	}
	if st.r.Disabled && n.status.Phase != PhaseDisabled && n.status.Phase != PhaseDisabling {
		n.status.Phase, n.status.Message = PhaseDisabled, "Rollout is disabled"
		if st.r.Status.Phase == PhaseProgressing {
			n.status.Phase, n.status.Message = PhaseDisabling, "Disabling rollout, release resources"
		}
	}
	if n.status.Phase == "" {
		n.status.Phase = PhaseInitial
	}
	if st.w == nil {
		return st.workloadGone(n), true
	}
	if !st.w.Consistent {
		n = st.keep(n)
		n.hold(reason.WorkloadInconsistent, 0, 0)
		n.recheckAfter(recheck)
		return n, false
	}
	if n.begun && n.sub.Revision != "" && n.sub.Revision == st.w.CanaryRevision {
		n.sub.ObservedRolloutID = st.w.RolloutID(st.opts.Repair)
		n.sub.ObservedWorkloadGeneration = st.w.Generation
	}
	return st.nextPhase(n), true
}

// workloadGone drops the status of a Rollout without a workload.
func (st *pass) workloadGone(n outcome) outcome {
	n.hold(reason.WorkloadNotFound, 0, 0)
	if st.r.Disabled {
		return n
	}
	if st.has(quirk.TrafficLeftBehind) && st.r.Status.Phase == PhaseProgressing {
		closed := false
		if n, closed = st.closeGone(n); !closed {
			return n
		}
	}
	n.status = Status{ObservedGeneration: st.r.Generation, Phase: PhaseInitial, Message: "Workload Not Found"}
	n.sub, n.begun = StepStatus{}, false
	return n
}

func (st *pass) nextPhase(n outcome) outcome {
	switch phase := n.status.Phase; {
	case phase == PhaseInitial, phase == PhaseDisabled && !st.r.Disabled:
		n.status.Phase, n.status.Message = PhaseHealthy, "rollout is healthy"
	case phase == PhaseHealthy:
		return st.healthy(n)
	}
	return n
}

// healthy detects a release, or takes a new workload for a finished one.
func (st *pass) healthy(n outcome) outcome {
	if st.w.InProgress {
		n.status.Phase = PhaseProgressing
		n.status.Conditions = condition.Without(n.status.Conditions, workload.ConditionProgressing)
		n.set(workload.ConditionProgressing, "True", ProgressInitializing, "Rollout is in Progressing")
		n.status.Conditions = condition.Without(n.status.Conditions, workload.ConditionSucceeded)
		return n
	}
	if n.begun {
		n.hold(reason.NoUpdate, 0, 0)
		return n
	}
	n.begun, n.sub = true, StepStatus{
		ObservedRolloutID: st.w.RolloutID(st.opts.Repair), ObservedWorkloadGeneration: st.w.Generation, RolloutHash: st.hash,
		StableRevision: st.w.StableRevision, Revision: st.w.CanaryRevision, PodTemplateHash: st.w.PodTemplateHash,
		CurrentStepIndex: st.steps(), NextStepIndex: -1, CurrentStepState: StateCompleted,
	}
	n.status.Message = "workload deployment is completed"
	return n
}

// act runs the phase that was read.
func (st *pass) act(n outcome) outcome {
	closed := false
	switch st.r.Status.Phase {
	case PhaseProgressing:
		return st.progressing(n)
	case PhaseTerminating:
		if c := condition.Find(n.status.Conditions, workload.ConditionTerminating); c != nil && c.Reason == ProgressCompleted {
			return n
		}
		if n, closed = st.close(n, ClosingDeleting, false); closed {
			n.set(workload.ConditionTerminating, "False", ProgressCompleted, "")
		}
	case PhaseDisabling:
		if n, closed = st.close(n, ClosingDisabled, false); closed {
			n.status.Phase, n.status.Message = PhaseDisabled, "Rollout is disabled"
		}
	}
	return n
}

// finish completes the status, or drops it after a failure.
func (st *pass) finish(n outcome) outcome {
	if n.failure != "" {
		return st.keep(n)
	}
	if st.has(quirk.DeadlineNotReported) && !n.stalled {
		n.status.Conditions = condition.Without(n.status.Conditions, workload.ConditionStalled)
	}
	if n.begun && st.closingBegins(n.status.Phase) {
		n.sub.FinalisingStep = ""
	}
	if st.ends(n.status.Phase) {
		n.holds = nil
	}
	n.status.CurrentStepIndex, n.status.CurrentStepState = n.sub.CurrentStepIndex, n.sub.CurrentStepState
	return n
}
