// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"encoding/json"
	"math"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/field"
	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/internal/base/ranking"
	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/podorder"
)

// A Tracker is a [Snapshot] that is kept up to date, so that a plan after each event does not
// count all pods again. The zero Tracker is the zero Snapshot. [Tracker.Apply] applies
// changes, and [Tracker.Plan] always returns the same plan as [Reconcile] for the snapshot at
// that time.
//
// With N pods, it takes O(log N) time to apply a change of a pod, and to make a plan that
// only creates pods, deletes a few, or finds nothing to do. A plan that deletes pods also
// looks again at pods that have come into another age bucket since the last such plan. Three
// plans that delete pods sort all pods: the first one, the next one after the siblings or the
// controller changed, and occasionally one after more changes than there are pods. Changes
// that affect all pods count all of them again: another selector, UID, name, kind, API
// version, minReadySeconds, template labels or Dialect, a ReplicaSet that begins to be
// deleted, and a time before the time of the last plan.
//
// Some plans take as long as Reconcile: plans that adopt or release pods, plans while two
// pods have the same UID, and plans that depend on a time centuries away. So do plans that
// delete more than an eighth of the pods, or use another order than the default. If ready
// pods differ in restarts or in the age bucket of their creation, so do plans that delete
// more than a sixteenth, and plans that meet thousands of pods that became ready at the same
// instant, or too few pods that do not wait for one of these with a later UID.
//
// In addition to the pods, a Tracker takes at most 64 bytes for each pod and, once the pods
// are sorted, 120 bytes for each node with several pods; and up to twice as much after most
// pods are gone.
//
// A Tracker belongs to one goroutine. A copy by assignment is not a separate Tracker: see
// [Tracker.Clone]. In JSON it is its Snapshot.
type Tracker struct {
	rest       Snapshot // everything except the pods
	measure    *measure // nil before anything was applied
	pods       tracked.Table[podorder.Pod, tracked.Pods]
	records    paged.List[record] // of the pods
	duplicates tracked.Duplicates // by UID, of the pods that a plan may touch
	distant    int                // pods that become available at a time that does not fit a number
	queue      paged.Queue        // of the pods that are waiting
	observed   int64              // pods up to this instant have left the queue
	totals     totals             // without the next instant
	ranking    *ranking.List      // of the pods that may be deleted; nil until a plan needs it
}

// A record is the state for which a Tracker has counted a pod.
type record struct {
	state state
	place int32 // in the queue, from 1; 0 if the pod is not in it
}

// Plan returns the result of Reconcile(t.Snapshot(), now, opts). The error is the error of
// [Reconcile].
func (t *Tracker) Plan(now time.Time, opts Options) (Plan, error) {
	t.begin()
	m := t.measure
	if m.dialect != opts.Dialect {
		other := newMeasure(&t.rest.ReplicaSet, opts.Dialect)
		m = &other
	}
	var in input
	if err := in.admit(&t.rest, now, &opts, m); err != nil {
		return Plan{}, err
	}
	if hold, stale := in.stale(); stale {
		return in.emptyPlan(hold), nil
	}
	if m != t.measure {
		t.recount(m)
	}
	c, err := t.count(&in)
	if err != nil {
		return Plan{}, err
	}
	return in.plan(&c), nil
}

// count is [input.count] from previous counts. It gives the input the pods that the plan
// needs, if any.
func (t *Tracker) count(in *input) (counts, error) {
	at, fits := tracked.Clock(in.now)
	if !fits || t.distant > 0 {
		in.Snapshot = t.Snapshot()
		return in.count(podList(in.Pods))
	}
	if in.unusable != nil {
		return counts{}, nil
	}
	t.advance(at)
	c := counts{totals: t.totals}
	if t.queue.Len() > 0 {
		_, c.nextAvailable = t.measure.state(t.pods.At(int(t.queue.First().Item)))
	}
	n := in.numbers(&c)
	if !t.hasDuplicateUID() && c.adopt == 0 && c.release == 0 {
		if !n.shrinks() {
			return c, nil
		}
		few := false
		in.refs, in.neighbours, few = t.front(in, int(n.change().remove), at)
		if c.onlyVictim = few && len(in.refs) == 1; c.onlyVictim {
			return c, nil
		}
		if c.draft = t.draft(in, few); c.draft != nil {
			return c, nil
		}
	}
	in.refs, in.neighbours = nil, nil
	in.Snapshot, c.roles = t.Snapshot(), make([]role, t.pods.Len())
	for i := range c.roles {
		c.roles[i] = t.records.At(i).state.role
	}
	return c, t.checkUIDs(in.Pods, c.roles)
}

// hasDuplicateUID reports whether two pods that a plan may touch have one UID.
func (t *Tracker) hasDuplicateUID() bool { return t.duplicates.Shared > 0 }

