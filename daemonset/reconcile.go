package daemonset

import "time"

// Reconcile returns the next step of the DaemonSet in s as of now. It performs
// nothing. The error, if any, wraps [ErrInvalid] and one [FieldError] for each field
// that cannot be used.
func Reconcile(s Snapshot, now time.Time, opts Options) (Plan, error) {
	st, err := admit(&s, now, opts)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Status: copyStatus(st.ds.Status)}
	if reason := st.stopped(); reason != "" {
		p.hold(Hold{Reason: reason})
		if reason == ReasonSelectingAll {
			p.Events = []Event{{Action: -1, Type: "Warning", Reason: "SelectingAll", Message: "This daemon set is selecting all pods. A non-empty selector is required."}}
		}
		p.Backoff = st.backoff.Sweep(st.now)
		return p, nil
	}
	st.plan(&p)
	p.Backoff = st.nextBackoff()
	return p, nil
}

// stopped returns why nothing at all is done, "" if something may be.
func (st *state) stopped() Reason {
	selects := st.ds.Selector
	all := selects != nil && len(selects.MatchLabels)+len(selects.MatchExpressions) == 0
	switch {
	case st.opts.kruise() && st.owner.Deleting:
		return ReasonDeleting
	case all:
		return ReasonSelectingAll
	case st.owner.Deleting:
		return ReasonDeleting
	}
	return ""
}

// plan makes one whole sync: revisions, claims, then either managing or updating, history
// and status (see A pass in rules.md).
func (st *state) plan(p *Plan) {
	if !st.construct(p) {
		return // the next hash is tried first
	}
	p.Actions = append(p.Actions, st.claims()...)
	st.group()
	p.Budget = Resolve(st.strategy, st.surge, st.maxUnavailable, st.desired)
	st.recheck(p)
	if st.unseen || st.opts.Freeze {
		reason := ReasonUnseen
		if st.opts.Freeze {
			reason = ReasonFrozen
		}
		p.hold(Hold{Reason: reason})
		st.status(p, !st.unseen)
		return
	}
	busy, failed := st.manage(p), false
	if !busy {
		st.refresh(p)
		failed = !st.update(p)
	} else if n := st.countOld(st.keys[:len(st.nodes)]); n > 0 && st.strategy == RollingUpdate && !st.ds.Paused {
		p.hold(Hold{Reason: ReasonManageFirst, Have: int64(n)})
	}
	if !failed && (!busy || !st.opts.kruise()) {
		st.cleanUp(p)
	}
	st.status(p, !busy || !st.opts.kruise())
}
