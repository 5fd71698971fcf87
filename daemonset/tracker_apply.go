// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/revision"
)

// A Delta is a change of a snapshot. Nil fields stay as they are. A Tracker keeps the objects
// New and the values of the other fields: do not change them afterwards, but pass another New
// for each change of an object.
type Delta struct {
	// DaemonSet is the new DaemonSet: the zero DaemonSet if it is gone.
	DaemonSet *DaemonSet
	// Node and Pod are events of one node and of one pod, from informers.
	Node NodeEvent
	Pod  PodEvent
	// Revisions are the new revisions: empty and not nil if none are left.
	Revisions []revision.ControllerRevision
	// Backoff is the table of the last plan.
	Backoff *Backoff
	// Unseen replaces [Snapshot].Unseen: whether writes of pods by a plan are still unseen.
	Unseen *bool
	// Written and Read replace the versions of the snapshot.
	Written, Read *Versions
}

// A NodeEvent is a change of one node: an addition if Old is nil, a deletion if New is, and an
// update otherwise. Only the name of Old is read.
type NodeEvent struct {
	Old, New *Node
}

// A PodEvent is a change of one pod: an addition if Old is nil, a deletion if New is, and an
// update otherwise.
type PodEvent struct {
	Old, New *Pod
}

// ofNodes is the kind of nodes. A name always means the same node.
type ofNodes struct{}

func (ofNodes) Word() string         { return "node" }
func (ofNodes) Path() string         { return "Node" }
func (ofNodes) Name(n *Node) string  { return n.Name }
func (ofNodes) UID(*Node) string     { return "" }
func (ofNodes) Version(*Node) string { return "" }

// ofPods is the kind of pods.
type ofPods struct{}

func (ofPods) Word() string          { return "pod" }
func (ofPods) Path() string          { return "Pod" }
func (ofPods) Name(p *Pod) string    { return p.Name }
func (ofPods) UID(p *Pod) string     { return p.UID }
func (ofPods) Version(p *Pod) string { return p.ResourceVersion }

// Apply applies a change.
//
// The events of one pod or node may come twice. If the pods have resource versions that
// compare, see [replicaset.CompareVersions], their events may also come late: a pod older than
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

func (t *Tracker) applyPod(what tracked.Verdict, i int, p *Pod) {
	counted := t.measure != nil
	switch what {
	case tracked.Add:
		t.pods.Add(p)
		if counted {
			t.counts.records.Append(record{})
			t.refile(t.enter(t.pods.Len() - 1))
		}
	case tracked.Replace:
		t.replacePod(i, p)
	case tracked.Remove:
		if counted {
			t.refile(t.leave(i))
			t.moveLast(i)
		}
		t.pods.Remove(i)
	}
}

// replacePod replaces a pod with another pod of the same name. Most are counted as before.
func (t *Tracker) replacePod(i int, p *Pod) {
	if t.measure == nil {
		t.pods.Set(i, p)
		return
	}
	left := int(t.counts.records.At(i).spot) - 1
	t.counts.unfile(left) // early, so that the processor fetches the fields it reads and the labels at once
	if t.standing(t.pods.At(i)) == t.standing(p) {
		t.pods.Set(i, p)
		t.assess(left)
		return
	}
	t.leave(i)
	t.pods.Set(i, p)
	if spot := t.enter(i); spot != left {
		t.refile(spot)
	}
	t.assess(left)
}
