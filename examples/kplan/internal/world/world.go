// SPDX-License-Identifier: Apache-2.0

// Package world makes simulated clusters of package sim in which workloads are rolled out, with the
// means of users of that package alone.
//
//	Cluster, Beginnings --RollOut, Place--> Cluster --Run--> a Run of each: steps, and what became of pods
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

// A Run is the simulation of a workload, which has ended.
type Run struct {
	*sim.World
	Steps   []record.Step
	Sizes   []record.Sizes
	Done    bool            // whether it is complete
	GaveUp  time.Duration   // the time limit if that ended the simulation; 0 if nothing was left to happen
	History *record.History // of its objects and pods; nil unless it was asked for

	owns  func(uid string) bool
	waits func() *waiting // at the end
}

// Run simulates what becomes of workloads of one cluster, for a limited time, and keeps histories if that
// is asked for. What is applied to them is applied at once.
func (c *Cluster) Run(list []*Beginning, config sim.Config, limit time.Duration, history bool) ([]Run, error) {
	steps := record.NewSteps(&config)
	var kept *record.History
	if history {
		kept = record.NewHistory(&config, c.Now)
	}
	config.Place, config.Together = InTurn(), true
	// Bursts follow each other at once, so they make no difference but take time.
	config.ReplicaSet.Burst = math.MaxInt32
	config.DaemonSet.SumHolds = true // there may be a plan for each pod, and to name all nodes each time would be more than all else
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
	if !rests { // what the controllers wait for at the end, and for how long
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
