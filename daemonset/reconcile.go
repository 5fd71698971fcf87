// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset/reason"
)

// Reconcile returns the next step of the DaemonSet in s at the time now. It performs nothing. The
// error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError] for each invalid field.
func Reconcile(s Snapshot, now time.Time, opts Options) (Plan, error) {
	return reconcile(&s, podList(s.Pods), now, opts)
}

// ReconcileFrom is [Reconcile] with the pods of r instead of the pods of s. It reads all fields
// only of pods that the plan acts on or that are not as they should be: in a large cluster most
// nodes have one pod that stays. Unlike Reconcile it does not check that the names and UIDs of pods
// are set and unique, since a cache is keyed by them. If r is nil there are no pods.
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
	if p, ends := in.planWithoutNodes(h); ends {
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

// planWithoutNodes returns the plan of a pass that ends before it looks at the nodes, and whether
// the pass does.
func (in *input) planWithoutNodes(h *history) (p Plan, ends bool) {
	if hold := in.stopHold(); hold.Reason != "" {
		return in.writeStopped(hold), true
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

// stopHold returns the hold of a pass that does nothing at all, and otherwise the zero Hold. For a
// DaemonSet with an empty selector that is being deleted, Kubernetes records the event about the
// selector, and OpenKruise does not.
func (in *input) stopHold() kplan.Hold {
	if unseen, stale := in.written.Unseen(in.read); stale { // Finish returns an error
		why := reason.StalePods
		if unseen.Owner {
			why = reason.StaleOwner
		}
		read, written := unseen.Numbers()
		return kplan.Hold{Reason: why, Have: read, Limit: written}
	}
	switch {
	case in.selectsAll() && !(in.opts.kruise() && in.owner.Deleting):
		return kplan.Hold{Reason: reason.SelectingAll}
	case in.owner.Deleting:
		return kplan.Hold{Reason: reason.Deleting}
	}
	return kplan.Hold{}
}
