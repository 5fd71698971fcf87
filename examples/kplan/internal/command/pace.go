// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// A pace is how pods live in a simulation, and when to give up.
type pace struct {
	scheduleAfter  delay
	readyAfter     delay
	terminateAfter delay
	jitter         delay
	noticeAfter    delay
	timeLimit      delay
	seed           uint64
	neverReady     bool
	looks          int64 // that are left, see maxLooks
	records        bool  // what becomes of pods is recorded
	told           func(flag string) bool
}

// maxLooks is how often planners may look at a pod in all simulations of a command, which
// takes minutes. Tests have less patience.
var maxLooks int64 = 1_000_000_000

// withHelp says what helps against an error of a simulation, if anything does.
func withHelp(err error) error {
	if errors.Is(err, sim.ErrTooLong) {
		return errors.New("too much for one simulation; with --notice-after 1s controllers look less often")
	}
	return err
}

func (p *pace) addFlags(c *cobra.Command, neverReady string) {
	p.readyAfter, p.timeLimit, p.looks = delay(10*time.Second), delay(24*time.Hour), maxLooks
	f := c.Flags()
	p.told = f.Changed
	f.Var(&p.scheduleAfter, "schedule-after", "time from creating a pod to starting it")
	f.Var(&p.readyAfter, "ready-after", "time from starting a pod to its being ready")
	f.Var(&p.terminateAfter, "terminate-after", "time from deleting a pod to its end")
	f.Var(&p.jitter, "jitter", "random time that is added to each of these, at most")
	f.Var(&p.noticeAfter, "notice-after", "time until controllers notice a change")
	f.Uint64Var(&p.seed, "seed", 0, "chooses the random times")
	f.BoolVar(&p.neverReady, "never-ready", false, neverReady)
	f.Var(&p.timeLimit, "time-limit", "simulated time after which to give up")
}

// config returns how a rollout is simulated.
func (p *pace) config(by *policies) sim.Config {
	return sim.Config{
		Seed: p.seed, Times: cluster.Times{Schedule: p.spread(p.scheduleAfter), Ready: p.spread(p.readyAfter), End: p.spread(p.terminateAfter)},
		Latency: time.Duration(p.noticeAfter), MaxPlans: int(max(1, p.looks/looksOfPlan)), Deployment: by.deployOptions(),
		ReplicaSet: replicaset.Options{Repair: by.replicaSets()}, DaemonSet: daemonset.Options{Repair: by.daemonSets()},
		Planned: func(sim.Plan) { p.looks -= looksOfPlan },
	}
}

// looksOfPlan is as how many looks a plan in a world counts.
const looksOfPlan = 100

// override lets a time that the user has given hold for all pods, whatever their templates say.
func (p *pace) override(c *world.Cluster, start bool) {
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

// spread returns how long a stage takes that takes at least so long.
func (p *pace) spread(least delay) cluster.Spread {
	return cluster.Between(time.Duration(least), time.Duration(least)+time.Duration(p.jitter))
}
