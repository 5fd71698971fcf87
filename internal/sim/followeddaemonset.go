// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/rollout"
)

// A followedDaemonSet is what a controller keeps of a DaemonSet.
type followedDaemonSet struct {
	tracker daemonset.Tracker
	at      int // next event of pods
	set     *DaemonSet
	version int64 // of the set, if that is changed where it is
	nodes   int64 // version of the nodes
	known   map[string]*Node
	history int64 // version of the revisions
	backoff daemonset.Backoff
}

// follows reports whether a Tracker plans for a DaemonSet without looking at all pods.
func (c *daemonSetController) follows(d *DaemonSet) bool {
	return c.w.followed && c.plan == nil && c.options.Dialect == daemonset.Kubernetes && d.NodeSelector == nil && d.Partition == (rollout.IntOrPercent{})
}

// follow returns what is kept of a DaemonSet, brought up to now.
func (c *daemonSetController) follow(d *DaemonSet) *followedDaemonSet {
	s := c.w.store
	f := c.followed[d.Name]
	if f == nil || f.set.UID != d.UID {
		f = &followedDaemonSet{at: -1}
		if c.followed == nil {
			c.followed = map[string]*followedDaemonSet{}
		}
		c.followed[d.Name] = f
	}
	anew := func() { *f = followedDaemonSet{nodes: -1, history: -1} }
	c.w.fail(s.daemons.journal.since(&f.at, anew, func(old, p *daemonset.Pod) error {
		return f.tracker.Apply(daemonset.Delta{Pod: daemonset.PodEvent{Old: old, New: p}})
	}))
	var delta daemonset.Delta
	if v := s.daemonSets.versionOf(s.daemonSets.number(d.Name)); f.set != d || f.version != v {
		set := &c.seen.DaemonSet // of which the Tracker keeps a copy
		if *set = d.DaemonSet; d.TemplateID != "" {
			set.Template.Hash = c.w.hash(d.TemplateID, d.Status.CollisionCount)
		}
		f.set, f.version, delta.DaemonSet = d, v, set
	}
	if f.history != s.touched[KindRevision] {
		f.history, delta.Revisions = s.touched[KindRevision], fill(nil, s.revisions.all())
		if delta.Revisions == nil {
			delta.Revisions = c.revisions[:0:0]
		}
	}
	if b := c.backoff[d.Name]; !slices.Equal(b, f.backoff) {
		f.backoff, delta.Backoff = b, &b
	}
	_ = f.tracker.Apply(delta) // only what happens to a node or pod can be refused
	if f.nodes != s.touched[KindNode] {
		f.nodes = s.touched[KindNode]
		f.seeNodes(c.w)
	}
	return f
}

// seeNodes tells the Tracker of the nodes that are others.
func (f *followedDaemonSet) seeNodes(w *World) {
	known := make(map[string]*Node, len(f.known))
	for _, n := range w.store.nodes.all() {
		known[n.Name] = n
		if old := f.known[n.Name]; old != n {
			w.fail(f.tracker.Apply(daemonset.Delta{Node: daemonset.NodeEvent{Old: nodeOf(old), New: &n.Node}}))
		}
	}
	for name, old := range f.known {
		if known[name] == nil {
			w.fail(f.tracker.Apply(daemonset.Delta{Node: daemonset.NodeEvent{Old: &old.Node}}))
		}
	}
	f.known = known
}

func nodeOf(n *Node) *daemonset.Node {
	if n == nil {
		return nil
	}
	return &n.Node
}
