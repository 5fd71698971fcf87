// SPDX-License-Identifier: Apache-2.0

// Package world rolls out workloads in simulated clusters of package sim, through its exported API
// only.
//
//	Cluster, Beginnings --RollOut, Place--> Cluster --Run--> a Run of each: steps, sizes, history
package world

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/record"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
)

// A Run is a finished simulation of a workload.
type Run struct {
	*sim.World
	Steps   []record.Step
	Sizes   []record.Sizes
	Done    bool            // whether the rollout is complete
	GaveUp  time.Duration   // the time limit, if it ended the simulation; 0 if nothing was left to happen
	History *record.History // of its objects and pods; nil unless it was asked for

	owns  func(uid string) bool
	waits func() *waiting // evaluated at the end
}

// Run simulates workloads of one cluster together, for a limited time. The objects to apply are
// applied at the start. It keeps histories if history is true.
func (c *Cluster) Run(list []*Beginning, config sim.Config, limit time.Duration, history bool) ([]Run, error) {
	steps := record.NewSteps(&config)
	var kept *record.History
	if history {
		kept = record.NewHistory(&config, c.Now)
	}
	config.Place, config.Together = InTurn(), true
	// Bursts follow each other at once: limiting them would not change the result, but take time.
	config.ReplicaSet.Burst = math.MaxInt32
	config.DaemonSet.SumHolds = true // one hold for each node in each plan would take too long
	w, err := sim.New(c.Snapshot, config)
	if err != nil {
		return nil, err
	}
	for _, b := range list {
		if err = w.Put(b.Applied...); err != nil {
			return nil, err
		}
	}
	rests, err := w.Settle(limit)
	if err != nil {
		return nil, fmt.Errorf("after %v: %w", w.Now().Sub(c.Now), err)
	}
	if !rests { // so that the plans at the end show the reason and the duration
		w.Resync()
		if err = w.Run(w.Now()); err != nil {
			return nil, err
		}
	}
	runs, waits := make([]Run, 0, len(list)), sync.OnceValue(func() *waiting { return waitingIn(w) })
	for _, b := range list {
		r := Run{World: w, waits: waits, Sizes: steps.Sizes(b.Kind, b.Name), owns: func(uid string) bool { return steps.Owns(b.Kind, b.Name, uid) }}
		var complete time.Time
		r.Steps, complete = steps.Workload(b.Kind, b.Name)
		last := &r.Steps[len(r.Steps)-1]
		if b.Kind == sim.KindDaemonSet {
			last.Plan = r.eachHold(b.DaemonSet().UID, last.Plan.(daemonset.Plan), b.DaemonSetOptions(config.DaemonSet))
		}
		if r.Done = !complete.IsZero(); !r.Done && !rests {
			r.GaveUp, last.Time = limit, c.Now.Add(limit)
		}
		if history {
			r.History = kept.Owned(r.owns)
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// InTurn returns a scheduler that gives each pod the next node with room for it.
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
