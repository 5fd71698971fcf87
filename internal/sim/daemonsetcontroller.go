// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// A daemonSetController carries out the plans of package daemonset. It keeps in memory
// what it expects to see and how long failed pods wait.
type daemonSetController struct {
	*controller
	options   daemonset.Options
	plan      func(daemonset.Snapshot, time.Time, daemonset.Options) (daemonset.Plan, error) // nil means that of package daemonset
	expected  map[string]replicaset.Expectations
	backoff   map[string]daemonset.Backoff
	blind     bool // somebody else has written as well, or an answer was wrong
	nodes     []daemonset.Node
	pods      []daemonset.Pod
	revisions []revision.ControllerRevision
	followed  map[string]*followedDaemonSet // by name
	seen      daemonset.Snapshot            // of the pass that is under way, which a Tracker plans
	pass      daemonSetPass
	next      func() bool       // of the pass
	labels    map[string]string // of the last pod that was created
}

func (c *daemonSetController) forget() {
	clear(c.expected)
	clear(c.backoff)
	c.blind = true
}

func (c *daemonSetController) keys() (names []string) {
	for _, d := range c.w.store.daemonSets.at(c.view[KindDaemonSet]) {
		names = append(names, d.Name)
	}
	return names
}

func (c *daemonSetController) watch(from *[kinds]int64, skip bool) {
	s := c.w.store
	s.daemonSets.between(from[KindDaemonSet], c.view[KindDaemonSet], skip, func(old, d *DaemonSet) {
		if old != nil && (d == nil || d.UID != old.UID) {
			delete(c.expected, old.Name)
		}
		if d != nil {
			c.enter(d.Name)
		}
	})
	work := false
	s.nodes.between(from[KindNode], c.view[KindNode], skip, func(_, n *Node) { work = true })
	s.revisions.between(from[KindRevision], c.view[KindRevision], skip, func(_, _ *revision.ControllerRevision) { work = true })
	s.daemons.between(from[KindDaemon], c.view[KindDaemon], skip, func(old, p *daemonset.Pod) {
		work = true
		c.observe(old, p)
	})
	if work {
		c.resync()
	}
}

// told is told at once of a pod that has changed.
func (c *daemonSetController) told(_, _ *daemonset.Pod) {
	if c.queue.len() < len(c.w.store.daemonSets.all()) {
		c.resync()
	}
}

// observe lowers what is expected. A pod that is being deleted counts as deleted.
func (c *daemonSetController) observe(old, p *daemonset.Pod) {
	owner := ""
	for _, o := range []*daemonset.Pod{p, old} {
		if o != nil && o.ControllerKind == daemonset.Kind {
			owner = o.ControllerName
		}
	}
	e, ok := c.expected[owner]
	switch {
	case !ok:
		return
	case p == nil:
		e = e.DeletionObserved(old.Name)
	case !p.DeletionTimestamp.IsZero():
		e = e.DeletionObserved(p.Name)
	case old == nil:
		e = e.CreationObserved()
	}
	c.expected[owner] = e
}

func (c *daemonSetController) snapshot(d *DaemonSet) *daemonset.Snapshot {
	s, name := c.w.store, d.Name
	c.nodes = c.nodes[:0]
	for _, n := range s.nodes.at(c.view[KindNode]) {
		c.nodes = append(c.nodes, n.Node)
	}
	c.revisions = fill(c.revisions, s.revisions.at(c.view[KindRevision]))
	pods := s.daemons.valuesAt(c.view[KindDaemon], &c.pods)
	snapshot := &daemonset.Snapshot{
		DaemonSet: d.DaemonSet, Nodes: c.nodes, Pods: pods, Revisions: c.revisions, Backoff: c.backoff[name],
		Unseen: !c.expected[name].Satisfied(c.now()),
	}
	if d.TemplateID != "" {
		snapshot.DaemonSet.Template.Hash = c.w.hash(d.TemplateID, d.Status.CollisionCount)
	}
	return snapshot
}

// planFor returns a plan for a DaemonSet and what it was made from, nil if the DaemonSet is not
// there or the planner may not look any more. Of a world that is followed it has no lists.
func (c *daemonSetController) planFor(name string, now time.Time, options daemonset.Options) (*daemonset.Snapshot, daemonset.Plan, error) {
	d := c.w.store.daemonSets.namedAt(c.view[KindDaemonSet], name)
	if d == nil {
		return nil, daemonset.Plan{}, nil
	}
	if c.follows(d) {
		if !c.w.look(looksOfTracker) {
			return nil, daemonset.Plan{}, nil
		}
		p, err := c.follow(d).tracker.Plan(now, options)
		c.seen.DaemonSet = d.DaemonSet
		return &c.seen, p, err
	}
	s := c.snapshot(d)
	if !c.w.look(4 * (len(s.Nodes) + len(s.Pods))) { // it takes about four times as long
		return nil, daemonset.Plan{}, nil
	}
	plan := c.plan
	if plan == nil {
		plan = daemonset.Reconcile
	}
	p, err := plan(*s, now, options)
	return s, p, err
}

func (c *daemonSetController) begin(name string) func() bool {
	now := c.now()
	s, p, err := c.planFor(name, now, c.options)
	if s == nil {
		return nil
	}
	c.corrected = c.options.Repair == daemonset.RepairAll
	c.w.Plans++
	if err != nil {
		c.w.fail(fmt.Errorf("daemon set %s: %w", name, err))
		return nil
	}
	if c.w.Trace != nil {
		c.w.tracef("%s %d plans for %s, %d behind: %v; %v", c.Role, c.Instance, name, c.lag(), p, p.Status)
	}
	if f := c.w.Observer.DaemonSet; f != nil {
		c.w.fail(f(Planned[daemonset.Snapshot, daemonset.Options, daemonset.Plan]{
			By: c.Actor, Snapshot: *s, Now: now, Options: c.options, Plan: p, Lag: c.lag(), Fair: c.w.fair,
		}))
	}
	c.backoff[name] = p.Backoff
	c.wakeAt(p.RecheckAt, name)
	if s.Unseen {
		c.wakeAt(now.Add(c.expected[name].Remaining(now)), name)
	}
	if len(p.Actions) == 0 && sameDaemonSetStatus(&p.Status, &s.DaemonSet.Status) {
		c.retries = 0
		return nil
	}
	c.pass = daemonSetPass{c: c, s: s, plan: p, version: c.w.store.daemonSets.namedAt(c.view[KindDaemonSet], name).ResourceVersion}
	if !c.w.calm { // what is seen at once is not waited for
		c.pass.expect(now)
	}
	return c.next
}

func (w *World) addDaemonSetController(o daemonset.Options) *daemonSetController {
	c := &daemonSetController{
		controller: &controller{}, options: o, expected: map[string]replicaset.Expectations{}, backoff: map[string]daemonset.Backoff{},
	}
	c.next = c.pass.next
	w.store.daemons.tell = append(w.store.daemons.tell, c.told)
	w.addController(c.controller, c, DaemonSetController, KindDaemonSet, KindNode, KindDaemon, KindRevision)
	if c.Instance > 0 {
		for _, o := range w.controllers {
			if other, ok := o.worker.(*daemonSetController); ok {
				other.blind = true
			}
		}
	}
	return c
}
