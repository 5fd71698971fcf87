// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/revision"
)

// A decision is the result of one pass, with the reasons of the changes held back, before
// [write].
type decision struct {
	budget    Budget
	waits     kplan.Reason // the reason why the whole pass or update waits, "" if it does not
	manage    managing
	refreshes []refresh // next steps of updates in place under way
	update    updating
	unused    []int32 // old revisions to delete
	status    Status
	backoff   Backoff
	recheckAt time.Time
}

// updating is the result of the update step.
type updating struct {
	selection
	waits          kplan.Reason // ManageFirst, OnDelete, Paused or MissingNode: no pod is updated
	old            int          // number of nodes with an old pod; only set with the first three of these
	leftOut        []usage      // skipped dead nodes, or missing nodes that stop the update; by name
	strict         cause        // StrictUnavailable holds back unavailable old pods
	limit          cause        // the budget holds back available old pods
	blockers                    // nodes that use up the budget, or wait for the termination of their pods
	minAvailable   cause        // old pods stay on nodes that should not run a pod
	inPlace        []inPlaceUpdate
	tooManyInPlace cause
	changes
}

// decide decides one whole pass: either managing or updating, history and status (see A pass
// in rules.md).
func (st *state) decide() (d decision) {
	d.budget, d.recheckAt = Resolve(st.strategy, st.surge, st.maxUnavailable, st.desired), earlier(st.omitted.next, st.next)
	switch {
	case st.opts.Freeze:
		d.waits = reason.Frozen
	case st.unseen:
		d.waits = reason.Unseen
	}
	if d.waits != "" {
		d.status, d.backoff = st.status(!st.unseen), st.backoff.withStarted(nil, st.now)
		return d
	}
	d.manage = st.manage()
	d.backoff = st.backoff.withStarted(d.manage.started, st.now)
	for i := range d.manage.nodes {
		d.recheckAt = earlier(d.recheckAt, d.manage.nodes[i].RecheckAt)
	}
	busy := d.manage.any()
	if !busy {
		d.refreshes = st.refreshes()
		for i := range d.refreshes {
			d.recheckAt = earlier(d.recheckAt, d.refreshes[i].step.RecheckAt)
		}
		d.update = st.update(&d.budget, d.manage.marks)
	} else if n := st.countOld(st.keys[:len(st.nodes)]) + st.omitted.old(); n > 0 && st.strategy == RollingUpdate && !st.ds.Paused {
		d.update = updating{waits: reason.ManageFirst, old: n}
	}
	d.waits = d.update.waits
	if d.waits != reason.MissingNode && (!busy || !st.opts.kruise()) {
		d.unused = st.unused()
	}
	d.status = st.status(!busy || !st.opts.kruise())
	return d
}

// update decides which old pods are replaced, as the strategy allows. Marks are the pods that the
// manage step has found held by the hook.
func (st *state) update(budget *Budget, marks []Deletion) updating {
	n := st.countOld(st.keys) + st.omitted.old()
	switch {
	case n == 0:
		return updating{blockers: st.terminatingNodes()}
	case st.strategy == OnDelete:
		return updating{waits: reason.OnDelete, old: n, blockers: st.terminatingNodes()}
	case st.ds.Paused:
		return updating{waits: reason.Paused, old: n, blockers: st.terminatingNodes()}
	case budget.Surge > 0:
		return st.updateWithSurge(budget, n, marks)
	}
	return st.updateWithoutSurge(budget, n, marks)
}

// countOld counts the nodes with an old pod that is not being deleted.
func (st *state) countOld(keys []nodeKey) int {
	n := 0
	for i := range keys {
		if slices.ContainsFunc(st.podsOf(&keys[i]), func(p int32) bool { return st.facts[p].isOld() }) {
			n++
		}
	}
	return n
}

// hasSurplus reports whether there are more old revisions than the history limit.
func (in *input) hasSurplus(h *history) bool {
	limit := revision.DefaultLimit
	if in.ds.RevisionHistoryLimit != nil {
		limit = int(*in.ds.RevisionHistoryLimit)
	}
	return len(h.old) > limit
}

// unused returns the old revisions beyond the limit that no pod has.
func (st *state) unused() []int32 {
	if !st.hasSurplus(st.history) {
		return nil
	}
	old := make([]revision.ControllerRevision, len(st.old))
	for i, n := range st.old {
		old[i] = st.revisions[n]
	}
	var live []string
	if st.omitted.hashes != nil {
		live = st.omitted.hashes.Texts()
	}
	live = slices.Grow(live, len(st.owned))
	for _, n := range st.owned {
		if pod := st.reader.At(int(n)); pod.target() != "" { // a pod on no node keeps no revision
			live = append(live, st.version.hashOf(pod))
		}
	}
	gone := revision.CleanUpRevisions(old, live, st.ds.RevisionHistoryLimit)
	list := make([]int32, len(gone))
	for k, i := range gone {
		list[k] = st.old[i]
	}
	return list
}
