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
	if in, err := admit(&s, now, opts); err == nil {
		h := in.decideRevisions()
		if others, counted := in.excerpt(h, r); counted {
			if p, over := in.ended(h); over {
				return p, nil
			}
			return in.plan(h, others), nil
		}
	}
	s.Pods = readAll(r)
	return Reconcile(s, now, opts)
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
