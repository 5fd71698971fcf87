// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"time"

	"github.com/kplan-go/kplan/internal/base/tracked"
)

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

// A kind tells how closely a plan has to look at a spot.
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

// kinds counts nodes by kind. A plan mentions only a few nodes of some kinds.
type kinds struct {
	desired int32 // nodes that should run a pod
	empty   int   // of these, without a pod
	old     int   // with an old pod, all of them
	young   int   // with one pod, a new one that is not available
	ending  int   // with one pod, which is being deleted
}

// says returns how many nodes of each kind the plan may mention: the first ones by name, if
// not all. Nodes with an old pod that is not available are not counted here, since the plan
// mentions all of them.
func (in *input) says(k *kinds) (say kinds) {
	if in.opts.Freeze || in.unseen {
		return say
	}
	// Without surge a node with a pod that is being deleted is only counted.
	sum := in.opts.SumHolds && !SurgeAllowed(in.strategy, in.surge)
	if !sum {
		say.ending = k.ending
	}
	st := in.total(k.desired)
	burst := st.burst()
	if burst > 0 && k.empty > 0 { // the plan creates pods, and updates none
		say.empty = min(burst, k.empty)
		return say
	}
	say.empty = k.empty
	if k.old == 0 || in.strategy != RollingUpdate || in.ds.Paused {
		return say
	}
	budget := Resolve(in.strategy, in.surge, in.maxUnavailable, k.desired)
	if budget.Surge > 0 {
		say.old = min(int(budget.Surge), burst)
		return say
	}
	// Each new pod that is not available uses up one, and so does each pod being deleted.
	say.old = min(int(budget.Unavailable)-k.young-k.ending, st.inOrder())
	if !sum {
		say.young = k.young
	}
	return say
}

// total returns a state that contains only the number of nodes.
func (in *input) total(desired int32) *state { return &state{input: in, desired: desired} }
