// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"encoding/json"
	"time"

	"github.com/kplan-go/kplan/internal/base/tracked"
)

// A Tracker is a [Snapshot] that is kept up to date, so that a plan after each event does not
// look at all nodes and pods. The zero Tracker is the zero Snapshot. [Tracker.Apply] takes what
// changes, and [Tracker.Plan] returns what [Reconcile] returns for the snapshot as it is by
// then, always.
//
// A change of a node or pod takes O(log N) time for N nodes: its node alone is looked at. A plan
// counts the nodes that it says nothing of in groups of the same kind: those that have a new
// pod which is available, empty ones beyond the burst, and those with an old pod which is
// available beyond the budget or the burst. It takes the time for the others, which are the few where
// something is going on, or that it acts on or names. So does a pod that becomes available. A
// budget that is a share of the nodes lets many be in the way of an update, which a plan names:
// with [Options.SumHolds] and without surge they are counted in groups, too.
//
// The time of Reconcile take plans of the OpenKruise dialect, with a partition, a selector of
// nodes or ranks of nodes, or while two pods have one UID or one template has two revisions; and
// what changes the meaning of all pods counts all of them anew: another UID, selector, revision,
// template generation, minReadySeconds, placement of the template, other Options, a DaemonSet
// that begins to be deleted, and a time before that of the last plan.
//
// It belongs to one goroutine. A copy by assignment is not a Tracker of its own: see
// [Tracker.Clone]. In JSON it is its Snapshot. examples/controller, a complete controller,
// says in its README.md what to see to when informers feed one.
type Tracker struct {
	rest     Snapshot // all but nodes and pods
	pods     tracked.Table[Pod, ofPods]
	measure  *measure // of the counts; nil if nothing has been counted
	admitted *input   // without nodes and pods; nil if that has to be done anew
	measured bool     // the measure is the right one for it
	known    *history // what has been decided of the revisions as admitted; nil if that has to be done anew
	counts   counts
}

// Plan returns what Reconcile(t.Snapshot(), now, opts) does. The error is that of
// [Reconcile].
func (t *Tracker) Plan(now time.Time, opts Options) (Plan, error) {
	in, err := t.admit(now, opts)
	at, near := tracked.Clock(now)
	if err != nil || !near || opts.kruise() || in.ds.NodeSelector != nil {
		return Reconcile(t.Snapshot(), now, opts)
	}
	h := t.revise(in)
	if len(h.gone) > 0 { // a pod is new for what the plan relabels, until the next one
		return Reconcile(t.Snapshot(), now, opts)
	}
	t.take(in, h, at)
	if t.counts.twins.Shared > 0 || t.counts.ranked > 0 || !in.ds.Partition.IsZero() && in.total(t.counts.desired).reserved() > 0 {
		return Reconcile(t.Snapshot(), now, opts)
	}
	if p, over := in.ended(h); over {
		return p, nil
	}
	p := in.plan(h, t.excerpt(in))
	t.forget(in)
	return p, nil
}

// admit is [admit] without nodes and pods. What has been found right and compiled for one plan is so
// for the next, which has it for its own.
func (t *Tracker) admit(now time.Time, opts Options) (*input, error) {
	if t.admitted == nil || t.admitted.opts != opts || now.IsZero() {
		in, err := admit(&t.rest, now, opts)
		if err != nil {
			return nil, err
		}
		t.admitted, t.known, t.measured = in, nil, false
	}
	t.admitted.ds = &t.rest.DaemonSet // a clone has its own
	t.admitted.setNow(now)
	return t.admitted, nil
}

// Snapshot returns the snapshot that t is kept up to date with. It takes O(N) time.
func (t *Tracker) Snapshot() Snapshot {
	s := t.rest
	s.Nodes, s.Pods = t.counts.nodes(), t.pods.List()
	return s
}

// Finish returns what Finish(t.Snapshot(), p, r, now, opts) does: see [Finish]. It needs the
// nodes and pods only for a snapshot to plan from again.
func (t *Tracker) Finish(p Plan, r Report, now time.Time, opts Options) Result {
	result := Finish(t.rest, p, r, now, opts)
	if result.Again != nil {
		return Finish(t.Snapshot(), p, r, now, opts)
	}
	return result
}

// Clone returns a Tracker of its own that stands for the same snapshot: what is applied to
// one of the two, the other does not see. It takes the same time however many nodes and pods
// there are, and the first changes of each of the two take more than others, for parts of the
// lists are copied as they change.
func (t *Tracker) Clone() Tracker {
	c := *t
	if t.admitted != nil {
		in := *t.admitted
		in.drop() // a clone has its own memory
		c.admitted = &in
	}
	c.pods, c.counts = t.pods.Clone(), t.counts.clone()
	return c
}

// MarshalJSON encodes the snapshot.
func (t Tracker) MarshalJSON() ([]byte, error) { return json.Marshal(t.Snapshot()) }

// UnmarshalJSON decodes a snapshot. The error, if it is not one of JSON, is that of
// [Tracker.Apply], or two nodes or two pods have one name.
func (t *Tracker) UnmarshalJSON(data []byte) error {
	var s Snapshot
	if err := json.Unmarshal(data, &s); err != nil || string(data) == "null" {
		return err // null changes nothing, as of any other value
	}
	var loaded Tracker
	loaded.rest = s
	loaded.rest.Nodes, loaded.rest.Pods = nil, nil
	known := func(name string) bool { return loaded.counts.node(name) != nil }
	err := tracked.Load(ofNodes{}, s.Nodes, known, func(n *Node) error { return loaded.Apply(Delta{Node: NodeEvent{New: n}}) })
	if err == nil {
		err = loaded.pods.Load(s.Pods, func(p *Pod) error { return loaded.Apply(Delta{Pod: PodEvent{New: p}}) })
	}
	if err == nil {
		*t = loaded
	}
	return err
}
