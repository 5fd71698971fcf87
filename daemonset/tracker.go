// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/revision"
)

// A Tracker is a [Snapshot] that is kept up to date, so that a plan after each event does not
// look at all nodes and pods. The zero Tracker is the zero Snapshot. [Tracker.Apply] takes
// changes, and [Tracker.Plan] always returns the plan of [Reconcile] for the current snapshot.
//
// A change of a node or pod takes O(log N) time for N nodes: a Tracker looks only at this node. A
// plan counts most nodes in groups: nodes with an available new pod; empty nodes beyond the burst of
// creations; and nodes with an available old pod beyond the budget or the burst of deletions. It takes O(log N) time for each pod that has become available, and
// looks one by one at the nodes in no group: the few nodes with a change under way, and the nodes
// that the plan acts on or names. If the budget is a share of the nodes, many nodes may use it up,
// and the plan names each. With [Options.SumHolds] and without surge they are counted in groups,
// too.
//
// Some plans take the time of Reconcile, see Complexity in rules.md for all cases: most notably
// plans of the OpenKruise dialect, plans with a partition, a NodeSelector or ranks of nodes, and
// the first plan after a change that affects all pods, such as another revision.
//
// A Tracker belongs to one goroutine. Do not copy it by value, use [Tracker.Clone]: go vet reports
// such copies, and the methods of a copy panic. The JSON of a Tracker is the JSON of its
// Snapshot. Encode a pointer:
// package encoding/json does not call MarshalJSON for a Tracker that it cannot address, and
// encodes {}. The README.md of examples/controller, a complete controller, explains how informers
// feed a Tracker.
type Tracker struct {
	self tracked.Self
	content
}

// content is everything in a Tracker that a clone gets.
type content struct {
	rest     Snapshot // all but nodes and pods
	pods     tracked.Table[Pod, ofPods]
	measure  *measure // everything other than nodes and pods by which they are counted; nil until the first plan
	admitted *input   // rest, checked; nil before the first plan and after a change that matters: see sameAdmitted
	measured bool     // measure is known to match admitted
	decided  *history // the decision about the revisions of admitted; nil if none may be reused: see Tracker.history
	counts   counts
}

// Plan returns Reconcile(t.Snapshot(), now, opts), including its error.
func (t *Tracker) Plan(now time.Time, opts Options) (Plan, error) {
	t.begin()
	in, err := t.admit(now, opts)
	at, near := tracked.Clock(now)
	if err != nil || !near || opts.kruise() || in.ds.NodeSelector != nil {
		return Reconcile(t.Snapshot(), now, opts)
	}
	h := t.history(in)
	if len(h.gone) > 0 { // the plan relabels pods of duplicate revisions, and only this plan counts them as new
		return Reconcile(t.Snapshot(), now, opts)
	}
	t.updateCounts(in, h, at)
	if t.counts.uids.Shared > 0 || t.counts.ranked > 0 || !in.ds.Partition.IsZero() && in.withTotal(t.counts.desired).reserved() > 0 {
		return Reconcile(t.Snapshot(), now, opts)
	}
	if p, ends := in.planWithoutNodes(h); ends {
		return p, nil
	}
	p := in.plan(h, t.addExcerpt(in, h))
	in.nodes, in.index, in.podSet = nil, nameIndex{}, podSet{} // t.admitted outlives the plan, and must not keep the excerpt in memory
	return p, nil
}

// begin panics if the Tracker is a copy by value.
func (t *Tracker) begin() { t.self.Check("daemonset") }

// admit is [admit] without nodes and pods. It reuses the input of the last plan, already
// checked and compiled, while that still applies.
func (t *Tracker) admit(now time.Time, opts Options) (*input, error) {
	if t.admitted == nil || t.admitted.opts != opts || now.IsZero() {
		in, errs := admit(&t.rest, now, opts)
		if len(errs) > 0 {
			return nil, errs.Join()
		}
		t.admitted, t.decided, t.measured = in, nil, false
	}
	t.admitted.ds = &t.rest.DaemonSet // in a Clone, admitted has the DaemonSet of the original
	t.admitted.setNow(now)
	return t.admitted, nil
}

// Snapshot returns the current snapshot. It takes O(N) time.
func (t *Tracker) Snapshot() Snapshot {
	t.begin()
	s := t.rest
	s.Nodes, s.Pods = t.counts.nodes(), t.pods.List()
	return s
}

