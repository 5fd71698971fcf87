// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/internal/base/ptr"
)

// status counts the nodes, each desired node by one of its pods. With seen, the generation
// counts as observed.
func (st *state) status(seen bool) Status {
	s := copyStatus(st.ds.Status)
	s = Status{ObservedGeneration: s.ObservedGeneration, CollisionCount: s.CollisionCount, DesiredNumberScheduled: st.desired}
	if seen {
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
			s.countPods(st.reported(k), 1)
		default:
			s.NumberMisscheduled++
		}
	}
	for f, n := range st.others.single.all {
		s.countPods(f, n)
	}
	s.NumberUnavailable = s.DesiredNumberScheduled - s.NumberAvailable
	return s
}

// countPods counts n nodes that should run a pod, by one of their pods.
func (s *Status) countPods(f facts, n int32) {
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

// reported returns the facts of the pod that stands for a node in the status: the oldest, or
// if [StatusCountsDeletedPod] is repaired the best.
func (st *state) reported(k *nodeKey) facts {
	return st.facts[slices.MinFunc(st.podsOf(k), st.compareReported)]
}

func (st *state) compareReported(a, b int32) int {
	older := compareAge(st.pod(a), st.pod(b))
	if !st.opts.Repair.Has(StatusCountsDeletedPod) {
		return older
	}
	f, g := st.facts[a], st.facts[b]
	by := func(fact facts) int { return compareBool(g.has(fact), f.has(fact)) }
	return cmp.Or(-by(isTerminating), by(isAvailable), by(isReady), by(isCurrent), older)
}

// copyStatus returns the last written status, to be written again.
func copyStatus(s Status) Status {
	if s.CollisionCount != nil {
		s.CollisionCount = ptr.To(*s.CollisionCount)
	}
	return s
}
