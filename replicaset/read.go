// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"time"

	"github.com/kplan-go/kplan/podorder"
)

// A PodReader is pods that stay where they are, such as objects of the API, and are read when
// a plan needs them: see [ReconcileFrom]. No two of them have one name or UID. One that also has
// a method Scratch() *podorder.Pod lends the memory that Count writes to if the pods are few;
// otherwise each plan takes its own.
type PodReader interface {
	// Len returns how many pods there are.
	Len() int
	// Count writes into p what a pod counts for: Labels, the controller, DeletionTimestamp,
	// NodeName, Phase, Ready and ReadySince, the zero values too, since p holds another pod. What
	// else it holds is not read. It reports whether there is such a pod; others are left out. It
	// may be called for a pod again.
	Count(i int, p *podorder.Pod) bool
	// Read writes all of a pod into p, which is zero. It is called for those that there are,
	// and only if the plan adopts, releases or deletes pods: if it deletes some, for those that
	// may be among the first.
	Read(i int, p *podorder.Pod)
}

// ReconcileFrom is [Reconcile] for the pods of r in place of those of s. Most passes of a
// cluster find nothing to do, or create pods, for which pods need to be counted only: then no
// pod is copied. The plan is that of Reconcile for a snapshot with all of the pods.
//
// If r is nil there are no pods.
func ReconcileFrom(s Snapshot, r PodReader, now time.Time, opts Options) (p Plan, err error) {
	s.Pods, s.Distinct = nil, true
	var in input
	if err := in.admit(&s, now, &opts, nil); err != nil {
		return Plan{}, err
	}
	if hold, stale := in.stale(); stale {
		return in.writeNothing(hold), nil
	}
	c, err := in.countFrom(r)
	if err != nil {
		return Plan{}, err
	}
	in.writePlan(&p, &c)
	return p, nil
}

// countFrom is [input.count] for pods of a reader. It gives the input its pods if the plan is
// about any, and those alone among which the first are if it only deletes some.
func (in *input) countFrom(r PodReader) (counts, error) {
	if in.unusable != nil || r == nil {
		return counts{}, nil
	}
	var d *draft
	drafted := in.opts.Order.Protected == nil // or else it reads what is not counted
	if drafted && r.Len() > fewDrafted {
		d = in.draft(r.Len())
	}
	c := in.countEach(r, d)
	n, claims := in.numbers(&c), c.adopt > 0 || c.release > 0
	if !claims && !n.shrinks() {
		return c, nil
	}
	if drafted && !claims && r.Len() <= fewDrafted {
		if d = in.draft(r.Len()); d != nil {
			in.countEach(r, d)
		}
	}
	if c.draft = d.choice(); c.draft == nil || claims {
		in.Pods = readAll(r)
		return in.count()
	}
	c.front = c.draft.Front(int(n.change().remove))
	in.Pods = make([]podorder.Pod, len(c.front))
	for at, i := range c.front {
		r.Read(i, &in.Pods[at])
	}
	return c, nil
}

// countEach counts pods without their roles: few of them one by one, as that takes less memory.
func (in *input) countEach(r PodReader, d *draft) (c counts) {
	n := r.Len()
	if n >= manyRead {
		in.countBatches(&c, d, r)
		return c
	}
	p := scratch(r)
	for i := range n {
		there := r.Count(i, p)
		if there && in.plain(p) {
			in.countPlain(&c.totals, p)
			if d != nil {
				d.add(p, true)
			}
			continue
		}
		in.countRead(&c, d, p, there)
	}
	return c
}

// manyRead is how many pods are more than the fast memory holds.
const manyRead = 1 << 14

// countBatches counts pods a batch at a time.
func (in *input) countBatches(c *counts, d *draft, r PodReader) {
	n, memory := r.Len(), make([]podorder.Pod, batch)
	for from := 0; from < n; from += batch {
		pods, there := memory[:min(batch, n-from)], uint32(0)
		for i := range pods {
			if r.Count(from+i, &pods[i]) {
				there |= 1 << i
			}
		}
		plain := there & in.allPlain(pods)
		for i := range pods {
			if plain>>i&1 != 0 {
				in.countPlain(&c.totals, &pods[i])
				d.add(&pods[i], true)
			} else {
				in.countRead(c, d, &pods[i], there>>i&1 != 0)
			}
		}
	}
}

// countRead counts a pod that was read, if it is there, and that is not plain.
func (in *input) countRead(c *counts, d *draft, p *podorder.Pod, there bool) {
	switch {
	case !there:
		d.add(nil, false)
	case !in.concerns(p):
		d.add(p, false)
	default:
		s, at := in.state(p)
		in.countState(&c.totals, s, at)
		d.add(p, s.role.counts())
	}
}

// scratch returns memory for a pod.
func scratch(r PodReader) *podorder.Pod {
	if lends, ok := r.(interface{ Scratch() *podorder.Pod }); ok {
		return lends.Scratch()
	}
	return new(podorder.Pod)
}

func readAll(r PodReader) []podorder.Pod {
	var scratch podorder.Pod
	pods, n := make([]podorder.Pod, r.Len()), 0
	for i := range pods {
		if r.Count(i, &scratch) {
			r.Read(i, &pods[n])
			n++
		}
	}
	return pods[:n]
}
