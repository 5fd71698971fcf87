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
