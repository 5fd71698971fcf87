// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
)

// status counts the nodes: a node that should run a pod counts by one of its pods. If observed is
// set, the status reports the generation as observed.
func (st *state) status(observed bool) Status {
	last := copyStatus(st.ds.Status)
	s := Status{ObservedGeneration: last.ObservedGeneration, CollisionCount: last.CollisionCount, DesiredNumberScheduled: st.desired}
	if observed {
		s.ObservedGeneration = st.ds.Generation
	}
	if st.opts.kruise() {
		s.UpdateRevision = st.version.Hash
	}
	for i := range st.nodes {
		k := &st.keys[i]
		switch {
		case k.count == 0:
		case k.run:
			s.addNodes(st.reportedFacts(k), 1)
		default:
			s.NumberMisscheduled++
		}
	}
	for f, n := range st.omitted.single.all {
		s.addNodes(f, n)
	}
	s.NumberUnavailable = s.DesiredNumberScheduled - s.NumberAvailable
	return s
}

// addNodes counts n nodes that should run a pod. The facts are of the pod that a node counts by.
func (s *Status) addNodes(f facts, n int32) {
	s.CurrentNumberScheduled += n
	if f.has(isReady) {
		s.NumberReady += n
		if f.has(isServing) {
			s.NumberAvailable += n
		}
	}
	if f.has(isCurrent) {
		s.UpdatedNumberScheduled += n
	}
}

// reportedFacts returns the facts of the pod that a node counts by in the status.
func (st *state) reportedFacts(k *nodeKey) facts {
	return st.facts[slices.MinFunc(st.podsOf(k), st.compareReported)]
}

// compareReported orders the pods of a node; the node counts by the first. The oldest pod comes
// first. With [quirk.StatusCountsDeletedPod] in Options.Repair, pods that are being deleted come last,
// and of the others first an available pod, then a ready pod, then a current pod, then the oldest.
func (st *state) compareReported(a, b int32) int {
	older := compareAge(st.pod(a), st.pod(b))
	if !st.opts.Repair.Has(quirk.StatusCountsDeletedPod) {
		return older
	}
	f, g := st.facts[a], st.facts[b]
	by := func(fact facts) int { return compareBool(g.has(fact), f.has(fact)) }
	return cmp.Or(-by(isTerminating), by(isAvailable), by(isReady), by(isCurrent), older)
}

// copyStatus returns a copy of a status that shares no memory with it.
func copyStatus(s Status) Status {
	if s.CollisionCount != nil {
		s.CollisionCount = ptr.To(*s.CollisionCount)
	}
	return s
}
