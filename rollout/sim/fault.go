// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// Faults are the rates of each kind of fault: at rate 1 as in its comment, at 2 twice as often,
// and at 0 never.
type Faults struct {
	Crash       float64 // a controller stops after one request in fifty, and loses its memory
	Stale       float64 // half of the reads of controllers miss the last writes
	Skip        float64 // one time in seven they see only the last of several changes
	Flaky       float64 // a request in twelve is lost, or repeated, or works although the answer is lost
	Conflict    float64 // one time in ten another client writes first
	LostEvents  float64 // controllers miss one change in fifty, for five minutes
	Disorder    float64 // work is done in another order, and again
	TwoLeaders  float64 // a second controller of a kind starts, and stops, every 20 seconds
	Clocks      float64 // clocks of controllers and nodes differ by up to seconds, and step back
	PodFailures float64 // twice in ten seconds a pod is deleted, evicted, or fails
	Unready     float64 // pods become unready, start slowly, or crash
	SlowEnds    float64 // one pod in ten ends late, or not until all is healed
	NoNode      float64 // a pod in ten finds no node at first
	NodeFaults  float64 // every seven seconds a node stops answering, or is cordoned or drained
}

// AllFaults returns all faults at one rate.
func AllFaults(rate float64) (all Faults) {
	for _, f := range all.list() {
		*f.rate = rate
	}
	return all
}

// A fault is a kind of fault: its name and its rate.
type fault struct {
	name string
	rate *float64
	of   trouble.Fault
}

// list returns the faults in the order of their fields.
func (f *Faults) list() []fault {
	return []fault{
		{"Crash", &f.Crash, trouble.Crash}, {"Stale", &f.Stale, trouble.Stale}, {"Skip", &f.Skip, trouble.Skip}, {"Flaky", &f.Flaky, trouble.Request},
		{"Conflict", &f.Conflict, trouble.Conflict}, {"LostEvents", &f.LostEvents, trouble.LostEvents}, {"Disorder", &f.Disorder, trouble.Disorder},
		{"TwoLeaders", &f.TwoLeaders, trouble.Overlap}, {"Clocks", &f.Clocks, trouble.Clocks}, {"PodFailures", &f.PodFailures, trouble.PodMonkey},
		{"Unready", &f.Unready, trouble.Readiness}, {"SlowEnds", &f.SlowEnds, trouble.Termination}, {"NoNode", &f.NoNode, trouble.Scheduling},
		{"NodeFaults", &f.NodeFaults, trouble.Nodes},
	}
}

// rates returns the faults as the engine draws them.
func (f *Faults) rates() (r trouble.Rates) {
	for _, of := range f.list() {
		r[of.of] = *of.rate
	}
	return r
}
