// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"encoding/json"
	"math"
	"time"

	"github.com/kplan-go/kplan/internal/base/lineup"
	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/podorder"
)

// A Tracker is a [Snapshot] that is kept up to date, so that a plan after each event does not
// count all pods anew. The zero Tracker is the zero Snapshot. [Tracker.Apply] takes what
// changes, and [Tracker.Plan] returns what [Reconcile] returns for the snapshot as it is by
// then, always.
//
// A change of a pod takes O(log N) time for N pods, and so does a plan that only creates pods,
// deletes a few, or finds nothing to do. One that deletes also looks again at pods that have come
// into another bucket of ages since the last one that did. The first one puts all in line, and so does
// the first one after other siblings, or another controller, came to be, and now and then one after
// more changes than there are pods. What changes the meaning of all pods counts all of them anew:
// another selector, UID, name, kind, minReadySeconds, template label or Dialect, a ReplicaSet that
// begins to be deleted, and a time before that of the last plan.
//
// The time of Reconcile take plans that adopt or release pods, while two pods have one UID, and
// while a time that a plan depends on is centuries away. Of plans that delete pods these take it
// too: those that delete more than an eighth, or choose by an order of the caller's; and once ready
// pods have not lived alike those that delete more than a sixteenth, and those that come upon
// thousands that became ready at one instant, or few that do not wait for one with a later UID.
//
// Beside the pods it takes at most 64 bytes for each, and once they are in line 120 for each node
// that several of them are on; and up to twice as much once most of those that there were have gone.
//
// It belongs to one goroutine. A copy by assignment is not a Tracker of its own: see
// [Tracker.Clone]. In JSON it is its Snapshot.
type Tracker struct {
	rest     Snapshot // all but the pods
	measure  *measure // nil before anything was applied
	pods     tracked.Table[podorder.Pod, tracked.Pods]
	records  paged.List[record] // of the pods
	twins    tracked.Twins      // by UID, of the pods that a plan may touch
	distant  int                // pods that become available beyond all clocks
	queue    paged.Queue        // of the pods that are waiting
	observed int64              // up to which instant pods have left the queue
	totals   totals             // without the next instant
	line     *lineup.Line       // of those that may be deleted; nil if nobody has asked
}

// A record is what a Tracker has counted a pod for.
type record struct {
	state state
	place int32 // in the queue, from 1; 0 if it is not there
}

// Plan returns what Reconcile(t.Snapshot(), now, opts) does. The error is that of
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
		return in.writeNothing(hold), nil
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

// count is [input.count] from what has been counted before. It gives the input the snapshot
// with the pods if the plan is about any.
func (t *Tracker) count(in *input) (counts, error) {
	at, near := tracked.Clock(in.now)
	if !near || t.distant > 0 {
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
	if !t.twinned() && c.adopt == 0 && c.release == 0 {
		if !n.shrinks() {
			return c, nil
		}
		few := false
		in.refs, in.neighbours, few = t.front(in, int(n.change().remove), at)
		if c.found = few && len(in.refs) == 1; c.found {
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
	return c, t.checkTwins(in.Pods, c.roles)
}

// twinned reports whether two pods that a plan may touch have one UID.
func (t *Tracker) twinned() bool { return t.twins.Shared > 0 }

// checkTwins returns what is wrong with the UIDs of the pods. Their names differ, because
// Apply sees to it.
func (t *Tracker) checkTwins(pods []podorder.Pod, roles []role) error {
	if !t.twinned() {
		return nil
	}
	touched := newDuplicateCheck(len(pods))
	for i := range pods {
		touched.add(&pods[i], roles[i])
	}
	return touched.check(pods, roles)
}

// begin makes of the zero Tracker one that counts.
func (t *Tracker) begin() {
	if t.measure == nil {
		m := newMeasure(&ReplicaSet{}, "")
		t.measure, t.observed = &m, math.MinInt64
	}
}

// Snapshot returns the snapshot that t is kept up to date with. It takes O(N) time.
func (t *Tracker) Snapshot() Snapshot {
	s := t.rest
	s.Pods = t.pods.List()
	return s
}

// Finish returns what Finish(t.Snapshot(), p, r, now, opts) does: see [Finish]. It needs the
// pods only if the plan adopts or releases some.
func (t *Tracker) Finish(p Plan, r Report, now time.Time, opts Options) Result {
	s := t.rest
	if len(p.Actions) > 0 && isClaim(p.Actions[0]) {
		s.Pods = t.pods.List()
	}
	return Finish(s, p, r, now, opts)
}

// isClaim reports whether an action changes whose a pod is. Such actions come first in a plan.
func isClaim(a Action) bool {
	switch a.(type) {
	case AdoptPod, ReleasePod:
		return true
	}
	return false
}

// Clone returns a Tracker of its own that stands for the same snapshot: what is applied to
// one of the two, the other does not see. It takes the same time however many pods there are,
// and the first changes of each of the two take more than others, for parts of the pods are
// copied as they change.
func (t *Tracker) Clone() Tracker {
	c := *t
	c.pods, c.records, c.queue = t.pods.Clone(), t.records.Clone(), t.queue.Clone()
	c.twins, c.line = t.twins.Clone(), t.line.Clone()
	return c
}

// MarshalJSON encodes the snapshot.
func (t Tracker) MarshalJSON() ([]byte, error) { return json.Marshal(t.Snapshot()) }

// UnmarshalJSON decodes a snapshot. The error, if it is not one of JSON, is that of
// [Tracker.Apply], or two pods have one name.
func (t *Tracker) UnmarshalJSON(data []byte) error {
	var s Snapshot
	if err := json.Unmarshal(data, &s); err != nil || string(data) == "null" {
		return err // null changes nothing, as of any other value
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
