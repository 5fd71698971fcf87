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

// A Change is an event of a node, a revision or a pod, from informers.
type Change struct {
	Node     NodeEvent
	Bound    []string // the UIDs of the DaemonSets that have a pod bound to the Node
	Revision RevisionEvent
	Pod      PodEvent
}

// A RevisionEvent is a change of one ControllerRevision: an addition if Old is nil, a deletion
// if New is, and an update otherwise.
type RevisionEvent struct {
	Old, New *revision.ControllerRevision
}

// Effects returns the effects of a change on DaemonSets, by name: on DaemonSets of the
// namespace for a pod or a revision, and on all of them for a node.
//
//   - A pod or a revision concerns its controller, and its former controller if the controller
//     has changed. A new orphan, or an orphan with other labels or another controller than
//     before, concerns all DaemonSets that select it, since one of them may adopt it. A pod
//     that is being deleted counts as deleted. An update that changes no resource version is a
//     repetition and concerns no DaemonSet.
//   - A new node, or a node with other labels or taints than before, concerns the DaemonSets
//     that have to create or delete a pod there, that count one of their pods as misplaced, or
//     that have a NodeSelector which selects it now or no longer does. A node that is gone
//     concerns no DaemonSet: its pods will go.
//
// A selector that cannot be used selects nothing. Of the options only the Dialect is read.
//
// It mirrors addPod, updatePod, deletePod, addHistory, updateHistory, deleteHistory, updateNode
// and syncNodeUpdate of the daemon controller of Kubernetes.
func Effects(c Change, daemonSets []DaemonSet, opts Options) []replicaset.Effect {
	r := routing{daemonSets: daemonSets}
	r.pod(c.Pod.Old, c.Pod.New)
	r.revision(c.Revision)
	r.node(&c, opts)
	slices.SortFunc(r.effects, func(a, b replicaset.Effect) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Deleted, b.Deleted), cmp.Compare(a.Later, b.Later))
	})
	return slices.Compact(r.effects)
}

type routing struct {
	daemonSets []DaemonSet
	effects    []replicaset.Effect
}

func (r *routing) pod(before, after *Pod) {
	switch {
	case before == nil && after == nil:
	case after == nil:
		r.deleted(before)
	case before == nil && !after.DeletionTimestamp.IsZero():
		r.deleted(after) // as after a restart of the controller
	case before == nil:
		r.concerns(r.controller(after), replicaset.Effect{Created: true})
		if after.ControllerUID == "" {
			r.orphaned(after)
		}
	case before.ResourceVersion == after.ResourceVersion && before.ResourceVersion != "":
	case !after.DeletionTimestamp.IsZero():
		r.deleted(after)
	default:
		r.updated(before, after)
	}
}

func (r *routing) updated(before, after *Pod) {
	if before.ControllerUID != after.ControllerUID {
		r.concerns(r.controller(before), replicaset.Effect{})
	}
	var e replicaset.Effect
	d := r.controller(after)
	if d != nil && d.MinReadySeconds > 0 && !before.Ready && after.Ready {
		e.Later = time.Duration(d.MinReadySeconds)*time.Second + time.Second // clocks differ by less
	}
	r.concerns(d, e)
	if after.ControllerUID == "" && (before.ControllerUID != "" || !maps.Equal(before.Labels, after.Labels)) {
		r.orphaned(after)
	}
}

func (r *routing) deleted(p *Pod) { r.concerns(r.controller(p), replicaset.Effect{Deleted: p.Name}) }

// revision routes a revision like a pod that no expectation waits for.
func (r *routing) revision(e RevisionEvent) {
	first := len(r.effects)
	r.pod(asPod(e.Old), asPod(e.New))
	for i := range r.effects[first:] {
		e := &r.effects[first+i]
		e.Created, e.Deleted = false, ""
	}
}

func asPod(rev *revision.ControllerRevision) *Pod {
	if rev == nil {
		return nil
	}
	return &Pod{Pod: podorder.Pod{
		Name: rev.Name, ResourceVersion: rev.ResourceVersion, Labels: rev.Labels, ControllerUID: rev.ControllerUID,
	}}
}

func (r *routing) node(c *Change, opts Options) {
	old, changed := c.Node.Old, c.Node.New
	if changed == nil || old != nil && slices.Equal(old.Taints, changed.Taints) && maps.Equal(old.Labels, changed.Labels) {
		return
	}
	for i := range r.daemonSets {
		d := &r.daemonSets[i]
		if d.awaits(old, changed, slices.Contains(c.Bound, d.UID), opts) {
			r.concerns(d, replicaset.Effect{})
		}
	}
}

// awaits reports whether the DaemonSet must react to a node that was added (old is nil) or has
// changed. Bound reports whether a pod of the DaemonSet is bound to it.
func (d *DaemonSet) awaits(old, changed *Node, bound bool, opts Options) bool {
	placer := NewPlacer(&d.Template, opts)
	now := placer.Place(changed)
	matters := now.ShouldRun
	if !opts.kruise() {
		matters = now.ShouldRun && !bound || bound && (!now.ShouldContinueRunning || d.Status.NumberMisscheduled > 0)
	}
	if old == nil {
		return matters
	}
	if opts.kruise() {
		was := placer.Place(old)
		matters = was.ShouldRun != now.ShouldRun || was.ShouldContinueRunning != now.ShouldContinueRunning
	}
	return matters || d.updates(old) != d.updates(changed)
}

// updates reports whether the update's selector selects a node. An empty selector selects
// every node, whatever changes, and so signals no change.
func (d *DaemonSet) updates(n *Node) bool {
	if d.Strategy == OnDelete || d.NodeSelector == nil {
		return false
	}
	s, err := selector.FromLabelSelector(d.NodeSelector)
	return err == nil && s.Matches(n.Labels)
}

// controller returns the DaemonSet that controls a pod, or nil.
func (r *routing) controller(p *Pod) *DaemonSet {
	for i := range r.daemonSets {
		if d := &r.daemonSets[i]; p.ControllerUID != "" && d.UID == p.ControllerUID {
			return d
		}
	}
	return nil
}

// concerns adds the effect of an event on a DaemonSet, if it is not nil.
func (r *routing) concerns(d *DaemonSet, e replicaset.Effect) {
	if d != nil {
		e.Name, e.Reconcile = d.Name, true
		r.effects = append(r.effects, e)
	}
}

// orphaned adds an effect for each DaemonSet that selects a pod.
func (r *routing) orphaned(p *Pod) {
	for i := range r.daemonSets {
		if s, err := selector.FromLabelSelector(r.daemonSets[i].Selector); err == nil && s.Selects(p.Labels) {
			r.concerns(&r.daemonSets[i], replicaset.Effect{})
		}
	}
}
