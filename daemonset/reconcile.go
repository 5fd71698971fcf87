// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"time"

	"github.com/kplan-go/kplan"
)

// Reconcile returns the next step of the DaemonSet in s as of now. It performs
// nothing. The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError] for each field
// that cannot be used.
func Reconcile(s Snapshot, now time.Time, opts Options) (Plan, error) {
	return reconcile(&s, podList(s.Pods), now, opts)
}

// ReconcileFrom is [Reconcile] with the pods of r instead of the pods of s. It copies only pods that
// it looks at closely: in a large cluster most nodes have one pod that stays. If r is nil there are
// no pods.
func ReconcileFrom(s Snapshot, r PodReader, now time.Time, opts Options) (Plan, error) {
	if r == nil {
		r = podList(nil)
	}
	return reconcile(&s, r, now, opts)
}

func reconcile(s *Snapshot, r PodReader, now time.Time, opts Options) (Plan, error) {
	in, h, err := read(s, r, now, opts)
	if err != nil {
		return Plan{}, err
	}
	if p, over := in.ended(h); over {
		return p, nil
	}
	return in.plan(h, omittedNodes{}), nil
}

// read checks the snapshot, decides the revisions, and reads the pods.
func read(s *Snapshot, r PodReader, now time.Time, opts Options) (*input, *history, error) {
	in, errs := admit(s, now, opts)
	h := &history{}
	if len(errs) == 0 {
		h = in.decideRevisions()
	}
	in.readPods(r, &h.version, &errs)
	return in, h, errs.Join()
}

// ended returns the plan of a pass that ends before it looks at the nodes.
func (in *input) ended(h *history) (p Plan, over bool) {
	if because := in.stopped(); because.Reason != "" {
		return in.writeStopped(because), true
	}
	if h.collision != nil {
		return in.writeCollision(h), true
	}
	return Plan{}, false
}

// plan returns the plan of a pass that looks at the nodes. A [Tracker] omits nodes from the input,
// and passes their counts.
func (in *input) plan(h *history, omitted omittedNodes) Plan {
	st := count(in, h, omitted)
	d := st.decide()
	return write(st, &d)
}

// stopped returns the hold of a pass that does nothing at all, and otherwise the zero Hold.
func (in *input) stopped() kplan.Hold[Reason] {
	selects := in.ds.Selector
	all := selects != nil && len(selects.MatchLabels)+len(selects.MatchExpressions) == 0
	stale, err := in.written.unseen(in.read)
	switch {
	case err != nil:
		return stale
	case in.opts.kruise() && in.owner.Deleting:
		return kplan.Hold[Reason]{Reason: ReasonDeleting}
	case all:
		return kplan.Hold[Reason]{Reason: ReasonSelectingAll}
	case in.owner.Deleting:
		return kplan.Hold[Reason]{Reason: ReasonDeleting}
	}
	return kplan.Hold[Reason]{}
}
