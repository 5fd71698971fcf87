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

// ofArgo returns the simulation of an update of a Rollout of Argo: of the rest of what is in the files, or of all
// of it from an old one.
func (s *simulation) ofArgo(r, old *manifest.ArgoRollout) (*job, error) {
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
	j := argoJob(cmp.Or(old, r), onlyWith(old, r), s.now.Time)
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
		config.Analysis = cluster.Analysis{Takes: s.exactly(s.analysis.after), Ends: phases[s.analysis.outcome]}
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

// approved says when people approve.
func (s *simulation) approved(c *sim.Config) {
	if !s.neverApprove {
		c.ApproveAfter = cluster.Exactly(time.Duration(s.approveAfter))
	}
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

// attendanceIn returns that of a Rollout, of the world that will be made of a configuration.
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
