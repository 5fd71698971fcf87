package kruise

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/condition"
	"github.com/kplan-go/kplan/internal/field"
	"github.com/kplan-go/kplan/internal/quirk"
	"github.com/kplan-go/kplan/rollout/workload"
)

// Reconcile returns the next step of the Rollout in s as of now. It performs nothing.
// The error, if any, wraps [ErrInvalid] and one [FieldError] for each field that
// cannot be used.
func Reconcile(s Snapshot, now time.Time, opts Options) (Plan, error) {
	if err := admit(&s, now, opts); err != nil {
		return Plan{}, err
	}
	st := &pass{s: &s, r: &s.Rollout, w: s.Workload, br: s.BatchRelease, stable: s.Traffic.Stable, now: now.Round(0).UTC(), opts: opts, hash: StrategyHash(s.Rollout)}
	st.p.Grace = maps.Clone(s.Grace)
	st.p.Status = s.Rollout.Status
	st.p.Status.Conditions = slices.Clone(s.Rollout.Status.Conditions)
	if old := s.Rollout.Status.Sub; old != nil {
		sub := *old
		st.sub = &sub
	}
	if st.finalizer() {
		return st.p, nil
	}
	st.annotate()
	if st.calculate() {
		st.act()
		st.finish()
	}
	if len(st.p.Grace) == 0 {
		st.p.Grace = nil
	}
	return st.p, nil
}

