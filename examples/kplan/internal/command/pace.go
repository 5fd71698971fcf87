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

// A pace holds the times of pods in a simulation, and its limits.
type pace struct {
	scheduleAfter  delay
	readyAfter     delay
	terminateAfter delay
	jitter         delay
	noticeAfter    delay
	timeLimit      delay
	seed           uint64
	neverReady     bool
	looks          int64 // remaining, see maxLooks
	records        bool  // the lives of pods are recorded
	told           func(flag string) bool
}

// maxLooks limits how often planners look at a pod in all simulations of a command. It is reached
// after minutes. Tests set a lower one.
var maxLooks int64 = 1_000_000_000

// withHelp adds a remedy to an error of a simulation, if there is one.
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

// config returns the configuration of a simulation.
func (p *pace) config(by *policies) sim.Config {
	return sim.Config{
		Seed: p.seed, Times: cluster.Times{Schedule: p.spread(p.scheduleAfter), Ready: p.spread(p.readyAfter), End: p.spread(p.terminateAfter)},
		Latency: time.Duration(p.noticeAfter), MaxPlans: int(max(1, p.looks/looksOfPlan)), Deployment: by.deployOptions(),
		ReplicaSet: replicaset.Options{Repair: by.replicaSets()}, DaemonSet: daemonset.Options{Repair: by.daemonSets()},
		Planned: func(sim.Plan) { p.looks -= looksOfPlan },
	}
}

// looksOfPlan is the number of looks that one plan counts as.
const looksOfPlan = 100

// override applies times from flags to all pods, in place of the times of their templates.
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

// spread returns the distribution of the time of a stage with the given minimum.
func (p *pace) spread(least delay) cluster.Spread {
	return cluster.Between(time.Duration(least), time.Duration(least)+time.Duration(p.jitter))
}
