// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"time"

	"github.com/kplan-go/kplan/podorder"
)

// A PodReader is pods that stay where they are, such as objects of the API, and are read when
// a plan needs them: see [ReconcileFrom]. No two of them have one name or UID. One that also has
// a method Scratch() *podorder.Pod lends the memory that Count writes to; otherwise each plan
// takes its own.
type PodReader interface {
	// Len returns how many pods there are.
	Len() int
	// Count writes into p what a pod counts for: Labels, the controller, DeletionTimestamp,
	// NodeName, Phase, Ready and ReadySince, the zero values too, since p holds another pod. What
	// else it holds is not read. It reports whether there is such a pod; others are left out.
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
func ReconcileFrom(s Snapshot, r PodReader, now time.Time, opts Options) (Plan, error) {
	s.Pods = nil
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
	return in.plan(&c), nil
}

// countFrom is [input.count] for pods of a reader. It gives the input its pods if the plan is
// about any, and those alone among which the first are if it only deletes some.
func (in *input) countFrom(r PodReader) (counts, error) {
	if in.unusable != nil || r == nil {
		return counts{}, nil
	}
	var d *draft
	if in.opts.Order.Protected == nil { // or else it reads what is not counted
		d = in.draft(r.Len())
	}
	c := in.countEach(r, d)
	n, claims := in.numbers(&c), c.adopt > 0 || c.release > 0
	if !claims && !n.shrinks() {
		return c, nil
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

// countEach counts pods one by one, without their roles.
func (in *input) countEach(r PodReader, d *draft) (c counts) {
	var p *podorder.Pod
	if lends, ok := r.(interface{ Scratch() *podorder.Pod }); ok {
		p = lends.Scratch()
	} else {
		p = new(podorder.Pod)
	}
	for i := range r.Len() {
		if !r.Count(i, p) {
			d.add(nil, false)
			continue
		}
		mine := p.ControllerUID == in.set.UID
		if !mine && p.ControllerUID != "" {
			d.add(p, false)
			continue
		}
		if in.plain(p, mine) {
			in.countPlain(&c.totals, p)
			d.add(p, true)
			continue
		}
		s, at := in.state(p)
		in.countState(&c.totals, s, at)
		d.add(p, s.role.counts())
	}
	return c
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
