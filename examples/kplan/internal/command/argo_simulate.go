// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// simulateArgo simulates an update of a Rollout of Argo: the rest of what is in the files,
// or all of it from an old one.
func (s *simulation) simulateArgo(r, old *manifest.ArgoRollout) (view.Simulation, error) {
	partial, err := argoRolledOut(old)
	if err != nil {
		return view.Simulation{}, err
	}
	start, err := s.startArgo(r, old)
	if err != nil {
		return view.Simulation{}, err
	}
	var before *manifest.Workload
	if old != nil {
		before = &old.Workload
	}
	assumed, short := s.environment(&r.Workload, before, &start)
	start.Broken(s.neverReady)
	s.override(&start, false)
	config := s.pace.config(&s.policies)
	config.Autoscalers, config.Argo = scaled(start.Name, r.Scaled.To), argo.Options{Repair: s.argoRollouts()}
	config.Analysis = cluster.Analysis{Takes: s.exactly(s.analysis.after), Ends: phases[s.analysis.outcome]}
	if !s.neverApprove {
		config.ApproveAfter = cluster.Exactly(time.Duration(s.approveAfter))
	}
	people := attendanceIn(&config)
	wanted := start.WantedArgo().Rollout
	result, err := view.Simulate(&start, view.ArgoRollouts{Rollout: wanted}, config, time.Duration(s.timeLimit), s.records)
	if err != nil {
		return result, r.Invalid(withHelp(err))
	}
	result.Policies = s.flags(argo.QuirkTable())
	bites := r.Workload.Bites(world.ArgoBounds(&wanted), start.Running(), short...)
	result.Assumed = slices.Concat(bites, partial, assumed, s.lives(&start, &result), s.decided(&wanted, people))
	return result, nil
}

// exactly is a time, unset if that is 0.
func (s *simulation) exactly(d delay) cluster.Spread {
	if d == 0 {
		return nil
	}
	return cluster.Exactly(time.Duration(d))
}

// An attendance is whether people had a part in the updates of a world.
type attendance struct {
	awaited  bool // somebody was waited for
	approved bool
}

// attendanceIn returns that of the world that will be made of a configuration.
func attendanceIn(c *sim.Config) *attendance {
	a, planned := &attendance{}, c.Planned
	c.Planned = func(p sim.Plan) {
		if plan, is := p.Plan.(argo.Plan); is && slices.ContainsFunc(plan.Holds, func(h argo.Hold) bool { return h.Reason == argo.ReasonApproval }) {
			a.awaited = true
		}
		if planned != nil {
			planned(p)
		}
	}
	c.Observe = func(e sim.Change) { a.approved = a.approved || e.By == "user" && e.Verb == sim.UpdateStatus }
	return a
}

// assumed says when a person approves, by a flag if there is one.
func (a *attendance) assumed(after time.Duration, flag string) []string {
	if !a.awaited && !a.approved {
		return nil
	}
	return []string{"a person approves after " + terminal.Clock(after) + flag}
}

// decided says which people and analyses have decided how long an update takes.
func (s *simulation) decided(r *argo.Rollout, people *attendance) (assumed []string) {
	if assumed = people.assumed(time.Duration(s.approveAfter), " (--approve-after)"); s.neverApprove && assumed != nil {
		assumed = []string{"nobody approves (--never-approve)"}
	}
	analysed := slices.ContainsFunc(r.Steps, func(step argo.Step) bool {
		return step.Other == argo.StepAnalysis || step.Other == argo.StepExperiment || step.Other == argo.StepPlugin
	})
	if b := r.BlueGreen; analysed || b != nil && (b.PrePromotionAnalysis || b.PostPromotionAnalysis) {
		assumed = append(assumed, fmt.Sprintf("analyses end after %s and are %s (--analysis-after, --analysis)", terminal.Clock(time.Duration(s.analysis.after)), s.analysis.outcome))
	}
	return assumed
}

// startArgo returns the cluster in which the update begins.
func (s *simulation) startArgo(r, old *manifest.ArgoRollout) (b world.Beginning, err error) {
	if err = tooMany(r.Snapshot.Rollout.Replicas); err != nil {
		return b, r.Invalid(err)
	}
	if old == nil {
		return beginningOfArgo(r, nil, s.now.Time)
	}
	if len(r.ReplicaSets) > 0 {
		return b, r.Invalid(errors.New("the update goes on from where its ReplicaSets stand, not from what --from holds"))
	}
	if b, err = beginningOfArgo(old, r, s.now.Time); err != nil {
		return b, err
	}
	if len(old.ReplicaSets) == 0 {
		if b, err = b.Finished(); err != nil {
			return b, old.Invalid(err)
		}
	}
	b.Place()
	return b, nil
}
