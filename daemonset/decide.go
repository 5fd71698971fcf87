// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/revision"
)

// A decision is the result of one pass, with the reasons of the changes held back, before
// [write].
type decision struct {
	budget    Budget
	waits     Reason // what all nodes wait for, "" if each has its own cause
	manage    managing
	refresh   []refreshment
	update    updating
	unused    []int32 // old revisions beyond the limit
	status    Status
	backoff   Backoff
	recheckAt time.Time
}

// updating is how old pods are replaced.
type updating struct {
	selection
	waits          Reason  // ManageFirst, OnDelete, Paused or MissingNode: there is no update
	old            int     // of ManageFirst, OnDelete and Paused: nodes with an old pod
	leftOut        []usage // dead nodes, by name, or missing ones that stop the update
	strict         cause   // old pods that are not available wait
	limit          cause   // old pods that are available wait
	blockers               // nodes that use up the budget or whose pods are ending
	minAvailable   cause   // old pods on nodes that should run none wait
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
		d.waits = ReasonFrozen
	case st.unseen:
		d.waits = ReasonUnseen
	}
	if d.waits != "" {
		d.status, d.backoff = st.status(!st.unseen), st.backoff.after(nil, st.now)
		return d
	}
	d.manage = st.manage()
	d.backoff = st.backoff.after(d.manage.started, st.now)
	for i := range d.manage.nodes {
		d.recheckAt = earlier(d.recheckAt, d.manage.nodes[i].RecheckAt)
	}
	busy := d.manage.any()
	if !busy {
		d.refresh = st.refresh()
		for i := range d.refresh {
			d.recheckAt = earlier(d.recheckAt, d.refresh[i].step.RecheckAt)
		}
		d.update = st.update(&d.budget, d.manage.marks)
	} else if n := st.countOld(st.keys[:len(st.nodes)]) + st.omitted.old(); n > 0 && st.strategy == RollingUpdate && !st.ds.Paused {
		d.update = updating{waits: ReasonManageFirst, old: n}
	}
	d.waits = d.update.waits
	if d.waits != ReasonMissingNode && (!busy || !st.opts.kruise()) {
		d.unused = st.unused()
	}
	d.status = st.status(!busy || !st.opts.kruise())
	return d
}

// update decides which old pods are replaced, as the strategy allows. Marks are the pods
// that the hook holds already.
func (st *state) update(budget *Budget, marks []Deletion) updating {
	n := st.countOld(st.keys) + st.omitted.old()
	switch {
	case n == 0:
		return updating{blockers: st.ending()}
	case st.strategy == OnDelete:
		return updating{waits: ReasonOnDelete, old: n, blockers: st.ending()}
	case st.ds.Paused:
		return updating{waits: ReasonPaused, old: n, blockers: st.ending()}
	case budget.Surge > 0:
		return st.updateWithSurge(budget, n, marks)
	}
	return st.updateWithoutSurge(budget, n, marks)
}

// countOld counts the nodes with an old pod that is not being deleted.
func (st *state) countOld(keys []nodeKey) int {
	n := 0
	for i := range keys {
		for _, p := range st.podsOf(&keys[i]) {
			if st.facts[p].isOld() {
				n++
				break
			}
		}
	}
	return n
}

// surplus reports whether there are more old revisions than the history limit.
func (in *input) surplus(h *history) bool {
	limit := revision.DefaultLimit
	if in.ds.RevisionHistoryLimit != nil {
		limit = int(*in.ds.RevisionHistoryLimit)
	}
	return len(h.old) > limit
}

// unused returns the old revisions beyond the limit that no pod has.
func (st *state) unused() []int32 {
	if !st.surplus(st.history) {
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
		if pod := st.reader.At(int(n)); pod.target() != "" { // a pod of no node holds nothing
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
