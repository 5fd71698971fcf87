// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A stepChange is the change of the current step in one pass.
type stepChange struct {
	before, after *kruise.StepStatus
	step          *kruise.Step
	last          bool
	asked         bool // the user jumps to another step, or the steps or the template have changed
}

// stepOf returns the change of the step in a pass, if a release is in the middle of its steps.
func stepOf(p *RolloutPass) (c stepChange, ok bool) {
	r, s := &p.Snapshot.Rollout, p.Snapshot.Rollout.Status.Sub
	w := p.Snapshot.Workload
	rolling := r.Status.Phase == kruise.PhaseProgressing && r.Status.ProgressingReason() == kruise.ProgressInRolling
	if s == nil || w == nil || !w.Consistent || !rolling || r.Disabled || !r.DeletionTimestamp.IsZero() || p.Plan.Failure != "" {
		return c, false
	}
	steps := stepsOf(r)
	if s.CurrentStepIndex < 1 || int(s.CurrentStepIndex) > len(steps) {
		return c, false
	}
	c = stepChange{before: s, after: p.Plan.Status.Sub, step: &steps[s.CurrentStepIndex-1], last: int(s.CurrentStepIndex) == len(steps)}
	natural := s.CurrentStepIndex + 1
	if c.last {
		natural = -1
	}
	changed := s.RolloutHash != kruise.StrategyHash(*r)
	c.asked = s.NextStepIndex != natural && s.NextStepIndex > 0 && int(s.NextStepIndex) <= len(steps) || changed || p.template() || r.Paused
	return c, true
}

// template reports whether the workload has another template than the release.
func (p *Pass[S, O, P]) template() bool {
	s, ok := any(&p.Snapshot).(*kruise.Snapshot)
	if !ok || s.Workload == nil || s.Rollout.Status.Sub == nil {
		return false
	}
	return s.Workload.InRollback || s.Workload.CanaryRevision != s.Rollout.Status.Sub.Revision
}

// ends reports whether the pass ends the pause of a step.
func (c *stepChange) ends() bool {
	return c.before.CurrentStepState == kruise.StatePaused && c.after != nil && !c.asked &&
		(c.after.CurrentStepState != kruise.StatePaused || c.after.CurrentStepIndex != c.before.CurrentStepIndex)
}

// skipped reports whether a known defect skips the pause of the last step.
func (p *Pass[S, O, P]) skipped(c *stepChange) bool {
	o, ok := any(p.Options).(kruise.Options)
	return ok && c.last && c.step.Replicas.String() == "100%" && !o.Repair.Has(quirk.LastPauseSkipped) && !p.Strict
}

func timedPause(p *RolloutPass) []string {
	c, ok := stepOf(p)
	if !ok || c.step.Pause.Duration == nil || c.before.CurrentStepState != kruise.StatePaused || c.asked || p.skipped(&c) || c.after == nil {
		return nil
	}
	due := c.before.LastUpdateTime.Add(time.Duration(*c.step.Pause.Duration) * time.Second)
	l, over := list(nil), p.Now.After(due)
	l.addIf(c.ends() && !over, "the pause ends at %v, and is due behind %v", p.Now, due)
	l.addIf(!c.ends() && over && len(p.Plan.Holds) == 0, "the pause is over since %v, and goes on", due)
	still := !c.ends() && !over && len(p.Plan.Actions) == 0 && len(p.Plan.Holds) == 1 && p.Plan.Holds[0].Reason == reason.Pause
	l.addIf(still && !p.Plan.RecheckAt.Equal(due.Add(1)), "the plan looks again at %v, and the pause is over behind %v", p.Plan.RecheckAt, due)
	return l
}

func manualPause(p *RolloutPass) []string {
	c, ok := stepOf(p)
	if !ok || c.step.Pause.Duration != nil || p.skipped(&c) {
		return nil
	}
	if !c.ends() {
		return nil
	}
	return one(true, "step %d waits for a person, and goes to %s of step %d", c.before.CurrentStepIndex, c.after.CurrentStepState, c.after.CurrentStepIndex)
}

