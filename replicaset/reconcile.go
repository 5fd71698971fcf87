// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset/reason"
)

// Reconcile returns the next step of the ReplicaSet in s as of now. It performs
// nothing. The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError] for each
// field that cannot be used.
func Reconcile(s Snapshot, now time.Time, opts Options) (Plan, error) {
	return reconcile(s, podList(s.Pods), now, opts)
}

// ReconcileFrom is [Reconcile] with the pods of r instead of the pods of s. Most passes of a
// cluster create pods or do nothing: they only count pods and copy none. If the plan deletes
// pods, it copies only pods that may be among the victims.
//
// If r is nil there are no pods.
func ReconcileFrom(s Snapshot, r PodReader, now time.Time, opts Options) (Plan, error) {
	s.Pods = nil
	return reconcile(s, r, now, opts)
}

func reconcile(s Snapshot, r PodReader, now time.Time, opts Options) (p Plan, err error) {
	var in input
	if err := in.admit(&s, now, &opts, nil); err != nil {
		return Plan{}, err
	}
	if hold, stale := in.stale(); stale {
		return in.emptyPlan(hold), nil
	}
	c, err := in.count(r)
	if err != nil {
		return Plan{}, err
	}
	if c.adopt > 0 || c.release > 0 || in.numbers(&c).shrinks() {
		in.readPods(r, &c)
	}
	in.writePlan(&p, &c)
	return p, nil
}

// readPods gives the input the pods of the reader that the plan needs: all pods, or a few
// that include the victims. The pods of a snapshot are in the input already.
func (in *input) readPods(r PodReader, c *counts) {
	if _, ok := r.(podList); ok {
		return
	}
	claims := c.adopt > 0 || c.release > 0
	if c.draft == nil || claims {
		c.draft, in.Pods = nil, make([]podorder.Pod, r.Len())
		for i := range in.Pods {
			if r.At(i) != nil {
				r.Read(i, &in.Pods[i])
			}
		}
		return
	}
	c.front = c.draft.Front(int(in.numbers(c).change().remove))
	in.Pods = make([]podorder.Pod, len(c.front))
	for at, i := range c.front {
		r.Read(i, &in.Pods[at])
	}
}

// stale returns the hold of the pass if a cache is older than the last writes.
func (in *input) stale() (kplan.Hold, bool) {
	if in.Written.Pods == "" && in.Written.ReplicaSets == "" {
		return kplan.Hold{}, false
	}
	u, stale := in.Written.unseen(in.Read)
	if !stale {
		return kplan.Hold{}, false
	}
	why := reason.StalePods
	if u.owner {
		why = reason.StaleOwner
	}
	return newHold(why, versionNumber(u.read), versionNumber(u.written)), true
}

// Explain returns why [Reconcile] deletes these pods, and why the first remaining pod stays.
// The arguments are the same as for Reconcile.
func Explain(s Snapshot, now time.Time, opts Options) ([]podorder.Explanation, error) {
	var in input
	if err := in.admit(&s, now, &opts, nil); err != nil || s.Written.Check(s.Read) != nil {
		return nil, err
	}
	c, err := in.count(podList(s.Pods))
	if err != nil || in.unusable != nil {
		return nil, err
	}
	d := in.decide(&c)
	if len(d.victims.Victims) == 0 {
		return nil, nil
	}
	order := in.order()
	return order.Explain(in.Pods, c.candidates(), d.victims), nil
}
