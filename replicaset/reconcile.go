// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset/reason"
)

// Reconcile returns the next step of the ReplicaSet in s at the time now. It performs
// nothing. The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError] for each
// invalid field.
func Reconcile(s Snapshot, now time.Time, opts Options) (Plan, error) {
	return reconcile(s, podList(s.Pods), now, opts)
}

// ReconcileFrom is [Reconcile] with the pods of r instead of the pods of s. A pass that only
// creates pods or does nothing copies no pod. A pass that adopts or releases pods copies all.
// A pass that only deletes pods copies those that may be victims, but all pods if the last
// status does not show more pods than wanted, or if Options.Order has a Priority, Stages or
// Protected, or with Options.Spread.
//
// If r is nil, there are no pods.
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

// readPods copies the pods that the plan needs from the reader to the input: all pods, or a few
// that include the victims. For pods of a snapshot it does nothing: the input has them.
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

// stale returns the hold of the pass, and true, if a cache is older than the last writes.
func (in *input) stale() (kplan.Hold, bool) {
	if in.Written.Children == "" && in.Written.Owner == "" {
		return kplan.Hold{}, false
	}
	unseen, stale := in.Written.Unseen(in.Read)
	if !stale {
		return kplan.Hold{}, false
	}
	why := reason.StalePods
	if unseen.Owner {
		why = reason.StaleOwner
	}
	read, written := unseen.Numbers()
	return newHold(why, read, written), true
}

// Explain returns why [Reconcile] deletes its victims, and why the first remaining pod stays.
// The result is nil if Reconcile deletes no pods. The arguments and the error are those of
// Reconcile.
func Explain(s Snapshot, now time.Time, opts Options) ([]podorder.Explanation, error) {
	var in input
	if err := in.admit(&s, now, &opts, nil); err != nil {
		return nil, err
	}
	if _, stale := in.stale(); stale {
		return nil, nil
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