func stepsInOrder(p *RolloutPass) []string {
	c, ok := stepOf(p)
	if !ok || c.asked || c.after == nil {
		return nil
	}
	by := c.after.CurrentStepIndex - c.before.CurrentStepIndex
	l := list(nil)
	l.addIf(by < 0 || by > 1, "step %d follows step %d", c.after.CurrentStepIndex, c.before.CurrentStepIndex)
	l.addIf(by == 1 && c.before.CurrentStepState != kruise.StateReady, "step %d begins while step %d is %s", c.after.CurrentStepIndex, c.before.CurrentStepIndex, c.before.CurrentStepState)
	return l
}

func newTemplateRestarts(p *RolloutPass) []string {
	c, ok := stepOf(p)
	if !ok || !p.template() || c.after == nil || p.Snapshot.Workload.InRollback || p.Snapshot.Rollout.Paused {
		return nil
	}
	on := c.after.CurrentStepIndex > c.before.CurrentStepIndex || c.after.CurrentStepState != c.before.CurrentStepState && c.after.CurrentStepIndex > 1
	return one(on && c.before.Revision != "", "the template has changed from %q to %q, and step %d goes to %s of step %d",
		c.before.Revision, p.Snapshot.Workload.CanaryRevision, c.before.CurrentStepIndex, c.after.CurrentStepState, c.after.CurrentStepIndex)
}

// trafficFollowsReadyPods checks passes that send more traffic to new pods.
func trafficFollowsReadyPods(p *RolloutPass) []string {
	routings := routingsOf(&p.Snapshot.Rollout)
	if len(routings) == 0 {
		return nil
	}
	l := list(nil)
	canary := routings[0].Service + "-canary"
	for _, a := range p.Plan.Actions {
		route, ok := a.(kruise.SetRoute)
		if !ok {
			continue
		}
		before, after := weightOf(p.Snapshot.Traffic.Route, canary), weightOf(&traffic.Route{Rules: route.Rules}, canary)
		if after <= before || after == 100 && closesWithNew(&p.Snapshot.Rollout) {
			continue
		}
		sub, steps := p.Snapshot.Rollout.Status.Sub, stepsOf(&p.Snapshot.Rollout)
		if sub == nil || sub.CurrentStepIndex < 1 || int(sub.CurrentStepIndex) > len(steps) {
			l.add("%d%% of the traffic instead of %d%%, and there is no step", after, before)
			continue
		}
		want := amount(steps[sub.CurrentStepIndex-1].Traffic, 100, true)
		l.addIf(sub.CurrentStepState != kruise.StateTrafficRouting, "%d%% of the traffic instead of %d%% in state %q", after, before, sub.CurrentStepState)
		l.addIf(after > want, "%d%% of the traffic, and the step asks for %d%%", after, want)
	}
	return l
}

// closesWithNew reports whether finalising a Rollout sends all traffic to new pods. Blue-green does
// so before it deletes the old pods of a successful release. In other cases it happens only if the
// status is already at that step.
func closesWithNew(r *kruise.Rollout) bool {
	if r.BlueGreen == nil {
		return false
	}
	switch reason, phase := r.Status.ProgressingReason(), r.Status.Phase; {
	case reason == kruise.ProgressFinalising:
		return true
	case reason == kruise.ProgressCancelling, phase == kruise.PhaseDisabling, phase == kruise.PhaseTerminating:
		return r.Status.Sub != nil && r.Status.Sub.FinalisingStep == kruise.FinalRouteToNew
	}
	return false
}

// rollbackInBatches checks batches of a rollback, except of a Deployment, which is rolled back by
// the partition alone.
func rollbackInBatches(p *BatchPass) []string {
	c := p.Plan.Context
	if c == nil || c.NoNeedUpdate == nil || *c.NoNeedUpdate <= 0 || c.Batch.IsZero() {
		return nil
	}
	kept, replicas := int64(*c.NoNeedUpdate), int64(c.Replicas)
	rest := replicas - kept
	if rest < 0 || !slices.Contains([]workload.Driver{workload.DriverCloneSet, workload.DriverStatefulSet, workload.DriverDaemonSet, workload.DriverNativeDaemonSet}, c.Driver) {
		return nil
	}
	want := kept + between(amount(c.Batch, rest, true), 0, rest)
	return one(int64(c.Desired) != want, "%d pods are to be new: batch %v of %d beside %d that are is %d", c.Desired, c.Batch.String(), rest, kept, want)
}
