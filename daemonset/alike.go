// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"time"

	"github.com/kplan-go/kplan/internal/base/tracked"
)

// alike is nodes that a snapshot leaves out because there are others like them: they are counted
// and not looked at. A batch leaves out none; a Tracker leaves out those of which it knows that
// a plan says nothing of them, and only needs their number. All of them should run a pod.
type alike struct {
	empty  int // nodes without a pod
	single groups
	next   time.Time
	hashes *tracked.Counter // of the pods of revisions, nil for none
}

// groups is how many nodes have one pod that may stay, by whether that is being deleted, current,
// ready and available: nothing else is known of one.
type groups [1 << 4]int32

// number is that of the group of nodes with a pod of these facts.
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

// old returns on how many of them an old pod is available. Of no other node with an old pod does
// a plan say nothing.
func (a *alike) old() int { return a.count(isAvailable, isCurrent|isTerminating) }

// serving returns on how many of them a pod is available.
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

// count returns on how many nodes the pod is of some facts, and of none of others.
func (a *alike) count(of, not facts) (n int) {
	for f, nodes := range a.single.all {
		if f.has(of) && !f.has(not) {
			n += int(nodes)
		}
	}
	return n
}
