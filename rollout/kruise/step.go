// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"slices"
	"strconv"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// jump goes to the next step that a user, or a change of the plan, has set. The second
// result reports whether it jumped.
func (st *pass) jump(s StepStatus) (StepStatus, bool) {
	next := JumpStep(st.r.Strategy().Steps, s.CurrentStepIndex, s.NextStepIndex)
	if next == 0 {
		return s, false
	}
	s.CurrentStepIndex, s.NextStepIndex, s.LastUpdateTime = next, NextStep(st.steps(), next), st.now
	s.CurrentStepState = StateAfterJump(*st.step(next), st.w.Replicas, s.Replicas)
	if st.ended() && st.has(quirk.EndingReleaseCounts) {
		s.CurrentStepState = StateBeforeUpgrade
	}
	return s, true
}

// ended reports whether the BatchRelease is gone or being deleted.
func (st *pass) ended() bool {
	br := st.s.BatchRelease
	return br == nil || !br.DeletionTimestamp.IsZero()
}

// StateAfterJump returns the first state of a step after a jump: the state that leads
// traffic if the pods are updated already.
func StateAfterJump(step Step, replicas, updated int32) StepState {
	if step.Replicas.OfUp64(replicas) == int64(updated) {
		return StateTrafficRouting
	}
	return StateBeforeUpgrade
}

// JumpStep returns the step to jump to, given the current step and the step that is set as
// the next one: 0 if that is the natural one, or no step at all.
func JumpStep(steps []Step, current, next int32) int32 {
	n := int32(len(steps))
	if next == NextStep(n, current) || next < 1 || next > n {
		return 0
	}
	return next
}

// stepMachine runs the current step, or jumps to another one.
func (st *pass) stepMachine(n outcome) outcome {
	n = st.observeRelease(n)
	if n.sub.PodTemplateHash == "" {
		n.sub.PodTemplateHash = st.w.PodTemplateHash
	}
	going := false
	if n.sub, going = st.jump(n.sub); going {
		return n
	}
	if st.has(quirk.StepMessagesLost) {
		n.sub.NextStepIndex = NextStep(st.steps(), n.sub.CurrentStepIndex)
	}
	step := st.step(n.sub.CurrentStepIndex)
	if step == nil {
		n.failure = "step " + strconv.Itoa(int(n.sub.CurrentStepIndex)) + " does not exist"
		return n
	}
	if !step.routed() {
		if n, going = st.cleanUp(n); !going {
			return n
		}
	}
	n = st.state(n, step)
	if st.has(quirk.StepMessagesLost) {
		n.status.Conditions = withMessage(n.status.Conditions, n.status.Message, st.now)
	}
	return n
}

// withMessage sets the message of the condition Progressing while steps are driven. The same
// message again is no update: a status with another time would be written, seen, and written
// again.
func withMessage(conditions []kplan.Condition, message string, now time.Time) []kplan.Condition {
	conditions = slices.Clone(conditions)
	for i := range conditions {
		if c := &conditions[i]; c.Type == workload.ConditionProgressing && c.Reason == ProgressInRolling && c.Message != message {
			c.Message, c.LastUpdateTime = message, now
		}
	}
	return conditions
}

// state runs the state of the step.
func (st *pass) state(n outcome, step *Step) outcome {
	done := false
	switch n.sub.CurrentStepState {
	case StateBeforeUpgrade:
		if n, done = st.beforeUpgrade(n, step); done {
			return st.upgrade(n, step)
		}
	case StateUpgrade:
		return st.upgrade(n, step)
	case StateTrafficRouting:
		if n, done = st.routeStep(n, step); done {
			n.sub.CurrentStepState, n.sub.LastUpdateTime = StateMetricsAnalysis, st.now
		}
		if n.failure == "" {
			n.recheckAfter(recheck)
		}
	case StateMetricsAnalysis:
		return st.analyse(n)
	case StatePaused:
		return st.pause(n, step)
	case StateReady:
		n.sub = st.advanced(n.sub)
	case StateCompleted:
	default:
		n.hold(reason.UnknownState, 0, 0)
	}
	return n
}

// advanced returns the status after a step.
func (st *pass) advanced(s StepStatus) StepStatus {
	s.LastUpdateTime = st.now
	if s.CurrentStepIndex >= st.steps() {
		s.CurrentStepState = StateCompleted
		return s
	}
	s.CurrentStepIndex++
	s.NextStepIndex = NextStep(st.steps(), s.CurrentStepIndex)
	s.CurrentStepState = StateBeforeUpgrade
	return s
}

// upgrade runs the batch of the step.
func (st *pass) upgrade(n outcome, step *Step) outcome {
	n.status.Message = "Rollout is in " + st.stepText(n.sub.CurrentStepIndex) + ", and upgrade workload to new version"
	n, done := st.runBatch(n, step)
	if !done {
		return st.deadline(n)
	}
	n.sub.CurrentStepState, n.sub.LastUpdateTime = StateTrafficRouting, st.now
	if st.full(step) {
		n.sub.CurrentStepState = StateMetricsAnalysis
	}
	return n
}

// A PauseKind is the way in which a pause ends.
type PauseKind string

// The kinds of pauses.
const (
	PauseNone   PauseKind = "None"   // the pause is over, or the step has none
	PauseManual PauseKind = "Manual" // the pause ends when a user confirms
	PauseTimed  PauseKind = "Timed"  // the pause ends at a known time
)

// PauseOf returns how the pause of step i of a Rollout ends, given the time at which the
// work before it was done, and the instant of a timed pause. Such a pause is over strictly
// after that instant.
func PauseOf(r Rollout, i int32, since time.Time, repair quirk.Set) (PauseKind, time.Time) {
	strategy := r.Strategy()
	if strategy == nil || i < 1 || int(i) > len(strategy.Steps) {
		return PauseNone, time.Time{}
	}
	step := &strategy.Steps[i-1]
	last := int(i) == len(strategy.Steps) && r.Style() != workload.BlueGreen
	if last && step.Replicas == rollout.Percent(100) && !repair.Has(quirk.LastPauseSkipped) {
		return PauseNone, time.Time{}
	}
	if step.Pause.Duration == nil {
		return PauseManual, time.Time{}
	}
	return PauseTimed, since.Add(time.Duration(*step.Pause.Duration) * time.Second)
}

// pause waits for a user or an instant, and then goes to the next step.
func (st *pass) pause(n outcome, step *Step) outcome {
	kind, due := PauseOf(*st.r, n.sub.CurrentStepIndex, n.sub.LastUpdateTime, st.opts.Repair)
	text := "Rollout is in " + st.stepText(n.sub.CurrentStepIndex) + ", and "
	switch kind {
	case PauseManual:
		n.status.Message = text + "you need manually confirm to enter the next step"
		n.hold(reason.Approval, int64(n.sub.CurrentStepIndex), int64(st.steps()))
		return n
	case PauseTimed:
		seconds := *step.Pause.Duration
		n.status.Message = text + "wait duration(" + strconv.Itoa(int(seconds)) + " seconds) to enter the next step"
		if !due.Before(st.now) {
			n.hold(reason.Pause, int64(st.now.Sub(n.sub.LastUpdateTime).Seconds()), int64(seconds))
			n.recheckAt = due.Add(1) // at the instant itself nothing is over yet
			return n
		}
	}
	n.sub.CurrentStepState, n.sub.LastUpdateTime = StateReady, st.now
	return n
}
