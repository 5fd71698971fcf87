package replicaset

import (
	"time"

	"github.com/kplan-go/kplan/podorder"
)

// Reconcile returns the next step of the ReplicaSet in s as of now. It performs
// nothing. The error, if any, wraps [ErrInvalid] and one [FieldError] for each
// field that cannot be used.
func Reconcile(s Snapshot, now time.Time, opts Options) (Plan, error) {
	in, err := admit(&s, now, opts)
	if err != nil {
		return Plan{}, err
	}
	if u, stale := s.Written.unseen(s.Read); stale {
		reason := ReasonStalePods
		if u.owner {
			reason = ReasonStaleOwner
		}
		return in.writeNothing(held(reason, versionNumber(u.read), versionNumber(u.written))), nil
	}
	c, err := in.count()
	if err != nil {
		return Plan{}, err
	}
	if in.unusable {
		return in.writeNothing(held(ReasonBadSelector, 0, 0)), nil
	}
	d := in.decide(&c)
	return in.write(&c, &d), nil
}

// Explain returns why the pods that [Reconcile] deletes are deleted, and why the
// first one that stays does. The arguments are those of Reconcile.
func Explain(s Snapshot, now time.Time, opts Options) ([]podorder.Explanation, error) {
	in, err := admit(&s, now, opts)
	if err != nil || s.Written.Check(s.Read) != nil {
		return nil, err
	}
	c, err := in.count()
	if err != nil || in.unusable {
		return nil, err
	}
	d := in.decide(&c)
	if len(d.victims.Victims) == 0 {
		return nil, nil
	}
	order := in.order()
	return order.Explain(in.Pods, c.candidates(), d.victims), nil
}
