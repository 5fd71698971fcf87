// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// manyNodes is how many nodes there are at least when Trackers plan, after each event in the time of
// the changes. For ten nodes a plan takes about as long if all are read again, for 50 nodes
// five times as long.
const manyNodes = 20

// trackedDaemonSets are the Trackers of DaemonSets, by UID.
type trackedDaemonSets map[string]*trackedDaemonSet

// A trackedDaemonSet is a Tracker, and the objects that it knows.
type trackedDaemonSet struct {
	daemonset.Tracker
	set       *store.DaemonSet
	revisions []*revision.ControllerRevision
	backoff   daemonset.Backoff
}

// of returns the Tracker of a DaemonSet, brought up to its controller's view. It is nil if there
// are few nodes, if a Tracker would look at all of them as well, or if the controller sees the past.
func (t trackedDaemonSets) of(c *daemonSetController, d *store.DaemonSet) *daemonset.Tracker {
	f, many := t[d.UID], manyNodes
	if f != nil {
		many /= 2 // one for about as many nodes does not come and go
	}
	slow := c.options(d).Dialect != daemonset.Kubernetes || d.NodeSelector != nil || d.Partition != (rollout.IntOrPercent{})
	if slow || !c.Trouble.Calm() || c.Nodes.Len() < many || c.unseen(d.Name) {
		t.drop(d.UID)
		return nil
	}
	if f == nil {
		f = t.add(c, d)
	}
	c.Fail(f.Apply(f.changed(c, d)))
	return &f.Tracker
}

// changed is the change of a DaemonSet, its revisions, and the wait of failed pods.
func (f *trackedDaemonSet) changed(c *daemonSetController, d *store.DaemonSet) (delta daemonset.Delta) {
	if f.set != d {
		set := c.wanted(d)
		f.set, delta.DaemonSet = d, &set
	}
	revisions := claimable(c.Controller, &c.Revisions, d.UID, d.Name)
	if f.revisions == nil || !slices.Equal(f.revisions, revisions) {
		f.revisions, delta.Revisions = append([]*revision.ControllerRevision{}, revisions...), values(revisions)
	}
	if b := c.backoff[d.Name]; !slices.Equal(b, f.backoff) {
		f.backoff, delta.Backoff = b, &b
	}
	return delta
}

// add begins to track a DaemonSet: all nodes, and the pods that it has or may adopt.
func (t trackedDaemonSets) add(c *daemonSetController, d *store.DaemonSet) *trackedDaemonSet {
	f := &trackedDaemonSet{}
	t[d.UID] = f
	for _, n := range control.All(c.Controller, &c.Nodes) {
		c.Fail(f.Apply(daemonset.Delta{Node: daemonset.NodeEvent{New: daemonNode(n)}}))
	}
	for _, p := range claimable(c.Controller, &c.Server.Pods, d.UID, d.Name) {
		c.Fail(f.Apply(daemonset.Delta{Pod: daemonset.PodEvent{New: daemonPod(p)}}))
	}
	return f
}

// drop forgets a DaemonSet.
func (t trackedDaemonSets) drop(uid string) { delete(t, uid) }

// nodeChanged passes a node to all Trackers.
func (t trackedDaemonSets) nodeChanged(old, n *store.Node) error {
	for _, f := range t { // in any order, for they do not depend on each other
		if err := f.Apply(daemonset.Delta{Node: daemonset.NodeEvent{Old: daemonNode(old), New: daemonNode(n)}}); err != nil {
			return err
		}
	}
	return nil
}

// podChanged passes a pod to the Trackers that have it, or no longer have it.
func (t trackedDaemonSets) podChanged(old, p *store.Pod) error {
	if !t.concerns(old) && !t.concerns(p) {
		return nil
	}
	for _, f := range t {
		if !f.knows(old) && !f.knows(p) {
			continue
		}
		var e daemonset.PodEvent
		if f.knows(old) {
			e.Old = daemonPod(old)
		}
		if f.knows(p) {
			e.New = daemonPod(p)
		}
		if err := f.Apply(daemonset.Delta{Pod: e}); err != nil {
			return err
		}
	}
	return nil
}

// concerns reports whether a pod may be one that a Tracker knows. Most are of other owners.
func (t trackedDaemonSets) concerns(p *store.Pod) bool {
	return p != nil && (p.ControllerUID == "" || t[p.ControllerUID] != nil)
}

// knows reports whether a DaemonSet has a pod, or may adopt it.
func (f *trackedDaemonSet) knows(p *store.Pod) bool {
	switch {
	case p == nil:
		return false
	case p.ControllerUID == "":
		return apiserver.Namespace(p.Name) == apiserver.Namespace(f.set.Name)
	}
	return p.ControllerUID == f.set.UID
}
