// SPDX-License-Identifier: Apache-2.0

// Package world makes simulated clusters of package sim in which a workload is rolled out, with the
// means of users of that package alone.
//
//	Beginning --Finished, Place, Apply--> Beginning --Run--> Run: steps, and what became of pods
package world

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/record"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
)

// A beginning is where the simulation of a workload begins: a cluster, and what is applied to it.
type Beginning struct {
	cluster.Snapshot
	Kind      sim.Kind // of the workload: a Deployment, a ReplicaSet by itself, or a DaemonSet
	Namespace string
	Name      string // as in the world, with the namespace
	Template  string // the ID of the wanted one, or its hash
	// NodesOfPods is whether the nodes are those that pods are on, of which nothing else is known.
	NodesOfPods bool
	Applied     []any // as World.Put takes them
}

// Plain is the name of the workload as in a cluster.
func (b *Beginning) Plain() string { return strings.TrimPrefix(b.Name, b.Namespace+"/") }

// A Run is a simulation that has ended.
type Run struct {
	*sim.World
	Steps   []record.Step   // of the workload
	Sizes   []record.Sizes  // of it
	Done    bool            // whether it is complete
	GaveUp  time.Duration   // the time limit if that ended the simulation; 0 if nothing was left to happen
	History *record.History // nil unless it was asked for
}

// Run simulates what follows, for a limited time, and keeps a history if that is asked for.
func (b *Beginning) Run(config sim.Config, limit time.Duration, history bool) (r Run, err error) {
	steps := record.NewSteps(&config)
	if history {
		r.History = record.NewHistory(&config, b.Now)
	}
	config.Place, config.Together = InTurn(), true
	// Bursts follow each other at once, so they make no difference but take time.
	config.ReplicaSet.Burst = math.MaxInt32
	config.DaemonSet.SumHolds = true // there may be a plan for each pod, and to name all nodes each time would be more than all else
	if r.World, err = sim.New(b.Snapshot, config); err != nil {
		return r, err
	}
	if err = r.Put(b.Applied...); err != nil {
		return r, err
	}
	rests, err := r.Settle(limit)
	if err != nil {
		return r, fmt.Errorf("after %v: %w", r.Now().Sub(b.Now), err)
	}
	if !rests { // what the controllers wait for at the end, and for how long
		r.Resync()
		if err = r.World.Run(r.Now()); err != nil {
			return r, err
		}
	}
	var complete time.Time
	r.Steps, complete = steps.Workload(b.Kind, b.Name)
	r.Sizes = steps.Sizes(b.Kind, b.Name)
	if b.Kind == sim.KindDaemonSet {
		last := &r.Steps[len(r.Steps)-1]
		last.Plan = r.eachHold(b.DaemonSet().UID, last.Plan.(daemonset.Plan), b.DaemonSetOptions(config.DaemonSet))
	}
	if r.Done = !complete.IsZero(); !r.Done && !rests {
		r.GaveUp, r.Steps[len(r.Steps)-1].Time = limit, b.Now.Add(limit)
	}
	return r, nil
}

// InTurn is a scheduler that gives each pod the next node that it fits.
func InTurn() func(scheduler.Pod, *scheduler.Nodes) string {
	next := 0
	return func(p scheduler.Pod, n *scheduler.Nodes) string {
		i := n.First(next, p)
		if i < 0 {
			i = n.First(0, p)
		}
		if i < 0 {
			return ""
		}
		next = i + 1
		return n.At(i).Name
	}
}
