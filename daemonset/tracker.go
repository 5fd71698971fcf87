// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"encoding/json"
	"time"

	"github.com/kplan-go/kplan/internal/base/tracked"
)

// A Tracker is a [Snapshot] that is kept up to date, so that a plan after each event does not
// look at all nodes and pods. The zero Tracker is the zero Snapshot. [Tracker.Apply] takes
// changes, and [Tracker.Plan] always returns the plan of [Reconcile] for the current snapshot.
//
// A change of a node or pod takes O(log N) time for N nodes: only its node is looked at. A
// plan counts most nodes in groups: nodes with an available new pod, empty nodes beyond the
// burst, and nodes with an available old pod beyond the budget or the burst. It takes time for
// each other node: the few nodes with a change under way, and the nodes that it acts on or
// names. A pod that becomes available takes time as well. If the budget is a share of the
// nodes, many nodes may block an update, and the plan names each: with [Options.SumHolds] and
// without surge they are counted in groups, too.
//
// Some plans take the time of Reconcile: plans of the OpenKruise dialect, plans with a
// partition, a selector of nodes or ranks of nodes, and plans while two pods have one UID or
// one template has two revisions. All pods are counted again after a change that affects all
// of them: another UID, selector, revision, template generation, minReadySeconds, placement of
// the template, other Options, a DaemonSet that begins to be deleted, and a time before the
// last plan.
//
// A Tracker belongs to one goroutine. Do not copy it by assignment: see [Tracker.Clone]. In
// JSON it is its Snapshot. The README.md of examples/controller, a complete controller,
// explains how informers feed a Tracker.
type Tracker struct {
	rest     Snapshot // all but nodes and pods
	pods     tracked.Table[Pod, ofPods]
	measure  *measure // of the counts; nil if nothing has been counted
	admitted *input   // without nodes and pods; nil if not computed
	measured bool     // the measure fits admitted
	known    *history // the decision about the revisions as admitted; nil if not computed
	counts   counts
}

// Plan returns Reconcile(t.Snapshot(), now, opts), including its error.
func (t *Tracker) Plan(now time.Time, opts Options) (Plan, error) {
	in, err := t.admit(now, opts)
	at, near := tracked.Clock(now)
	if err != nil || !near || opts.kruise() || in.ds.NodeSelector != nil {
		return Reconcile(t.Snapshot(), now, opts)
	}
	h := t.revise(in)
	if len(h.gone) > 0 { // relabelled pods count as new in this plan only
		return Reconcile(t.Snapshot(), now, opts)
	}
	t.take(in, h, at)
	if t.counts.twins.Shared > 0 || t.counts.ranked > 0 || !in.ds.Partition.IsZero() && in.total(t.counts.desired).reserved() > 0 {
		return Reconcile(t.Snapshot(), now, opts)
	}
	if p, over := in.ended(h); over {
		return p, nil
	}
	p := in.plan(h, t.excerpt(in, h))
	in.nodes, in.index, in.podSet = nil, nameIndex{}, podSet{} // the input stays, and the excerpt need not
	return p, nil
}

// admit is [admit] without nodes and pods. It reuses the input of the last plan, already
// checked and compiled, while that still applies.
func (t *Tracker) admit(now time.Time, opts Options) (*input, error) {
	if t.admitted == nil || t.admitted.opts != opts || now.IsZero() {
		in, errs := admit(&t.rest, now, opts)
		if len(errs) > 0 {
			return nil, errs.Join()
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

// Finish returns Finish(t.Snapshot(), p, r, now, opts): see [Finish]. It needs the nodes and
// pods only for a snapshot to plan from again.
func (t *Tracker) Finish(p Plan, r Report, now time.Time, opts Options) Result {
	result := Finish(t.rest, p, r, now, opts)
	if result.Again != nil {
		return Finish(t.Snapshot(), p, r, now, opts)
	}
	return result
}

// Clone returns a separate Tracker with the same snapshot: a change applied to one of the two
// does not affect the other. It takes constant time. The first changes of each of the two take
// longer than others, because parts of the lists are copied as they change.
func (t *Tracker) Clone() Tracker {
	c := *t
	if t.admitted != nil {
		in := *t.admitted
		c.admitted = &in
	}
	c.pods, c.counts = t.pods.Clone(), t.counts.clone()
	return c
}

// MarshalJSON encodes the snapshot.
func (t Tracker) MarshalJSON() ([]byte, error) { return json.Marshal(t.Snapshot()) }

// UnmarshalJSON decodes a snapshot. The error, unless it is a JSON error, is an error of
// [Tracker.Apply], or reports two nodes or two pods with one name.
func (t *Tracker) UnmarshalJSON(data []byte) error {
	var s Snapshot
	if err := json.Unmarshal(data, &s); err != nil || string(data) == "null" {
		return err // null changes nothing, as usual in JSON
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