func admit(s *Snapshot, now time.Time, opts Options) error {
	var es field.Errors
	quirk.Check(&es, uint64(opts.Repair), uint64(workload.RepairAll))
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

// finalizer keeps the finalizer, and reports whether the Rollout is gone.
func (st *pass) finalizer() bool {
	has := slices.Contains(st.r.Finalizers, workload.FinalizerRollout)
	set := SetFinalizer{Kind: "Rollout", Name: st.r.Name, UID: st.r.UID, Finalizer: workload.FinalizerRollout, Reason: ReasonFinalizer}
	if st.r.DeletionTimestamp.IsZero() {
		if !has {
			st.add(set)
		}
		return false
	}
	c := condition.Find(st.r.Status.Conditions, workload.ConditionTerminating)
	if c == nil || c.Reason != ProgressCompleted || !has {
		return false
	}
	set.Remove = true
	st.add(set)
	return true
}

// annotate writes the type of the workload and the hash of the strategy.
func (st *pass) annotate() {
	if st.w != nil && st.w.Consistent && st.w.Labels[workload.LabelWorkloadType] == "" {
		kind := workloadType(st.r.WorkloadRef)
		patch := workload.Patch{}
		patch.Label(workload.LabelWorkloadType, &kind)
		st.add(PatchWorkload{Workload: st.r.WorkloadRef, UID: st.w.UID, Patch: patch, Reason: ReasonWorkloadType})
	}
	if st.r.Annotations[workload.AnnotationHash] != st.hash {
		st.add(PatchRollout{
			Name: st.r.Name, UID: st.r.UID, Annotations: map[string]string{workload.AnnotationHash: st.hash}, Reason: ReasonHash,
		})
	}
}

func workloadType(ref workload.Ref) string {
	return strings.ToLower(ref.Kind)
}

// calculate derives the next phase from what is there. It returns false if
// nothing is to be written.
func (st *pass) calculate() bool {
	s := &st.p.Status
	s.ObservedGeneration = st.r.Generation
	if !st.r.DeletionTimestamp.IsZero() {
		if s.Phase != PhaseTerminating {
			s.Phase = PhaseTerminating
			st.set(workload.ConditionTerminating, "True", ProgressTerminating, "Rollout is in terminating")
		}
		return true
	}
	if st.r.Disabled && s.Phase != PhaseDisabled && s.Phase != PhaseDisabling {
		s.Phase, s.Message = PhaseDisabled, "Rollout is disabled"
		if st.r.Status.Phase == PhaseProgressing {
			s.Phase, s.Message = PhaseDisabling, "Disabling rollout, release resources"
		}
	}
	if s.Phase == "" {
		s.Phase = PhaseInitial
	}
	if st.w == nil {
		return st.workloadGone()
	}
	if !st.w.Consistent {
		st.keep()
		st.hold(ReasonWorkloadInconsistent, 0, 0)
		st.recheckAfter(recheck)
		return false
	}
	if st.sub != nil && st.sub.Revision != "" && st.sub.Revision == st.w.CanaryRevision {
		st.sub.ObservedRolloutID = st.w.RolloutID(st.opts.Repair)
		st.sub.ObservedWorkloadGeneration = st.w.Generation
	}
	st.nextPhase()
	return true
}

// workloadGone drops the status of a Rollout without a workload.
func (st *pass) workloadGone() bool {
	st.hold(ReasonWorkloadNotFound, 0, 0)
	if st.r.Disabled {
		return true
	}
	if st.has(workload.TrafficLeftBehind) && st.r.Status.Phase == PhaseProgressing && !st.closeGone() {
		return true
	}
	st.p.Status = Status{ObservedGeneration: st.r.Generation, Phase: PhaseInitial, Message: "Workload Not Found"}
	st.sub = nil
	return true
}

func (st *pass) nextPhase() {
	s := &st.p.Status
	switch s.Phase {
	case PhaseInitial:
		s.Phase, s.Message = PhaseHealthy, "rollout is healthy"
	case PhaseHealthy:
		st.healthy()
	case PhaseDisabled:
		if !st.r.Disabled {
			s.Phase, s.Message = PhaseHealthy, "rollout is healthy"
		}
	}
}

// healthy notices a release, or takes a workload that is new for one that is done.
func (st *pass) healthy() {
	s := &st.p.Status
	if st.w.InProgress {
		s.Phase = PhaseProgressing
		s.Conditions = condition.Without(s.Conditions, workload.ConditionProgressing)
		st.set(workload.ConditionProgressing, "True", ProgressInitializing, "Rollout is in Progressing")
		s.Conditions = condition.Without(s.Conditions, workload.ConditionSucceeded)
		return
	}
	if st.sub != nil {
		st.hold(ReasonNoUpdate, 0, 0)
		return
	}
	st.sub = &StepStatus{
		ObservedRolloutID: st.w.RolloutID(st.opts.Repair), ObservedWorkloadGeneration: st.w.Generation, RolloutHash: st.hash,
		StableRevision: st.w.StableRevision, Revision: st.w.CanaryRevision, PodTemplateHash: st.w.PodTemplateHash,
		CurrentStepIndex: st.steps(), NextStepIndex: -1, CurrentStepState: StateCompleted,
	}
	s.Message = "workload deployment is completed"
}

// act does what the phase asks for, as it was read.
func (st *pass) act() {
	switch st.r.Status.Phase {
	case PhaseProgressing:
		st.progressing()
	case PhaseTerminating:
		c := condition.Find(st.p.Status.Conditions, workload.ConditionTerminating)
		if c != nil && c.Reason == ProgressCompleted {
			return
		}
		if st.close(ClosingDeleting, false) {
			st.set(workload.ConditionTerminating, "False", ProgressCompleted, "")
		} else if st.p.Failure == "" {
			st.recheckAfter(recheck)
		}
	case PhaseDisabling:
		if st.close(ClosingDisabled, false) {
			st.p.Status.Phase, st.p.Status.Message = PhaseDisabled, "Rollout is disabled"
		} else if st.p.Failure == "" {
			st.recheckAfter(recheck)
		}
	}
}

// finish completes the status, or drops it after a failure.
func (st *pass) finish() {
	if st.p.Failure != "" {
		st.keep()
		return
	}
	if st.has(workload.DeadlineNotReported) && !st.stalled {
		st.p.Status.Conditions = condition.Without(st.p.Status.Conditions, workload.ConditionStalled)
	}
	st.beginClosing()
	st.p.Status.Sub = st.sub
	st.p.Status.CurrentStepIndex, st.p.Status.CurrentStepState = 0, ""
	if st.sub != nil {
		st.p.Status.CurrentStepIndex, st.p.Status.CurrentStepState = st.sub.CurrentStepIndex, st.sub.CurrentStepState
	}
}

// keep makes the next status a copy of what was read.
func (st *pass) keep() {
	st.p.Status = st.r.Status
	st.p.Status.Conditions = slices.Clone(st.r.Status.Conditions)
	if old := st.r.Status.Sub; old != nil {
		sub := *old
		st.p.Status.Sub = &sub
	}
}
