// SPDX-License-Identifier: Apache-2.0

package daemonset

import "time"

// A PodReader is pods that stay where they are, such as objects of the API, and are read when
// a plan needs them: see [ReconcileFrom].
type PodReader interface {
	// Len returns how many pods there are.
	Len() int
	// Count writes into p what a pod counts for: Name, UID, Labels, the controller,
	// DeletionTimestamp, NodeName, PinnedNode, Phase, Ready and ReadySince, the zero values too,
	// since p holds another pod. What else it holds is not read. It reports whether there is such
	// a pod; others are left out. It may be called for a pod again.
	Count(i int, p *Pod) bool
	// Read writes all of a pod into p, which is zero. It is called for those that there are and
	// that the plan may act on or name.
	Read(i int, p *Pod)
}

// ReconcileFrom is [Reconcile] for the pods of r in place of those of s. In a large cluster most
// nodes have one pod that stays: these are counted where they are, and only the others are
// copied. The plan is that of Reconcile for a snapshot with all of the pods.
//
// All pods are copied for plans of the OpenKruise dialect, with a partition, a selector of nodes,
// ranks of nodes or updates in place, and if revisions have to go.
//
// If r is nil there are no pods.
func ReconcileFrom(s Snapshot, r PodReader, now time.Time, opts Options) (Plan, error) {
	s.Pods = nil
	if r == nil {
		return Reconcile(s, now, opts)
	}
	if p, planned := planFew(s, &source{reader: r, scratch: make([]Pod, min(batch, r.Len()))}, now, opts); planned {
		return p, nil
	}
	s.Pods = readAll(r)
	return planAll(&s, now, opts)
}

// planFew plans for a snapshot with the pods of r, and reports whether it could without copying
// all of them.
func planFew(s Snapshot, r *source, now time.Time, opts Options) (p Plan, planned bool) {
	s.Pods = nil
	in, err := admit(&s, now, opts)
	if err != nil {
		return p, false
	}
	h := in.decideRevisions()
	others, counted := in.excerpt(h, r)
	if !counted {
		return p, false
	}
	if p, over := in.ended(h); over {
		return p, true
	}
	return in.plan(h, others), true
}

// A source is pods in a list, or those of a reader, which are looked at one batch after the other.
type source struct {
	pods    []Pod
	reader  PodReader
	scratch []Pod
}

// batch is how many pods are looked at together.
const batch = 32

func (s *source) len() int {
	if s.reader != nil {
		return s.reader.Len()
	}
	return len(s.pods)
}

// look finds the pods from a number on, as far as counting reads them, nil where there is none.
func (s *source) look(from int, pods []*Pod) {
	for j := range pods {
		if s.reader == nil {
			pods[j] = &s.pods[from+j]
		} else if pods[j] = &s.scratch[j]; !s.reader.Count(from+j, pods[j]) {
			pods[j] = nil
		}
	}
}

// read copies a pod.
func (s *source) read(i int, p *Pod) {
	if s.reader != nil {
		s.reader.Read(i, p)
	} else {
		*p = s.pods[i]
	}
}

// readAll returns all pods.
func readAll(r PodReader) []Pod {
	var scratch Pod
	pods, n := make([]Pod, r.Len()), 0
	for i := range pods {
		if r.Count(i, &scratch) {
			r.Read(i, &pods[n])
			n++
		}
	}
	return pods[:n]
}
