// SPDX-License-Identifier: Apache-2.0

package sim

import "github.com/kplan-go/kplan/internal/sim"

// Faults are how often each kind of trouble strikes: at the rate 1 as its comment says, at 2
// twice as often, and at 0 never.
type Faults struct {
	Crash       float64 // a controller stops behind a request in fifty, and forgets what it had in memory
	Stale       float64 // what controllers see is some writes behind, half of the times they look
	Skip        float64 // of several changes they see the last one only, one time in seven
	Flaky       float64 // a request in twelve is lost, or repeated, or works although the answer is lost
	Conflict    float64 // somebody else writes first, one time in ten
	LostEvents  float64 // controllers are not told of a change in fifty, for five minutes
	Disorder    float64 // work is done in another order, and again
	TwoLeaders  float64 // a second controller of a kind starts, and stops, every 20 seconds
	Clocks      float64 // those of controllers and nodes differ by up to seconds, and step back
	PodFailures float64 // twice in ten seconds a pod is deleted, evicted, or fails
	Unready     float64 // pods become unready, start slowly, or crash
	SlowEnds    float64 // one pod in ten ends late, or not until all is healed
	NoNode      float64 // a pod in ten finds no node at first
	NodeFaults  float64 // every seven seconds a node stops to answer, or is cordoned or drained
}

// AllFaults are all of them, at one rate.
func AllFaults(rate float64) (all Faults) {
	for _, f := range all.list() {
		*f.rate = rate
	}
	return all
}

// A fault is a kind of trouble: its name, how often it is to strike, and what it is for the
// engine, 0 if that draws it by itself.
type fault struct {
	name string
	rate *float64
	of   sim.Fault
}

// list returns the faults in the order of their fields.
func (f *Faults) list() []fault {
	return []fault{
		{"Crash", &f.Crash, sim.Crash}, {"Stale", &f.Stale, sim.Stale}, {"Skip", &f.Skip, sim.Skip}, {"Flaky", &f.Flaky, sim.Request},
		{"Conflict", &f.Conflict, 0}, {"LostEvents", &f.LostEvents, 0}, {"Disorder", &f.Disorder, sim.Disorder},
		{"TwoLeaders", &f.TwoLeaders, sim.Overlap}, {"Clocks", &f.Clocks, sim.Clocks}, {"PodFailures", &f.PodFailures, sim.PodMonkey},
		{"Unready", &f.Unready, sim.Readiness}, {"SlowEnds", &f.SlowEnds, sim.Termination}, {"NoNode", &f.NoNode, sim.Scheduling},
		{"NodeFaults", &f.NodeFaults, sim.Nodes},
	}
}

// A Report says what has happened in a [World] so far.
type Report struct {
	// Fired is how often each fault has struck, and Silent are those with a rate that never
	// have, in the order of the fields of Faults, whose names they have.
	Fired  map[string]int
	Silent []string
	// Expired is how often our controllers have given up to wait for writes of their own.
	Expired int
	Plans   int // made by controllers
	Writes  int
	Waiting int // pods that wait for a node now
}

// report says what has happened in an engine with faults.
func report(f *sim.Fleet, rates Faults) Report {
	strikes, touched, deafened := f.Fired()
	r := Report{Fired: map[string]int{}, Expired: f.Expired(), Plans: f.Plans(), Writes: int(f.Version()), Waiting: f.Waiting()}
	for _, fault := range rates.list() {
		n := 0
		switch {
		case fault.of != 0:
			n = strikes[fault.of]
		case fault.rate == &rates.Conflict:
			n = touched
		default:
			n = deafened
		}
		if n > 0 {
			r.Fired[fault.name] = n
		} else if *fault.rate > 0 {
			r.Silent = append(r.Silent, fault.name)
		}
	}
	return r
}
