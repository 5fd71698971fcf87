// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// A Pace holds the times of pods in a simulation, and its limits.
type Pace struct {
	scheduleAfter  Delay
	ReadyAfter     Delay
	TerminateAfter Delay
	jitter         Delay
	noticeAfter    Delay
	timeLimit      Delay
	seed           uint64
	NeverReady     bool
	looks          int64 // remaining, see maxLooks
	Records        bool  // the lives of pods are recorded
	told           func(flag string) bool
}

// MaxLooks limits how often planners look at a pod in all simulations of a command. It is reached
// after minutes. Tests set a lower one.
var MaxLooks int64 = 1_000_000_000

// withHelp adds a remedy to an error of a simulation, if there is one.
func withHelp(err error) error {
	if errors.Is(err, sim.ErrTooLong) {
		return errors.New("too much for one simulation; with --notice-after 1s controllers look less often")
	}
	return err
}

// AddFlags adds the flags to a command, with the usage of --never-ready.
func (p *Pace) AddFlags(c *cobra.Command, neverReady string) {
	p.ReadyAfter, p.timeLimit, p.looks = Delay(10*time.Second), Delay(24*time.Hour), MaxLooks
	f := c.Flags()
	p.told = f.Changed
	f.Var(&p.scheduleAfter, "schedule-after", "time from creating a pod to starting it")
	f.Var(&p.ReadyAfter, "ready-after", "time from starting a pod to its being ready")
	f.Var(&p.TerminateAfter, "terminate-after", "time from deleting a pod to its end")
	f.Var(&p.jitter, "jitter", "random time that is added to each of these, at most")
	f.Var(&p.noticeAfter, "notice-after", "time until controllers notice a change")
	f.Uint64Var(&p.seed, "seed", 0, "chooses the random times")
	f.BoolVar(&p.NeverReady, "never-ready", false, neverReady)
	f.Var(&p.timeLimit, "time-limit", "simulated time after which to give up")
}

// config returns the configuration of a simulation.
func (p *Pace) config(by *Policies) sim.Config {
	return sim.Config{
		Seed: p.seed, Times: cluster.Times{Schedule: p.spread(p.scheduleAfter), Ready: p.spread(p.ReadyAfter), End: p.spread(p.TerminateAfter)},
		Latency: time.Duration(p.noticeAfter), MaxPlans: int(max(1, p.looks/looksOfPlan)), Deployment: by.deployOptions(),
		ReplicaSet: replicaset.Options{Repair: by.ReplicaSets()}, DaemonSet: daemonset.Options{Repair: by.DaemonSets()},
		Planned: func(sim.Plan) { p.looks -= looksOfPlan },
	}
}

// looksOfPlan is the number of looks that one plan counts as.
const looksOfPlan = 100

// override applies times from flags to all pods, in place of the times of their templates.
func (p *Pace) override(c *world.Cluster, start bool) {
	ready, end := start || p.told("ready-after"), p.told("terminate-after")
	c.Each(func(_ string, t *cluster.Template) {
		if ready {
			t.ReadyAfter = 0
		}
		if end {
			t.EndAfter, t.EndWithin = 0, 0
		}
	})
}

// spread returns the distribution of the time of a stage with the given minimum.
func (p *Pace) spread(least Delay) cluster.Spread {
	return cluster.Between(time.Duration(least), time.Duration(least)+time.Duration(p.jitter))
}

// lives returns the assumed times of pods in a simulation, with the flag or probe that sets each.
// It returns none if nothing happens in the simulation.
func (p *Pace) lives(b *world.Beginning, s *view.Simulation) (notes []string) {
	if len(s.Steps) == 1 && s.Done {
		return nil
	}
	t := b.Templates[b.Template]
	ready, of := time.Duration(p.ReadyAfter), "--ready-after"
	if t.ReadyAfter > ready {
		ready, of = t.ReadyAfter, "its probes"
	}
	note := fmt.Sprintf("a new pod is ready %s after its start (%s)", terminal.Clock(ready), of)
	if d := time.Duration(p.scheduleAfter); d > 0 {
		note += fmt.Sprintf(", and starts %s after it is made (--schedule-after)", terminal.Clock(d))
	}
	note += fmt.Sprintf("; a deleted pod is gone %s (--terminate-after%s)", goneAfter(time.Duration(p.TerminateAfter)), p.hooks(b))
	if d := time.Duration(p.jitter); d > 0 {
		note += fmt.Sprintf("; each takes up to %s more (--jitter)", terminal.Clock(d))
	}
	notes = append(notes, note)
	if p.jitter == 0 && slices.ContainsFunc(s.Steps, func(step record.Step) bool { return step.Created > 1 }) {
		notes = append(notes, "pods made at once are ready at once: a cluster takes more and smaller steps")
	}
	return notes
}

// hooks returns a note if templates set times in which their pods end.
func (p *Pace) hooks(b *world.Beginning) string {
	longer := slices.ContainsFunc(b.Own(), func(t cluster.Template) bool {
		return t.EndAfter > time.Duration(p.TerminateAfter) || t.EndWithin > 0 && t.EndWithin < time.Duration(p.TerminateAfter)
	})
	if longer {
		return ", preStop hook and grace period"
	}
	return ""
}

func goneAfter(d time.Duration) string {
	if d == 0 {
		return "at once"
	}
	return terminal.Clock(d) + " later"
}
