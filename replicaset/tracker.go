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

// A Tracker is a [Snapshot] that is kept up to date. A plan after each event then does not
// count all pods again. The zero Tracker is the zero Snapshot. [Tracker.Apply] applies
// changes, and [Tracker.Plan] returns the same plan as [Reconcile] for the current snapshot.
//
// With N pods, Apply takes O(log N) time for a change of one pod. Plan takes O(log N) time if
// the plan only creates pods, deletes a few, or has no actions, with these exceptions:
//
//   - A plan that deletes pods also moves the pods whose age bucket, see
//     [podorder.AgeBucket], has changed since the last such plan.
//   - The first plan that deletes pods sorts all pods. So does the next one after a change of
//     the siblings or the controller, or after more changes of pods than there are pods.
//   - All pods are counted again after a change of the selector, UID, name, kind, API
//     version, minReadySeconds or template labels, after the ReplicaSet begins to be deleted,
//     for another Dialect, and for a time before the time of the last plan.
//
// These plans take as long as Reconcile:
//
//   - plans that adopt or release pods;
//   - plans while two pods have the same UID;
//   - plans that depend on a time centuries away;
//   - plans that delete more than an eighth of the pods;
//   - plans that delete pods in another order than the default one;
//   - some plans that delete more than a sixteenth of the pods, and some while thousands of
//     pods became ready at the same instant, if ready pods differ in restarts or in the age
//     bucket of their creation.
//
// In addition to the pods, a Tracker takes at most 64 bytes for each pod. Once the pods are
// sorted, it also takes 120 bytes for each node with several pods. After most pods are gone,
// it may take up to twice as much.
//
// Use a Tracker in one goroutine at a time. Do not copy it by value, use [Tracker.Clone]: go vet
// reports such copies, and the methods of a copy panic. The JSON of a Tracker is the JSON of its
// Snapshot. Encode a pointer: package encoding/json does not call MarshalJSON for a Tracker that
// it cannot address, and encodes {}.
type Tracker struct {
	self tracked.Self
	content
}

// content is everything in a Tracker that a clone gets.
type content struct {
	rest       Snapshot // everything except the pods
	measure    *measure // nil before the first call of Apply or Plan
	pods       tracked.Table[podorder.Pod, tracked.Pods]
	records    paged.List[record] // of the pods, by number
	duplicates tracked.Duplicates // equal UIDs of pods that are not ignored
	distant    int                // waiting pods whose time does not fit an int64 of nanoseconds
	queue      paged.Queue        // the other waiting pods, by the time they become available
	observed   int64              // the time up to which pods have left the queue
	totals     totals             // without nextAvailable
	ranking    *ranking.List      // of the pods that may be deleted; nil until a plan needs it
}

// A record holds the state with which a Tracker has counted a pod.
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

// count is [input.count] with the totals of the Tracker. It sets the pods of the input, or its
// refs, if the plan needs pods.
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

// hasDuplicateUID reports whether two pods that are not ignored have the same UID.
func (t *Tracker) hasDuplicateUID() bool { return t.duplicates.Shared > 0 }

// checkUIDs returns the error for equal UIDs of pods. Equal names need no check: Apply keeps one
// pod for each name.
func (t *Tracker) checkUIDs(pods []podorder.Pod, roles []role) error {
	if !t.hasDuplicateUID() {
		return nil
	}
	var errs kplan.FieldErrors
	field.Unique(&errs, "Pods", len(pods), elements(pods, roles))
	return errs.Join()
}

// begin initializes a zero Tracker. It panics if the Tracker is a copy by value.
func (t *Tracker) begin() {
	t.self.Check("replicaset")
	if t.measure == nil {
		m := newMeasure(&ReplicaSet{}, "")
		t.measure, t.observed = &m, math.MinInt64
	}
}

// Snapshot returns the current snapshot. It takes O(N) time.
func (t *Tracker) Snapshot() Snapshot {
	t.begin()
	s := t.rest
	s.Pods = t.pods.List()
	return s
}

// Clone returns a separate Tracker for the same snapshot: changes of one do not affect the
// other. Clone takes the same time for any number of pods. The first changes of both Trackers
// take longer than later ones, because they copy the parts of the list of pods that they
// change.
func (t *Tracker) Clone() *Tracker {
	t.begin()
	c := &Tracker{content: t.content}
	c.begin()
	c.pods, c.records, c.queue = t.pods.Clone(), t.records.Clone(), t.queue.Clone()
	c.duplicates, c.ranking = t.duplicates.Clone(), t.ranking.Clone()
	return c
}

// MarshalJSON encodes the snapshot.
func (t *Tracker) MarshalJSON() ([]byte, error) { return json.Marshal(t.Snapshot()) }

// UnmarshalJSON decodes a snapshot and replaces the Tracker. The error is the error of
// invalid JSON or of [Tracker.Replace]; then the Tracker does not change.
func (t *Tracker) UnmarshalJSON(data []byte) error {
	t.begin()
	var s Snapshot
	if err := json.Unmarshal(data, &s); err != nil || string(data) == "null" {
		return err // null changes nothing, as for any other type
	}
	var loaded Tracker
	if err := loaded.Replace(s); err != nil {
		return err
	}
	t.content = loaded.content
	return nil
}

// hasDefaultOrder reports whether the options choose victims by the default order, which is the
// only order of package ranking.
func (o *Options) hasDefaultOrder() bool {
	return (o.Order.Chain == "" || o.Order.Chain == podorder.Current) && o.Order.Priority == "" && o.Order.Stages == nil &&
		o.Order.Protected == nil && !o.Spread && o.Dialect == ""
}

// front returns a few pods that include the first n to delete, and the number of neighbours on
// their nodes. If the ranking cannot tell the first n, front returns all pods and few is false.
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

// draft returns a draft of the pods in in.refs. If few is set, all of them count as replicas. The
// draft is nil if the order supports no draft.
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
