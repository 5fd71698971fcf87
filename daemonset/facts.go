// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"time"

	"github.com/kplan-go/kplan/internal/base/tracked"
)

// facts are the answers about a pod that a plan needs again and again. Large clusters are
// planned in one pass over the pods and several over their facts.
type facts uint8

const (
	isTerminating facts = 1 << iota // it is being deleted
	isFinished                      // it has ended
	isPreparing                     // it is about to be deleted
	isCurrent                       // it is new, after what the plan relabels
	isReady
	isAvailable // has been ready for minReadySeconds
	isServing   // available for the status
	isTouched   // there may be an update in place to refresh
)

// factsOf returns the facts of a pod; hash is its hash after the plan has relabelled it.
func factsOf(p *Pod, hash string, v *Version, a *Availability, kruise bool) facts {
	f := when(p.terminating(), isTerminating) | when(p.Finished(), isFinished) | when(v.matches(hash, p), isCurrent) |
		when(p.Ready, isReady) | when(a.Available(p), isAvailable) | when(p.touched(), isTouched)
	if kruise {
		return f | when(p.preparing(), isPreparing) | when(a.StatusAvailable(p), isServing)
	}
	return f | when(f.has(isAvailable), isServing)
}

// place returns the node that counts a pod of the DaemonSet, "" if no node does.
func (p *Pod) place(f facts, kruise bool) string {
	if !kruise && f.has(isFinished) && f.has(isTerminating) {
		return ""
	}
	return p.target()
}

// settled reports whether a pod that is alone on its node, and may stay there, certainly
// stays.
func (f facts) settled() bool { return !f.has(isTerminating | isFinished | isPreparing) }

// upToDate reports whether a pod that is alone on its node certainly leaves nothing to update.
func (f facts) upToDate() bool {
	return f&(isTerminating|isPreparing|isCurrent|isAvailable) == isCurrent|isAvailable
}

// isOld reports whether an update replaces the pod.
func (f facts) isOld() bool { return !f.has(isTerminating | isCurrent) }

// has reports whether any of the facts holds.
func (f facts) has(any facts) bool { return f&any != 0 }

func when(holds bool, f facts) facts {
	if holds {
		return f
	}
	return 0
}

// A podFacts is a pod with its facts, or the zero podFacts for none.
type podFacts struct {
	number int32 // from 1
	facts
}

func (p podFacts) exists() bool { return p.number > 0 }

// preparing reports whether there is a pod that is about to be deleted.
func (p podFacts) preparing() bool { return p.exists() && p.has(isPreparing) }

// unavailable returns why a pod is not available.
func (p podFacts) unavailable() Reason {
	if p.has(isReady) {
		return ReasonNotAvailable
	}
	return ReasonNotReady
}

// uses returns why a node uses up the budget of an update without surge if its only pod has
// these facts, "" if it does not.
func (f facts) uses() Reason {
	switch {
	case f.has(isTerminating):
		return ReasonTerminating
	case f.has(isCurrent) && !f.has(isAvailable):
		return podFacts{facts: f}.unavailable()
	}
	return ""
}

// ends returns why a node waits for the end of its only pod, "" if it does not.
func (f facts) ends() Reason {
	if f.has(isTerminating) {
		return ReasonTerminating
	}
	return ""
}

// alike counts nodes that a snapshot leaves out because other nodes are like them: a plan
// needs only their number. A batch leaves out no nodes; a Tracker leaves out nodes that a plan
// does not mention. All of them should run a pod.
type alike struct {
	empty  int // nodes without a pod
	single groups
	next   time.Time
	hashes *tracked.Counter // of the pods of revisions, nil for none
}

// groups counts nodes with one pod that may stay, by four facts of the pod: being deleted,
// current, ready and available.
type groups [1 << 4]int32

// number returns the number of the group of nodes with a pod of these facts.
func (f facts) number() facts {
	return f&isTerminating | f&(isCurrent|isReady|isAvailable)/(isCurrent/2)
}

// add counts n more nodes, with a pod of these facts.
func (g *groups) add(f facts, n int32) { g[f.number()] += n }

// all yields the facts of each group, and how many nodes it has.
func (g *groups) all(yield func(facts, int32) bool) {
	for i, n := range g {
		f := facts(i)&isTerminating | facts(i)&^isTerminating*(isCurrent/2)
		if n != 0 && !yield(f|when(f.has(isAvailable), isServing), n) {
			return
		}
	}
}

// desired returns how many nodes there are.
func (a *alike) desired() int32 {
	n := int32(a.empty)
	for _, nodes := range a.single {
		n += nodes
	}
	return n
}

// old returns the number of nodes with an available old pod. A plan mentions every other node
// with an old pod.
func (a *alike) old() int { return a.count(isAvailable, isCurrent|isTerminating) }

// serving returns the number of nodes with an available pod.
func (a *alike) serving() int { return a.count(isAvailable, isTerminating) }

// blocking returns how many of them use up the budget of an update without surge.
func (a *alike) blocking() (n int) {
	for f, nodes := range a.single.all {
		if f.uses() != "" {
			n += int(nodes)
		}
	}
	return n
}

// count returns the number of nodes with a pod that has any fact of the first set and none of
// the second.
func (a *alike) count(of, not facts) (n int) {
	for f, nodes := range a.single.all {
		if f.has(of) && !f.has(not) {
			n += int(nodes)
		}
	}
	return n
}

// A spot is a node with the facts about its pods that decide whether a plan looks closer.
type spot struct {
	facts     facts // of a single pod
	run, cont bool  // should run, should continue running
	old       bool  // there is an old pod that is not being deleted
}

// A kind determines how closely a plan has to look at a spot.
type kind uint8

const (
	spotIdle   kind = iota // it should run no pod, and has none
	spotEmpty              // it should run a pod, and has none
	spotSingle             // it should run a pod, and has one about which the facts say everything
	spotOdd                // anything else
)

// kindOf returns the kind of a spot. A single pod may be odd for other reasons than its facts.
func (s *spot) kindOf(pods int, dead, odd bool) kind {
	switch {
	case pods == 0 && !s.run:
		return spotIdle
	case dead:
		return spotOdd
	case pods == 0:
		return spotEmpty
	case pods > 1 || odd || !s.run || !s.cont || s.facts.has(isFinished) || s.old && !s.facts.has(isAvailable):
		return spotOdd
	}
	return spotSingle
}
