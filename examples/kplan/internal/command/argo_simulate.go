// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// simulate returns the simulation of an update of an Argo Rollout: the rest of the update in the
// files, or a whole update from an old Rollout.
func (a Argo) simulate(s *settings, _ *manifest.Set, from *earlier) (*job, error) {
	r, old := a.ArgoRollout, from.argo[a.Key()]
	s.startsFromNothing(old == nil, r.File, r.Name())
	partial, err := argoRolledOut(old)
	if err != nil {
		return nil, err
	}
	if err = tooMany(r.Snapshot.Rollout.Replicas); err != nil {
		return nil, r.Invalid(err)
	}
	if old != nil && len(r.ReplicaSets) > 0 {
		return nil, r.Invalid(errors.New("the update goes on from where its ReplicaSets stand, not from what --from holds"))
	}
	j := argoJob(cmp.Or(old, r), onlyWith(old, r), s.begin)
	var before *manifest.Workload
	if old != nil {
		before = &old.Workload
	}
	var assumed []string
	var short []manifest.Shortage
	var people *attendance
	var wanted argo.Rollout
	j.prepare = func(b *world.Beginning, config *sim.Config) error {
		assumed, short = s.environment(&r.Workload, before, b)
		b.Broken(s.neverReady)
		config.Autoscalers, config.Argo = append(config.Autoscalers, scaled(b.Name, r.Scaled.To)...), argo.Options{Repair: s.argoRollouts()}
		config.Analysis = cluster.Analysis{Takes: s.exactly(s.analysisAfter), Ends: phases[s.analysis]}
		s.approved(config)
		people, wanted = attendanceIn(config, b.Name), b.WantedArgo().Rollout
		j.telling = view.ArgoRollouts{Rollout: wanted}
		return nil
	}
	j.tell = func(b *world.Beginning, _ *world.Run, result *view.Simulation) {
		result.Policies = s.flags(argo.QuirkTable())
		bites := r.Workload.Bites(world.ArgoBounds(&wanted), b.Running(), short...)
		result.Assumed = slices.Concat(bites, partial, assumed, s.lives(b, result), s.decided(&wanted, people))
	}
	return j, nil
}

// approved sets the time until people approve.
func (s *settings) approved(c *sim.Config) {
	if !s.neverApprove {
		c.ApproveAfter = cluster.Exactly(time.Duration(s.approveAfter))
	}
}

// exactly returns a fixed time, nil for 0.
func (s *settings) exactly(d delay) cluster.Spread {
	if d == 0 {
		return nil
	}
	return cluster.Exactly(time.Duration(d))
}

// An attendance records the part of people in the updates of a simulated Rollout.
type attendance struct {
	awaited  bool // the Rollout waited for an approval
	approved bool
}

// attendanceIn returns an attendance that a simulation with the configuration fills for a
// Rollout.
func attendanceIn(c *sim.Config, name string) *attendance {
	a, planned, observe := &attendance{}, c.Planned, c.Observe
	c.Planned = func(p sim.Plan) {
		if plan, is := p.Plan.(argo.Plan); is && p.Name == name && slices.ContainsFunc(plan.Holds, func(h kplan.Hold[argo.Reason]) bool { return h.Reason == argo.ReasonApproval }) {
			a.awaited = true
		}
		if planned != nil {
			planned(p)
		}
	}
	c.Observe = func(e sim.Change) {
		a.approved = a.approved || e.Kind == sim.KindArgoRollout && e.Name == name && e.By == "user" && e.Verb == sim.UpdateStatus
		if observe != nil {
			observe(e)
		}
	}
	return a
}

// assumed returns the assumed time of an approval, followed by the flag that sets it, if any.
func (a *attendance) assumed(after time.Duration, flag string) []string {
	if !a.awaited && !a.approved {
		return nil
	}
	return []string{"a person approves after " + terminal.Clock(after) + flag}
}

// decided returns the assumptions about people and analyses that the length of an update depends
// on.
func (s *settings) decided(r *argo.Rollout, people *attendance) (assumed []string) {
	if assumed = people.assumed(time.Duration(s.approveAfter), " (--approve-after)"); s.neverApprove && assumed != nil {
		assumed = []string{"nobody approves (--never-approve)"}
	}
	analysed := slices.ContainsFunc(r.Steps, func(step argo.Step) bool {
		return step.Other == argo.StepAnalysis || step.Other == argo.StepExperiment || step.Other == argo.StepPlugin
	})
	if b := r.BlueGreen; analysed || b != nil && (b.PrePromotionAnalysis || b.PostPromotionAnalysis) {
		assumed = append(assumed, fmt.Sprintf("analyses end after %s and are %s (--analysis-after, --analysis)", terminal.Clock(time.Duration(s.analysisAfter)), s.analysis))
	}
	return assumed
}
