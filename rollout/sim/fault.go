// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"

	"github.com/kplan-go/kplan/internal/sim"
)

// A Fault is a kind of trouble.
type Fault string

// The faults, with what they do at the rate 1.
const (
	Crash       Fault = "crash"       // a controller stops behind a request in fifty, and forgets what it had in memory
	Stale       Fault = "stale"       // what controllers see is some writes behind, half of the times they look
	Skip        Fault = "skip"        // of several changes they see the last one only, one time in seven
	Flaky       Fault = "flaky"       // a request in twelve is lost, or repeated, or works although the answer is lost
	Conflict    Fault = "conflict"    // somebody else writes first, one time in ten
	LostEvents  Fault = "lost events" // controllers are not told of a change in fifty, for five minutes
	Disorder    Fault = "disorder"    // work is done in another order, and again
	TwoLeaders  Fault = "two leaders" // a second controller of a kind starts, and stops, every 20 seconds
	Clocks      Fault = "clocks"      // those of controllers and nodes differ by up to seconds, and step back
	PodFailures Fault = "pods"        // twice in ten seconds a pod is deleted, evicted, or fails
	Unready     Fault = "unready"     // pods become unready, start slowly, or crash
	SlowEnds    Fault = "slow ends"   // one pod in ten ends late, or not until all is healed
	NoNode      Fault = "no node"     // a pod in ten finds no node at first
	NodeFaults  Fault = "nodes"       // every seven seconds a node stops to answer, or is cordoned or drained
)

// Faults returns all of them.
func Faults() []Fault {
	return []Fault{Crash, Stale, Skip, Flaky, Conflict, LostEvents, Disorder, TwoLeaders, Clocks, PodFailures, Unready, SlowEnds, NoNode, NodeFaults}
}

// A Report says what has happened in a [World] so far.
type Report struct {
	// Fired is how often each fault has struck, and Silent are those with a rate that never
	// have, in the order of Faults.
	Fired  map[Fault]int
	Silent []Fault
	// Expired is how often our controllers have given up to wait for writes of their own.
	Expired int
	Plans   int // made by controllers
	Writes  int
	Waiting int // pods that wait for a node now
}

// report says what has happened in an engine with faults.
func report(f *sim.Fleet, rates map[Fault]float64) Report {
	strikes, touched, deafened := f.Fired()
	r := Report{Fired: map[Fault]int{}, Expired: f.Expired(), Plans: f.Plans(), Writes: int(f.Version()), Waiting: f.Waiting()}
	for _, fault := range Faults() {
		n := 0
		switch fault {
		case Conflict:
			n = touched
		case LostEvents:
			n = deafened
		default:
			for _, of := range engineFaults(fault) {
				n += strikes[of]
			}
		}
		if n > 0 {
			r.Fired[fault] = n
		} else if rates[fault] > 0 {
			r.Silent = append(r.Silent, fault)
		}
	}
	return r
}

// unknownFaults are those that there are not, or that have no rate.
func unknownFaults(rates map[Fault]float64) (unknown []Fault) {
	for f, rate := range rates {
		if !slices.Contains(Faults(), f) || !(rate >= 0) {
			unknown = append(unknown, f)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// engineFaults are those of the engine that a fault is made of.
func engineFaults(f Fault) []sim.Fault {
	switch f {
	case Crash:
		return []sim.Fault{sim.Crash}
	case Stale:
		return []sim.Fault{sim.Stale}
	case Skip:
		return []sim.Fault{sim.Skip}
	case Flaky:
		return []sim.Fault{sim.Request}
	case Disorder:
		return []sim.Fault{sim.Disorder}
	case TwoLeaders:
		return []sim.Fault{sim.Overlap}
	case Clocks:
		return []sim.Fault{sim.Clocks}
	case PodFailures:
		return []sim.Fault{sim.PodMonkey}
	case Unready:
		return []sim.Fault{sim.Readiness}
	case SlowEnds:
		return []sim.Fault{sim.Termination}
	case NoNode:
		return []sim.Fault{sim.Scheduling}
	case NodeFaults:
		return []sim.Fault{sim.Nodes}
	}
	return nil
}
