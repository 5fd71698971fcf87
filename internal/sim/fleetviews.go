// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"strconv"
	"strings"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// namespace is the part of a name before the slash. No selector looks beyond it.
func namespace(name string) string {
	before, _, found := strings.Cut(name, "/")
	if !found {
		return ""
	}
	return before
}

// hashOf returns the hash of a template: the one that it came with, or its ID, behind the
// collisions.
func (w *World) hashOf(t revision.Template, collisions *int32) string {
	if w.fleet == nil {
		return w.hash(t.ID, collisions)
	}
	hash := t.Hash
	if hash == "" {
		hash = t.ID
	}
	if collisions != nil && *collisions > 0 {
		hash += strconv.Itoa(int(*collisions))
	}
	return hash
}

// ofFleet adds what a Deployment may own: no other objects are looked at.
func (c *deploymentController) ofFleet(s *deploy.Snapshot) {
	w, view := c.w, c.view[KindReplicaSet]
	d := &s.Deployment
	d.Template.Hash = w.hashOf(d.Template, d.Status.CollisionCount)
	if d.Partitioned == nil && len(d.Annotations) > 0 {
		d.Partitioned = deploy.PartitionedBy(*d)
	}
	sets := &w.store.replicaSets
	if c.sets = c.sets[:0]; c.item == nil {
		c.sets = sets.appendOf(c.sets, d.UID, view)
	} else if m := sets.recalled(c.item, d.UID); m != nil {
		c.sets = sets.appendAt(c.sets, m.numbers, d.UID, view)
	}
	if d.Selector != nil && len(sets.orphans()) > 0 {
		c.sets = ofNamespace(sets, c.sets, d.Name, view)
	}
	s.ReplicaSets = c.sets
	if d.Strategy != deploy.Recreate && !c.options.PausePoints {
		return
	}
	c.pods = c.pods[:0]
	for i := range c.sets {
		c.pods = w.store.pods.appendOf(c.pods, c.sets[i].UID, c.view[KindPod])
	}
	s.Pods = c.pods
}

// ofNamespace adds the orphans that are in the namespace of a name.
func ofNamespace[T any](t *table[T], values []T, name string, version int64) []T {
	n, within := len(values), namespace(name)
	values = t.appendOf(values, "", version)
	kept := values[:n]
	for i := n; i < len(values); i++ {
		if namespace(*t.key(&values[i]).name) == within {
			kept = append(kept, values[i])
		}
	}
	return kept
}

// toldOfEnd enters the Deployment that waits for the end of its pods.
func (c *deploymentController) toldOfEnd(old, p *podorder.Pod) {
	if old == nil || p != nil && !p.Finished() {
		return
	}
	rs := c.w.store.replicaSets.named(old.ControllerName)
	if rs == nil {
		return
	}
	if d := c.w.store.deployments.named(rs.ControllerName); d != nil && d.Strategy == deploy.Recreate {
		c.enter(d.Name)
	}
}

// counted lets the reader read the pods of a ReplicaSet of a calm fleet, and returns the ReplicaSet:
// nil if it is not enough to count them, because some are to be deleted or may be adopted.
func (c *replicaSetController) counted(name string) *replicaSet {
	s := c.w.store
	if c.plan != nil || !c.w.calm || c.w.fleet.given || c.item == nil {
		return nil
	}
	rs := current(c.controller, &s.replicaSets, name)
	if rs == nil || len(s.pods.orphans()) > 0 {
		return nil
	}
	m := s.pods.recalled(c.item, rs.UID)
	if m == nil {
		m = &c.none
	}
	if s.pods.active(m) > int(sizeOf(rs)) {
		return nil
	}
	c.reader.pods, c.reader.of, c.reader.since = &s.pods, m, rs.MinReadySeconds != 0
	if c.reader.scratch == nil {
		c.reader.scratch = new(podorder.Pod)
	}
	return rs
}

