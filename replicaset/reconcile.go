// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
)

// Reconcile returns the next step of the ReplicaSet in s as of now. It performs
// nothing. The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError] for each
// field that cannot be used.
func Reconcile(s Snapshot, now time.Time, opts Options) (Plan, error) {
	return reconcile(s, podList(s.Pods), now, opts)
}

func reconcile(s Snapshot, r PodReader, now time.Time, opts Options) (p Plan, err error) {
	var in input
	if err := in.admit(&s, now, &opts, nil); err != nil {
		return Plan{}, err
	}
	if hold, stale := in.stale(); stale {
		return in.writeNothing(hold), nil
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

// stale returns what holds the pass back if a cache is older than what was written.
func (in *input) stale() (kplan.Hold[Reason], bool) {
	if in.Written.Pods == "" && in.Written.ReplicaSets == "" {
		return kplan.Hold[Reason]{}, false
	}
	u, stale := in.Written.unseen(in.Read)
	if !stale {
		return kplan.Hold[Reason]{}, false
	}
	reason := ReasonStalePods
	if u.owner {
		reason = ReasonStaleOwner
	}
	return held(reason, versionNumber(u.read), versionNumber(u.written)), true
}

// Explain returns why the pods that [Reconcile] deletes are deleted, and why the
// first one that stays does. The arguments are those of Reconcile.
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
