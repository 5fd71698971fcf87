// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
)

// A Change holds at most one event of a node, one of a revision and one of a pod, from informers.
// A field without an event is zero.
type Change struct {
	Node     NodeEvent
	Bound    []string // for Node: the UIDs of the DaemonSets with a pod bound to it
	Revision RevisionEvent
	Pod      PodEvent
}

// A RevisionEvent is a change of one ControllerRevision: an addition if Old is nil, a deletion
// if New is nil, and an update otherwise.
type RevisionEvent struct {
	Old, New *revision.ControllerRevision
}

// Effects returns the effects of a change on DaemonSets, sorted by the names of the DaemonSets.
// Pass the DaemonSets of the namespace for a pod or a revision, and all DaemonSets for a node.
//
//   - A pod or a revision concerns its controller, and its former controller if the controller
//     has changed. An orphan that is new, has changed its labels or has just lost its
//     controller concerns all DaemonSets that select it, since one of them may adopt it. A pod
//     that is being deleted counts as deleted. An update with the same resource version is a
//     repetition and concerns no DaemonSet.
//   - An added node, or a node with changed labels or taints, concerns each DaemonSet that has
//     to create or delete a pod there. It also concerns each DaemonSet that has a pod there and
//     a status with misscheduled nodes. In the OpenKruise dialect, an added node concerns each
//     DaemonSet that should run a pod there, and a changed node each
//     DaemonSet with another placement there than before. Bound and the status are not read.
//   - A changed node also concerns each DaemonSet with a rolling update and a NodeSelector that
//     selects the node only before or only after the change.
//   - A deleted node concerns no DaemonSet: the pod garbage collector deletes its pods.
//
// An invalid selector selects nothing. Effects reads the options Dialect, FiniteTolerationMeansNo
// and KeepUserTolerations.
//
// It mirrors addPod, updatePod, deletePod, addHistory, updateHistory, deleteHistory, updateNode
// and syncNodeUpdate of the daemon controller of Kubernetes.
func Effects(c Change, daemonSets []DaemonSet, opts Options) []replicaset.Effect {
	r := routing{daemonSets: daemonSets}
	r.addPodEvent(c.Pod.Old, c.Pod.New)
	r.addRevisionEvent(c.Revision)
	r.addNodeEvent(&c, opts)
	slices.SortFunc(r.effects, func(a, b replicaset.Effect) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Deleted, b.Deleted), cmp.Compare(a.Later, b.Later), compareBool(b.Created, a.Created))
	})
	return slices.Compact(r.effects)
}

// A routing collects the effects of a change.
type routing struct {
	daemonSets []DaemonSet
	effects    []replicaset.Effect
}

func (r *routing) addPodEvent(before, after *Pod) {
	switch {
	case before == nil && after == nil:
	case after == nil:
		r.addDeletion(before)
	case before == nil && !after.DeletionTimestamp.IsZero():
		r.addDeletion(after) // as after a restart of the controller
	case before == nil:
		r.addEffect(r.controllerOf(after), replicaset.Effect{Created: true})
		if after.ControllerUID == "" {
			r.addOrphan(after)
		}
	case before.ResourceVersion == after.ResourceVersion && before.ResourceVersion != "":
	case !after.DeletionTimestamp.IsZero():
		r.addDeletion(after)
	default:
		r.addUpdate(before, after)
	}
}

func (r *routing) addUpdate(before, after *Pod) {
	if before.ControllerUID != after.ControllerUID {
		r.addEffect(r.controllerOf(before), replicaset.Effect{})
	}
	var e replicaset.Effect
	d := r.controllerOf(after)
	if d != nil && d.MinReadySeconds > 0 && !before.Ready && after.Ready {
		e.Later = time.Duration(d.MinReadySeconds)*time.Second + time.Second // a second more, since clocks differ by milliseconds
	}
	r.addEffect(d, e)
	if after.ControllerUID == "" && (before.ControllerUID != "" || !maps.Equal(before.Labels, after.Labels)) {
		r.addOrphan(after)
	}
}

