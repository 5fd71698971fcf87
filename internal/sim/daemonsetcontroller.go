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
		if c.w.fleet.deaf(c.controller) {
			return
		}
		if c.w.fleet != nil {
			c.enterOwner(old)
			c.enterOwner(p)
		} else {
			work = true
		}
		c.observe(old, p)
	})
	if work {
		c.resync()
	}
}

// told is told at once of a pod that has changed.
func (c *daemonSetController) told(old, p *daemonset.Pod) {
	if c.w.fleet != nil {
		c.enterOwner(old)
		c.enterOwner(p)
		return
	}
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
	pods := c.visible(d)
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
		return &daemonset.Snapshot{DaemonSet: d.DaemonSet}, p, err
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
	now, options := c.now(), c.optionsFor(name)
	s, p, err := c.planFor(name, now, options)
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
			By: c.Actor, Snapshot: *s, Now: now, Options: options, Plan: p, Lag: c.lag(), Fair: c.w.fair,
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
	pass := &daemonSetPass{c: c, s: s, plan: p, version: c.w.store.daemonSets.namedAt(c.view[KindDaemonSet], name).ResourceVersion}
	if !c.w.calm { // what is seen at once is not waited for
		pass.expect(now)
	}
	return pass.next
}

// A daemonSetPass carries out one plan.
type daemonSetPass struct {
	c       *daemonSetController
	s       *daemonset.Snapshot
	plan    daemonset.Plan
	version string // of the DaemonSet
	done    int
	failed  bool
}

// expect raises what is expected, before the requests are made.
func (p *daemonSetPass) expect(now time.Time) {
	var deleted []string
	creations := int64(0)
	for _, a := range p.plan.Actions {
		switch a := a.(type) {
		case daemonset.CreatePod:
			creations++
		case daemonset.DeletePod:
			deleted = append(deleted, a.Name)
		}
	}
	if creations > 0 || len(deleted) > 0 {
		e := replicaset.ExpectDeletions(deleted, now)
		e.Creations, e.At = creations, now
		p.c.expected[p.s.DaemonSet.Name] = e
	}
}

func (p *daemonSetPass) next() bool {
	if p.done < len(p.plan.Actions) {
		a := p.plan.Actions[p.done]
		p.done++
		if p.perform(a) == done {
			return true
		}
		p.failed = true
		return p.missed(a)
	}
	name := p.s.DaemonSet.Name
	if !sameDaemonSetStatus(&p.plan.Status, &p.s.DaemonSet.Status) && p.writeStatus(p.plan.Status) != done {
		p.failed = true
	}
	if p.failed {
		p.c.retry(name)
		return false
	}
	p.c.retries = 0
	return false
}

// missed lowers what is expected by a request that failed, and reports whether the
// pass goes on. Pods do not depend on each other.
func (p *daemonSetPass) missed(a daemonset.Action) bool {
	name := p.s.DaemonSet.Name
	switch a := a.(type) {
	case daemonset.CreatePod:
		p.c.expected[name] = p.c.expected[name].Lower(1, 0)
		return true
	case daemonset.DeletePod:
		p.c.expected[name] = p.c.expected[name].DeletionObserved(a.Name)
		return true
	case daemonset.CreateRevision:
		p.taken(a)
	}
	delete(p.c.expected, name) // nothing of the rest is asked for
	p.c.retry(name)
	return false
}

// taken does what follows if the name of a new revision is taken.
func (p *daemonSetPass) taken(a daemonset.CreateRevision) {
	c, w := p.c, p.c.w
	existing := w.store.revisions.named(a.Name)
	stored := w.store.daemonSets.named(p.s.DaemonSet.Name)
	if existing == nil || stored == nil {
		return
	}
	options := revision.Options{}
	if c.options.Repair.Has(daemonset.SerialisationIsVersion) {
		options.Repair = revision.SerialisationIsVersion
	}
	count, err := revision.DaemonSetTaken(
		p.s.DaemonSet.Name, a.Data, *existing, p.s.DaemonSet.Status.CollisionCount, stored.Status.CollisionCount, options,
	)
	if err != nil || count == nil {
		return
	}
	w.count(HashCollided)
	status := stored.Status
	status.CollisionCount = count
	p.version = stored.ResourceVersion
	p.writeStatus(status)
}

func (p *daemonSetPass) writeStatus(status daemonset.Status) answer {
	c, d := p.c, &p.s.DaemonSet
	for range 2 {
		a := c.ask(func() answer {
			_, a := update(c.w, &c.w.store.daemonSets, c.request(UpdateStatus, d.Name, precondition{d.UID, p.version}, nil),
				func(d *DaemonSet) { d.Status = status })
			return a
		})
		if a != conflict {
			return a
		}
		live := c.w.store.daemonSets.named(d.Name)
		if live == nil {
			return notFound
		}
		p.version = live.ResourceVersion
	}
	return conflict
}

func (p *daemonSetPass) request(verb Verb, o daemonset.Object, a daemonset.Action) request {
	r := p.c.request(verb, o.Name, precondition{o.UID, o.ResourceVersion}, a)
	r.expect = !p.c.blind && p.c.sight != SeesAnything
	return r
}

// live reports whether the DaemonSet really is the one that was seen, and stays.
func (p *daemonSetPass) live() bool {
	d := p.c.w.store.daemonSets.named(p.s.DaemonSet.Name)
	return d != nil && d.UID == p.s.DaemonSet.UID && d.DeletionTimestamp.IsZero()
}
