package kruise

import (
	"strconv"
	"time"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/workload"
)

// jump goes to the next step that a person, or a change of the plan, has written
// down. It reports whether it did.
func (st *pass) jump() bool {
	next := JumpStep(st.r.Strategy().Steps, st.sub.CurrentStepIndex, st.sub.NextStepIndex)
	if next == 0 {
		return false
	}
	s := st.sub
	s.CurrentStepIndex, s.NextStepIndex, s.LastUpdateTime = next, NextStep(st.steps(), next), st.now
	s.CurrentStepState = StateAfterJump(*st.step(), st.w.Replicas, s.Replicas)
	return true
}

// StateAfterJump returns the state in which a step begins that is jumped to: with its
// traffic if its pods are updated already.
func StateAfterJump(step Step, replicas, updated int32) StepState {
	if step.Replicas.OfUp64(replicas) == int64(updated) {
		return StateTrafficRouting
	}
	return StateBeforeUpgrade
}

// JumpStep returns the step to jump to, given the current one and what is written down
// as the next: 0 if that is the natural one, or no step at all.
func JumpStep(steps []Step, current, next int32) int32 {
	n := int32(len(steps))
	if next == NextStep(n, current) || next < 1 || next > n {
		return 0
	}
	return next
}

// stepMachine drives the current step.
func (st *pass) stepMachine() {
	st.observeRelease()
	if st.sub.PodTemplateHash == "" {
		st.sub.PodTemplateHash = st.w.PodTemplateHash
	}
	if st.jump() {
		return
	}
	if st.has(workload.StepMessagesLost) {
		st.sub.NextStepIndex = NextStep(st.steps(), st.sub.CurrentStepIndex)
	}
	step := st.step()
	if step == nil {
		st.p.Failure = "step " + strconv.Itoa(int(st.sub.CurrentStepIndex)) + " does not exist"
		return
	}
	if !step.routed() && !st.cleanUp() {
		return
	}
	st.state(step)
	if st.has(workload.StepMessagesLost) {
		for i := range st.p.Status.Conditions {
			if c := &st.p.Status.Conditions[i]; c.Type == workload.ConditionProgressing && c.Reason == ProgressInRolling {
				c.Message, c.LastUpdateTime = st.p.Status.Message, st.now
			}
		}
	}
}

// state does what the state of the step asks for.
func (st *pass) state(step *Step) {
	s := st.sub
	switch s.CurrentStepState {
	case StateBeforeUpgrade:
		if st.beforeUpgrade(step) {
			st.upgrade(step)
		}
	case StateUpgrade:
		st.upgrade(step)
	case StateTrafficRouting:
		if st.routeStep(step) {
			s.CurrentStepState, s.LastUpdateTime = StateMetricsAnalysis, st.now
		}
		if st.p.Failure == "" {
			st.recheckAfter(recheck)
		}
	case StateMetricsAnalysis:
		if st.analysed() {
			s.CurrentStepState = StatePaused
		}
	case StatePaused:
		if st.pause(step) {
			s.CurrentStepState, s.LastUpdateTime = StateReady, st.now
		}
	case StateReady:
		st.advance()
	case StateCompleted:
	default:
		st.hold(ReasonUnknownState, 0, 0)
	}
}

func (st *pass) advance() {
	s := st.sub
	s.LastUpdateTime = st.now
	if s.CurrentStepIndex >= st.steps() {
		s.CurrentStepState = StateCompleted
		return
	}
	s.CurrentStepIndex++
	s.NextStepIndex = NextStep(st.steps(), s.CurrentStepIndex)
	s.CurrentStepState = StateBeforeUpgrade
}

// upgrade runs the batch of the step.
func (st *pass) upgrade(step *Step) {
	st.p.Status.Message = "Rollout is in " + st.stepText() + ", and upgrade workload to new version"
	if !st.runBatch() {
		st.deadline()
		return
	}
	st.sub.CurrentStepState, st.sub.LastUpdateTime = StateTrafficRouting, st.now
	if st.full(step) {
		st.sub.CurrentStepState = StateMetricsAnalysis
	}
}

// A PauseKind says how a pause ends.
type PauseKind string

// The kinds of pauses.
const (
	PauseNone   PauseKind = "None"   // it is over, or there is none
	PauseManual PauseKind = "Manual" // a person has to confirm
	PauseTimed  PauseKind = "Timed"  // at an instant
)

// PauseOf returns how the pause of step i of a Rollout ends, given when
// what came before it was done, and the instant if there is one. A timed pause is over
// strictly after that instant.
func PauseOf(r Rollout, i int32, since time.Time, repair workload.Quirks) (PauseKind, time.Time) {
	strategy := r.Strategy()
	if strategy == nil || i < 1 || int(i) > len(strategy.Steps) {
		return PauseNone, time.Time{}
	}
	step := &strategy.Steps[i-1]
	last := int(i) == len(strategy.Steps) && r.Style() != workload.BlueGreen
	if last && step.Replicas == rollout.Percent(100) && !repair.Has(workload.LastPauseSkipped) {
		return PauseNone, time.Time{}
	}
	if step.Pause.Duration == nil {
		return PauseManual, time.Time{}
	}
	return PauseTimed, since.Add(time.Duration(*step.Pause.Duration) * time.Second)
}

// pause waits for a person or an instant. It reports whether the pause is over.
func (st *pass) pause(step *Step) bool {
	kind, due := PauseOf(*st.r, st.sub.CurrentStepIndex, st.sub.LastUpdateTime, st.opts.Repair)
	switch kind {
	case PauseManual:
		st.p.Status.Message = "Rollout is in " + st.stepText() + ", and you need manually confirm to enter the next step"
		st.hold(ReasonApproval, int64(st.sub.CurrentStepIndex), int64(st.steps()))
		return false
	case PauseTimed:
		seconds := *step.Pause.Duration
		st.p.Status.Message = "Rollout is in " + st.stepText() + ", and wait duration(" + strconv.Itoa(int(seconds)) + " seconds) to enter the next step"
		if due.Before(st.now) {
			return true
		}
		st.hold(ReasonPause, int64(st.now.Sub(st.sub.LastUpdateTime).Seconds()), int64(seconds))
		st.p.RecheckAt = due
		return false
	}
	return true
}