func (r *routing) addDeletion(p *Pod) {
	r.addEffect(r.controllerOf(p), replicaset.Effect{Deleted: p.Name})
}

// addRevisionEvent adds the effects that the same event of a pod would have, without observed
// creations and deletions, since expectations count pods only.
func (r *routing) addRevisionEvent(e RevisionEvent) {
	first := len(r.effects)
	r.addPodEvent(asPod(e.Old), asPod(e.New))
	for i := range r.effects[first:] {
		e := &r.effects[first+i]
		e.Created, e.Deleted = false, ""
	}
}

// asPod returns a pod with the fields of a revision that addPodEvent reads.
func asPod(rev *revision.ControllerRevision) *Pod {
	if rev == nil {
		return nil
	}
	return &Pod{Pod: podorder.Pod{
		Name: rev.Name, ResourceVersion: rev.ResourceVersion, Labels: rev.Labels, ControllerUID: rev.ControllerUID,
	}}
}

func (r *routing) addNodeEvent(c *Change, opts Options) {
	old, changed := c.Node.Old, c.Node.New
	if changed == nil || old != nil && slices.Equal(old.Taints, changed.Taints) && maps.Equal(old.Labels, changed.Labels) {
		return
	}
	for i := range r.daemonSets {
		d := &r.daemonSets[i]
		if d.reactsTo(old, changed, slices.Contains(c.Bound, d.UID), opts) {
			r.addEffect(d, replicaset.Effect{})
		}
	}
}

// reactsTo reports whether a node that was added (old is nil) or has changed concerns the
// DaemonSet. Bound says whether a pod of the DaemonSet is bound to the node.
func (d *DaemonSet) reactsTo(old, changed *Node, bound bool, opts Options) bool {
	placer := NewPlacer(&d.Template, opts)
	now := placer.Place(changed)
	var reacts bool
	switch {
	case !opts.kruise() && bound:
		reacts = !now.ShouldContinueRunning || d.Status.NumberMisscheduled > 0
	case !opts.kruise() || old == nil:
		reacts = now.ShouldRun
	default:
		was := placer.Place(old)
		reacts = was.ShouldRun != now.ShouldRun || was.ShouldContinueRunning != now.ShouldContinueRunning
	}
	return reacts || old != nil && d.inUpdateSelector(old) != d.inUpdateSelector(changed)
}

// inUpdateSelector reports whether a rolling update has a NodeSelector, and it selects the node.
func (d *DaemonSet) inUpdateSelector(n *Node) bool {
	if d.Strategy == OnDelete || d.NodeSelector == nil {
		return false
	}
	s, err := selector.FromLabelSelector(d.NodeSelector)
	return err == nil && s.Matches(n.Labels)
}

// controllerOf returns the DaemonSet that controls a pod, or nil.
func (r *routing) controllerOf(p *Pod) *DaemonSet {
	for i := range r.daemonSets {
		if d := &r.daemonSets[i]; p.ControllerUID != "" && d.UID == p.ControllerUID {
			return d
		}
	}
	return nil
}

// addEffect adds the effect of an event on a DaemonSet, unless d is nil.
func (r *routing) addEffect(d *DaemonSet, e replicaset.Effect) {
	if d != nil {
		e.Name, e.Reconcile = d.Name, true
		r.effects = append(r.effects, e)
	}
}

// addOrphan adds an effect for each DaemonSet that selects an orphan. An empty selector selects no
// orphan, which is the difference between Selects and Matches.
func (r *routing) addOrphan(p *Pod) {
	for i := range r.daemonSets {
		if s, err := selector.FromLabelSelector(r.daemonSets[i].Selector); err == nil && s.Selects(p.Labels) {
			r.addEffect(&r.daemonSets[i], replicaset.Effect{})
		}
	}
}