// Clone returns a separate Tracker with the same snapshot: a change applied to one of the two
// does not affect the other. It takes constant time. The first changes of each of the two take
// longer than others, because parts of the lists are copied as they change.
func (t *Tracker) Clone() *Tracker {
	t.begin()
	c := &Tracker{content: t.content}
	c.begin()
	if t.admitted != nil {
		in := *t.admitted
		c.admitted = &in
	}
	c.pods, c.counts = t.pods.Clone(), t.counts.clone()
	return c
}

// MarshalJSON encodes the snapshot.
func (t *Tracker) MarshalJSON() ([]byte, error) { return json.Marshal(t.Snapshot()) }

// UnmarshalJSON decodes a snapshot. The error, unless it is a JSON error, is an error of
// [Tracker.Replace]. After an error nothing has changed.
func (t *Tracker) UnmarshalJSON(data []byte) error {
	t.begin()
	var s Snapshot
	if err := json.Unmarshal(data, &s); err != nil || string(data) == "null" {
		return err // null changes nothing, as usual in JSON
	}
	var loaded Tracker
	if err := loaded.Replace(s); err != nil {
		return err
	}
	t.content = loaded.content
	return nil
}

// Replace replaces the snapshot with the lists of a cache, such as those that an informer has after
// it has listed all objects again. Events that were lost before, such as the deletion of a node,
// then have no effect, and older objects replace later ones. It takes O(N) time. A pod with the UID
// and the resource version of the known pod of its name counts as unchanged, and so does a node
// with the labels, the taints and the rank of the known node of its name: a Tracker looks only at
// the nodes of other pods, and at other nodes.
//
// A Tracker does not keep the lists of nodes and pods, but the maps, slices and pointers in s: do
// not change them afterwards. The error, if any, wraps [kplan.ErrInvalid], and then nothing has
// changed. It reports nodes or pods without a name, or with the same name.
func (t *Tracker) Replace(s Snapshot) error {
	t.begin()
	c := &t.counts
	nodes, err := tracked.Changes(ofNodes{}, s.Nodes, c.nodeEntries.Len(), c.nodeAt, func(name string) int { return c.names.Find(name, c.name) })
	pods, wrong := t.pods.Changes(s.Pods)
	if err := errors.Join(err, wrong); err != nil {
		return err
	}
	t.rest, t.admitted = s, nil
	t.rest.Nodes, t.rest.Pods = nil, nil
	for _, change := range nodes {
		if change.Verdict == tracked.Remove {
			t.changeNode(c.name(change.Number), nil)
			continue
		}
		t.changeNode(change.New.Name, change.New)
	}
	for _, change := range pods {
		t.applyPod(change.Verdict, change.Number, change.New)
	}
	return nil
}

// A Delta is a change of a snapshot. Nil fields stay as they are. A Tracker keeps the objects
// New and the values of the other fields: do not change them afterwards, but pass another New
// for each change of an object.
type Delta struct {
	// DaemonSet is the new DaemonSet, the zero DaemonSet if it is gone.
	DaemonSet *DaemonSet
	// Node and Pod are events of one node and of one pod, from informers.
	Node NodeEvent
	Pod  PodEvent
	// Revisions are the new revisions: empty and not nil if none are left.
	Revisions []revision.ControllerRevision
	// Backoff is the new table of delays: Backoff of the last [Result].
	Backoff *Backoff
	// Unseen replaces [Snapshot].Unseen.
	Unseen *bool
	// Written and Read replace the versions of the snapshot.
	Written, Read *expect.Versions
}

// A NodeEvent is a change of one node: an addition if Old is nil, a deletion if New is nil, and
// an update otherwise. A Tracker reads only the name of Old; [Effects] also reads its labels and
// taints.
type NodeEvent struct {
	Old, New *Node
}

// A PodEvent is a change of one pod: an addition if Old is nil, a deletion if New is nil, and
// an update otherwise.
type PodEvent struct {
	Old, New *Pod
}

// ofNodes describes nodes to package tracked. It reports no UIDs and no versions: a node is identified by
// its name alone.
type ofNodes struct{}

func (ofNodes) Word() string         { return "node" }
func (ofNodes) Path() string         { return "Node" }
func (ofNodes) Name(n *Node) string  { return n.Name }
func (ofNodes) UID(*Node) string     { return "" }
func (ofNodes) Version(*Node) string { return "" }
func (ofNodes) Same(a, b *Node) bool {
	return a.Rank == b.Rank && maps.Equal(a.Labels, b.Labels) && slices.Equal(a.Taints, b.Taints)
}

