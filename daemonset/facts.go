// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/internal/base/tracked"
)

// facts are the properties of a pod that a plan reads several times: it reads all pods once, and
// then mostly their facts.
type facts uint8

const (
	isTerminating facts = 1 << iota // it is being deleted
	isFinished                      // it has ended
	isPreparing                     // its label says that it is prepared for deletion
	isCurrent                       // it is new, or the plan relabels it so that it is
	isReady
	isAvailable // has been ready for minReadySeconds
	isServing   // available for the status: in OpenKruise, not during an update in place
	isTouched   // it may have an update in place under way
)

// factsOf returns the facts of a pod. The hash is the hash of its label after relabelling.
func factsOf(p *Pod, hash string, v *Version, a *Availability, kruise bool) facts {
	f := when(p.terminating(), isTerminating) | when(p.Finished(), isFinished) | when(v.matches(hash, p), isCurrent) |
		when(p.Ready, isReady) | when(a.Available(p), isAvailable) | when(p.touched(), isTouched)
	if kruise {
		return f | when(p.preparing(), isPreparing) | when(a.StatusAvailable(p), isServing)
	}
	return f | when(f.has(isAvailable), isServing)
}

// place returns the node that a pod of the DaemonSet counts for, "" for none. Kubernetes leaves out
// pods that have ended and are being deleted.
func (p *Pod) place(f facts, kruise bool) string {
	if !kruise && f.has(isFinished) && f.has(isTerminating) {
		return ""
	}
	return p.target()
}

// settled reports whether the manage step leaves a pod alone, if it is the only pod of a node that
// may keep it.
func (f facts) settled() bool { return !f.has(isTerminating | isFinished | isPreparing) }

// upToDate reports whether a node needs no update if this pod is its only pod.
func (f facts) upToDate() bool {
	return f&(isTerminating|isPreparing|isCurrent|isAvailable) == isCurrent|isAvailable
}

// isOld reports whether an update replaces the pod.
func (f facts) isOld() bool { return !f.has(isTerminating | isCurrent) }

// has reports whether at least one of the facts in anyOf holds.
func (f facts) has(anyOf facts) bool { return f&anyOf != 0 }

// when returns the facts if they hold, and otherwise none.
func when(holds bool, f facts) facts {
	if holds {
		return f
	}
	return 0
}

// A podFacts is a pod with its facts, or the zero podFacts for none.
type podFacts struct {
	number int32 // index of the pod in the snapshot, plus 1
	facts
}

func (p podFacts) exists() bool { return p.number > 0 }

// preparing reports whether there is a pod, and it is prepared for deletion.
func (p podFacts) preparing() bool { return p.exists() && p.has(isPreparing) }

// whyUnavailable returns the reason why a pod with these facts is not available.
func (f facts) whyUnavailable() kplan.Reason {
	if f.has(isReady) {
		return reason.NotAvailable
	}
	return reason.NotReady
}

// blockerReason returns the reason why a node with only a pod of these facts uses up the budget of
// an update without surge, "" if it does not. The pod is new, or old and available.
func (f facts) blockerReason() kplan.Reason {
	switch {
	case f.has(isTerminating):
		return reason.Terminating
	case f.has(isCurrent) && !f.has(isAvailable):
		return f.whyUnavailable()
	}
	return ""
}

// terminatingReason returns reason.Terminating for a pod that is being deleted, and otherwise "".
func (f facts) terminatingReason() kplan.Reason {
	if f.has(isTerminating) {
		return reason.Terminating
	}
	return ""
}

// omittedNodes counts the nodes that a Tracker leaves out of the input of a plan, since the plan
// needs only their number. All of them should run a pod. Reconcile leaves out no nodes.
type omittedNodes struct {
	empty  int              // nodes without a pod
	single groups           // nodes with one pod
	next   time.Time        // when the next pod that is alone on its node becomes available; zero for never
	hashes *tracked.Counter // of the pods on all nodes, not only on omitted nodes; nil in Reconcile
}

// groups counts nodes with one pod, which may stay there, by four facts of the pod: isTerminating,
// isCurrent, isReady and isAvailable.
type groups [1 << 4]int32

// group returns the index in groups of these facts: isTerminating is bit 0 there as well, and the
// other three facts, which are adjacent bits, are shifted to bits 1 to 3.
func (f facts) group() facts {
	return f&isTerminating | f&(isCurrent|isReady|isAvailable)/(isCurrent/2)
}

// add counts n more nodes, with a pod of these facts.
func (g *groups) add(f facts, n int32) { g[f.group()] += n }

// all yields the facts of each group that has nodes, and the number of its nodes.
func (g *groups) all(yield func(facts, int32) bool) {
	for i, n := range g {
		f := facts(i)&isTerminating | facts(i)&^isTerminating*(isCurrent/2)
		if n != 0 && !yield(f|when(f.has(isAvailable), isServing), n) {
			return
		}
	}
}

// desired returns the number of omitted nodes: all of them should run a pod.
func (o *omittedNodes) desired() int32 {
	n := int32(o.empty)
	for _, nodes := range o.single {
		n += nodes
	}
	return n
}

// old returns the number of omitted nodes with an old pod. The pod is available: a node with an
// unavailable old pod is never omitted.
func (o *omittedNodes) old() int { return o.count(isAvailable, isCurrent|isTerminating) }

// serving returns the number of omitted nodes with an available pod that is not being deleted.
func (o *omittedNodes) serving() int { return o.count(isAvailable, isTerminating) }

// blocking returns the number of omitted nodes that use up the budget of an update without surge.
func (o *omittedNodes) blocking() (n int) {
	for f, nodes := range o.single.all {
		if f.blockerReason() != "" {
			n += int(nodes)
		}
	}
	return n
}

// count returns the number of nodes with a pod that has at least one fact of the first set and no
// fact of the second.
func (o *omittedNodes) count(anyOf, noneOf facts) (n int) {
	for f, nodes := range o.single.all {
		if f.has(anyOf) && !f.has(noneOf) {
			n += int(nodes)
		}
	}
	return n
}

// A nodeFacts holds the properties of a node, and of its pods, that decide its kind.
type nodeFacts struct {
	facts     facts // of its only pod
	run, cont bool  // should run, should continue running
	old       bool  // there is an old pod that is not being deleted
}

// A kind is the way in which a Tracker counts a node.
type kind uint8

const (
	kindIdle    kind = iota // should run no pod, and has none; also a node that is in no list yet
	kindEmpty               // should run a pod, and has none
	kindSingle              // should run a pod, and has one pod that its facts describe fully
	kindSpecial             // any other node: every plan reads the node and its pods
)

// kindOf returns the kind of a node with a number of pods. Dead means that the node does not
// answer. Special means that a plan needs more than the facts of its only pod.
func (n *nodeFacts) kindOf(pods int, dead, special bool) kind {
	switch {
	case pods == 0 && !n.run:
		return kindIdle
	case dead:
		return kindSpecial
	case pods == 0:
		return kindEmpty
	case pods > 1 || special || !n.run || !n.cont || n.facts.has(isFinished) || n.old && !n.facts.has(isAvailable):
		return kindSpecial
	}
	return kindSingle
}
