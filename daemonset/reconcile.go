package daemonset

import "time"

// Reconcile returns the next step of the DaemonSet in s as of now. It performs
// nothing. The error, if any, wraps [ErrInvalid] and one [FieldError] for each field
// that cannot be used.
func Reconcile(s Snapshot, now time.Time, opts Options) (Plan, error) {
	in, err := admit(&s, now, opts)
	if err != nil {
		return Plan{}, err
	}
	if reason := in.stopped(); reason != "" {
		return in.writeStopped(reason), nil
	}
	h := in.decideRevisions()
	if h.collision != nil {
		return in.writeCollision(&h), nil
	}
	st := count(in, h)
	d := st.decide()
	return write(st, &d), nil
}

// stopped returns why nothing at all is done, "" if something may be.
func (in *input) stopped() Reason {
	selects := in.ds.Selector
	all := selects != nil && len(selects.MatchLabels)+len(selects.MatchExpressions) == 0
	switch {
	case in.opts.kruise() && in.owner.Deleting:
		return ReasonDeleting
	case all:
		return ReasonSelectingAll
	case in.owner.Deleting:
		return ReasonDeleting
	}
	return ""
}