// ofPods describes pods to package tracked.
type ofPods struct{}

func (ofPods) Word() string          { return "pod" }
func (ofPods) Path() string          { return "Pod" }
func (ofPods) Name(p *Pod) string    { return p.Name }
func (ofPods) UID(p *Pod) string     { return p.UID }
func (ofPods) Version(p *Pod) string { return p.ResourceVersion }
func (k ofPods) Same(a, b *Pod) bool { return tracked.SameVersion(k, a, b) }

// Apply applies a change.
//
// The events of one pod or node may come twice. If the pods have resource versions that
// compare, see [expect.CompareVersions], their events may also come late: a pod older than
// the known one changes nothing, unless it is the removal of the known pod. Nodes have no
// versions here, so the last event of each node wins. A removed object is not remembered, so
// an addition that comes after its removal adds it again. The events of different objects may
// come in any order, including a pod before its node.
//
// The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError], and then nothing has
// changed. It reports an object without a name; an update of an unknown object, removed or not
// added yet, or with another name than before; or an event of one pod while there is another
// pod of the same name, with another UID and no versions to tell which is the later.
func (t *Tracker) Apply(d Delta) error {
	t.begin()
	ofNode, err := t.judgeNode(d.Node)
	if err != nil {
		return err
	}
	ofPod, pod, err := t.pods.Judge(d.Pod.Old, d.Pod.New)
	if err != nil {
		return err
	}
	t.applyRest(&d)
	switch ofNode {
	case tracked.Add, tracked.Replace:
		t.changeNode(d.Node.New.Name, d.Node.New)
	case tracked.Remove:
		t.changeNode(d.Node.Old.Name, nil)
	}
	t.applyPod(ofPod, pod, d.Pod.New)
	return nil
}

// applyRest applies a change of the fields other than nodes and pods. The next plan works out
// its consequences.
func (t *Tracker) applyRest(d *Delta) {
	another := d.DaemonSet != nil && !sameAdmitted(&t.rest.DaemonSet, d.DaemonSet)
	if another || d.Revisions != nil || d.Backoff != nil || d.Unseen != nil || d.Written != nil || d.Read != nil {
		t.admitted = nil
	}
	if d.DaemonSet != nil {
		t.rest.DaemonSet = *d.DaemonSet
	}
	if d.Revisions != nil {
		t.rest.Revisions = d.Revisions
	}
	if d.Backoff != nil {
		t.rest.Backoff = *d.Backoff
	}
	if d.Unseen != nil {
		t.rest.Unseen = *d.Unseen
	}
	if d.Written != nil {
		t.rest.Written = *d.Written
	}
	if d.Read != nil {
		t.rest.Read = *d.Read
	}
}

func (t *Tracker) judgeNode(e NodeEvent) (tracked.Verdict, error) {
	var known *Node
	if n := e.New; n != nil {
		known = t.counts.node(n.Name)
	} else if n := e.Old; n != nil {
		known = t.counts.node(n.Name)
	}
	return tracked.Judge(ofNodes{}, known, e.Old, e.New)
}

func (t *Tracker) applyPod(v tracked.Verdict, i int, p *Pod) {
	counted := t.measure != nil
	switch v {
	case tracked.Add:
		t.pods.Add(p)
		if counted {
			t.counts.podEntries.Append(podEntry{})
			t.refile(t.countPod(t.pods.Len() - 1))
		}
	case tracked.Replace:
		t.replacePod(i, p)
	case tracked.Remove:
		if counted {
			t.refile(t.uncountPod(i))
			t.renumberLast(i)
		}
		t.pods.Remove(i)
	}
}

// replacePod replaces a pod with another pod of the same name. In most replacements the podKeys stay.
func (t *Tracker) replacePod(i int, p *Pod) {
	if t.measure == nil {
		t.pods.Set(i, p)
		return
	}
	left := int(t.counts.podEntries.At(i).node) - 1
	t.counts.unfile(left) // before keysOf, so that the cache misses of both overlap
	if t.keysOf(t.pods.At(i)) == t.keysOf(p) {
		t.pods.Set(i, p)
		t.file(left)
		return
	}
	t.uncountPod(i)
	t.pods.Set(i, p)
	if entered := t.countPod(i); entered != left {
		t.refile(entered)
	}
	t.file(left)
}