// ofFleet returns what the controller sees of a ReplicaSet, or nil.
func (c *replicaSetController) ofFleet(name string) *replicaset.Snapshot {
	s := c.w.store
	view := c.view[KindReplicaSet]
	rs := current(c.controller, &s.replicaSets, name)
	if rs == nil {
		return nil
	}
	c.pods = s.pods.appendOf(c.pods[:0], rs.UID, c.view[KindPod])
	if rs.Selector != nil && (len(s.pods.orphans()) > 0 || !c.w.fair) {
		c.pods = ofNamespace(&s.pods, c.pods, rs.Name, c.view[KindPod])
	}
	c.siblings = c.siblings[:0]
	if rs.ControllerUID != "" {
		c.siblings = s.replicaSets.appendOf(c.siblings, rs.ControllerUID, view)
	}
	kept := c.siblings[:0]
	for i := range c.siblings {
		if c.siblings[i].UID != rs.UID {
			kept = append(kept, c.siblings[i])
		}
	}
	c.siblings = kept
	if int(sizeOf(rs)) < len(c.pods) { // their pods are neighbours of those that go
		for i := range c.siblings {
			c.pods = s.pods.appendOf(c.pods, c.siblings[i].UID, c.view[KindPod])
		}
	}
	if e := c.expected[name]; !e.Fulfilled() && e.Satisfied(c.now()) {
		c.w.fleet.expired++
	}
	c.seen = replicaset.Snapshot{ReplicaSet: *rs, Pods: c.pods, Siblings: c.siblings, Expectations: c.expected[name]}
	return &c.seen
}

// observed lowers what is expected, and enters what a changed pod concerns.
func (c *replicaSetController) observed(old, p *podorder.Pod) {
	if c.w.fleet.deaf(c.controller) {
		return
	}
	t, view := &c.w.store.replicaSets, c.view[KindReplicaSet]
	c.sets = c.sets[:0]
	orphan := false
	for _, p := range [...]*podorder.Pod{old, p} {
		switch {
		case p == nil:
		case p.ControllerUID == "":
			orphan = true
		default:
			if rs := t.namedAt(view, p.ControllerName); rs != nil {
				c.sets = append(c.sets[:0], *rs)
			}
		}
	}
	if orphan {
		c.sets = fill(c.sets, t.at(view))
	}
	for _, e := range replicaset.PodEffects(replicaset.PodEvent{Old: old, New: p}, c.sets) {
		c.effect(e)
	}
}

// orphaned enters the ReplicaSets that a pod without a controller may concern.
func (c *replicaSetController) orphaned(p *podorder.Pod) {
	if c.w.fleet == nil {
		c.resync()
		return
	}
	for _, rs := range c.w.store.replicaSets.all() {
		if namespace(rs.Name) == namespace(p.Name) {
			c.enter(rs.Name)
		}
	}
}

// visible fills in the nodes and revisions that the controller sees, and returns the pods.
func (c *daemonSetController) visible(d *DaemonSet) []daemonset.Pod {
	s := c.w.store
	if c.w.fleet == nil {
		c.revisions = fill(c.revisions, s.revisions.at(c.view[KindRevision]))
		return s.daemons.valuesAt(c.view[KindDaemon], &c.pods)
	}
	c.revisions = s.revisions.appendOf(c.revisions[:0], d.UID, c.view[KindRevision])
	c.revisions = ofNamespace(&s.revisions, c.revisions, d.Name, c.view[KindRevision])
	c.pods = s.daemons.appendOf(c.pods[:0], d.UID, c.view[KindDaemon])
	c.pods = ofNamespace(&s.daemons, c.pods, d.Name, c.view[KindDaemon])
	if e := c.expected[d.Name]; !e.Fulfilled() && e.Satisfied(c.now()) {
		c.w.fleet.expired++
	}
	return c.pods
}

// optionsFor are the options for a DaemonSet: OpenKruise plans for one that a Rollout calls
// its own.
func (c *daemonSetController) optionsFor(name string) daemonset.Options {
	o := c.options
	if c.w.fleet != nil && c.w.refOfDaemonSet(name).Group() != "apps" {
		o.Dialect = daemonset.OpenKruise
	}
	return o
}

// enterOwner enters the DaemonSet of a pod, or all if it has none.
func (c *daemonSetController) enterOwner(p *daemonset.Pod) {
	switch {
	case p == nil:
	case p.ControllerUID == "":
		c.resync()
	case p.ControllerKind == daemonset.Kind:
		c.enter(p.ControllerName)
	}
}

// enterOwner enters the set of a pod.
func (c *setController) enterOwner(p *podorder.Pod) {
	if p != nil && c.w.store.sets.named(p.ControllerName) != nil {
		c.enter(p.ControllerName)
	}
}

// watchFleet enters the sets that have changed, and those of pods that have.
func (c *setController) watchFleet(from *[kinds]int64, skip bool) {
	s := c.w.store
	s.sets.between(from[KindSet], c.view[KindSet], skip, func(_, o *Set) {
		if o != nil {
			c.enter(o.Name)
		}
	})
	s.pods.between(from[KindPod], c.view[KindPod], skip, func(old, p *podorder.Pod) {
		if c.w.fleet.deaf(c.controller) {
			return
		}
		c.enterOwner(old)
		c.enterOwner(p)
	})
}