// checkUIDs returns the error for equal UIDs of pods. Their names differ, because Apply
// makes sure of that.
func (t *Tracker) checkUIDs(pods []podorder.Pod, roles []role) error {
	if !t.hasDuplicateUID() {
		return nil
	}
	var errs kplan.FieldErrors
	field.Unique(&errs, "Pods", len(pods), elements(pods, roles))
	return errs.Join()
}

// begin turns the zero Tracker into one that counts.
func (t *Tracker) begin() {
	if t.measure == nil {
		m := newMeasure(&ReplicaSet{}, "")
		t.measure, t.observed = &m, math.MinInt64
	}
}

// Snapshot returns the current snapshot. It takes O(N) time.
func (t *Tracker) Snapshot() Snapshot {
	s := t.rest
	s.Pods = t.pods.List()
	return s
}

// Finish returns the result of Finish(t.Snapshot(), p, r, now, opts): see [Finish]. It needs
// the pods only if the plan adopts or releases some.
func (t *Tracker) Finish(p Plan, r Report, now time.Time, opts Options) Result {
	s := t.rest
	if len(p.Actions) > 0 && isClaim(p.Actions[0]) {
		s.Pods = t.pods.List()
	}
	return Finish(s, p, r, now, opts)
}

// isClaim reports whether an action changes the owner of a pod. Such actions come first in a
// plan.
func isClaim(a Action) bool {
	switch a.(type) {
	case AdoptPod, ReleasePod:
		return true
	}
	return false
}

// Clone returns a separate Tracker for the same snapshot: changes of one of the two do not
// affect the other. It takes the same time for any number of pods. The first changes of each
// of the two take longer than others, because parts of the pods are copied as they change.
func (t *Tracker) Clone() Tracker {
	c := *t
	c.pods, c.records, c.queue = t.pods.Clone(), t.records.Clone(), t.queue.Clone()
	c.duplicates, c.ranking = t.duplicates.Clone(), t.ranking.Clone()
	return c
}

// MarshalJSON encodes the snapshot.
func (t Tracker) MarshalJSON() ([]byte, error) { return json.Marshal(t.Snapshot()) }

// UnmarshalJSON decodes a snapshot. Other than for invalid JSON, it returns the error of
// [Tracker.Apply], or an error if two pods have the same name.
func (t *Tracker) UnmarshalJSON(data []byte) error {
	var s Snapshot
	if err := json.Unmarshal(data, &s); err != nil || string(data) == "null" {
		return err // null changes nothing, as for any other type
	}
	var loaded Tracker
	d := Delta{ReplicaSet: &s.ReplicaSet, Siblings: s.Siblings, Expectations: &s.Expectations, Written: &s.Written, Read: &s.Read, Domains: &s.Domains}
	_ = loaded.Apply(d) // only a pod can be refused
	err := loaded.pods.Load(s.Pods, func(p *podorder.Pod) error { return loaded.Apply(Delta{Pod: PodEvent{New: p}}) })
	if err == nil {
		*t = loaded
	}
	return err
}

// hasDefaultOrder reports whether the options keep the order of a ranking.
func (o *Options) hasDefaultOrder() bool {
	return (o.Order.Chain == "" || o.Order.Chain == podorder.Current) && o.Order.Priority == "" && o.Order.Stages == nil &&
		o.Order.Protected == nil && !o.Spread && o.Dialect == ""
}

// front returns a few pods that include the first n to delete, and the neighbours on their nodes;
// or all pods, if only a sort of all pods finds the first n.
func (t *Tracker) front(in *input, n int, at int64) (refs []*podorder.Pod, neighbours podorder.Neighbours, few bool) {
	if in.opts.hasDefaultOrder() && n > 0 && 8*n <= t.pods.Len() {
		if t.ranking.Stale(t.pods.Len()) {
			t.ranking = ranking.New(&t.pods, in.related(nil), func(i int) bool { return t.records.At(i).state.role == roleActive }, in.now, at)
		}
		if refs, neighbours, few = t.ranking.Front(&t.pods, n, in.now, at); few {
			return refs, neighbours, true
		}
	}
	refs = make([]*podorder.Pod, t.pods.Len())
	for i := range refs {
		refs[i] = t.pods.At(i)
	}
	return refs, nil, false
}

// draft returns a draft of the pods in in.refs: few pods that all count, or all pods. It is nil
// for an order that has no drafts.
func (t *Tracker) draft(in *input, few bool) *podorder.Draft {
	d := in.newDraft(len(in.refs))
	if d == nil {
		return nil
	}
	for i, p := range in.refs {
		d.add(p, few || t.records.At(i).state.role.counts())
	}
	return d.choice()
}
