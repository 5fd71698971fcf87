// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"cmp"
	"fmt"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A replicaSetController carries out the plans of package replicaset. It keeps the
// expectations in memory and, if it may, the versions that it has written.
type replicaSetController struct {
	*controller
	options replicaset.Options
	// The planner; nil means that of package replicaset.
	plan     func(replicaset.Snapshot, time.Time, replicaset.Options) (replicaset.Plan, error)
	expected map[string]replicaset.Expectations
	versions map[string]replicaset.Versions // nil if they are not looked at
	blind    map[string]bool                // by UID: somebody else has written for it, or an answer was wrong
	adopted  map[string]int64               // by UID: the version of its last adoption, which no expectation covers
	restarts int
	sets     []replicaSet
	siblings []replicaSet
	pods     []podorder.Pod
	seen     replicaset.Snapshot // of the pass that is under way
	pass     replicaSetPass
	next     func() bool             // of the pass
	status   int64                   // the version of the last write of a status, in a calm world
	followed map[string]*followedSet // by name
	// Of a fleet: who keeps count of the pods of an owner, and the siblings of a ReplicaSet.
	followers map[string][]*followedSet
	rows      []*replicaSet
	reader    podReader
	none      members
	many      int // see manyPods
}

func (c *replicaSetController) forget() {
	clear(c.expected)
	if c.versions != nil {
		clear(c.versions)
	}
	c.restarts++
}

func (c *replicaSetController) keys() (names []string) {
	for _, rs := range c.w.store.replicaSets.at(c.view[KindReplicaSet]) {
		names = append(names, rs.Name)
	}
	return names
}

// watch enters the ReplicaSets that have changed and those of pods that have, and
// lowers what is expected. In a calm world its own status tells the controller nothing: no plan
// depends on what it says, unless it is the plan of somebody else's.
func (c *replicaSetController) watch(from *[kinds]int64, skip bool) {
	s := c.w.store
	s.replicaSets.changesBetween(from[KindReplicaSet], c.view[KindReplicaSet], skip, func(e change[replicaSet]) {
		old, rs := e.old, e.new
		if replicaset.NeedsForget(old, rs) {
			delete(c.expected, old.Name)
		}
		if rs == nil && c.w.fleet != nil {
			c.unfollow(old.Name)
		}
		if rs != nil && (e.version != c.status || c.w.fleet != nil && c.plan != nil) {
			c.enter(rs.Name)
		}
	})
	if s.pods.index(from[KindPod]) == s.pods.index(c.view[KindPod]) {
		return
	}
	if c.w.fleet != nil {
		s.pods.between(from[KindPod], c.view[KindPod], skip, c.observed)
		return
	}
	c.sets = fill(c.sets, s.replicaSets.at(c.view[KindReplicaSet]))
	s.pods.between(from[KindPod], c.view[KindPod], skip, func(old, p *podorder.Pod) {
		for _, e := range replicaset.Effects(replicaset.PodEvent{Old: old, New: p}, c.sets) {
			c.effect(e)
		}
	})
}

// told is told at once of a pod that has changed.
func (c *replicaSetController) told(old, p *podorder.Pod) {
	c.toldFollowers(old, p)
	if c.bound(old, p) {
		return
	}
	if one := cmp.Or(p, old); c.w.fleet != nil && c.w.calm && one.ControllerUID != "" &&
		(old == nil || old.ControllerUID == one.ControllerUID && old.ControllerName == one.ControllerName) {
		s := c.w.store
		c.queue.addNumbered(owning(&s.pods, s.pods.writing, &s.replicaSets, one.ControllerName), one.ControllerName)
		return
	}
	for _, p := range [...]*podorder.Pod{old, p} {
		switch {
		case p == nil:
		case p.ControllerUID == "":
			c.orphaned(p) // anybody may select it
		default:
			c.enter(p.ControllerName)
		}
	}
}

// bound reports whether all that has become of a pod is that it is on a node. In a world that shows what
// controllers do, and not how, nobody plans then: nodes decide which pods go, and whenever a pod is
// bound those that are too many have gone.
func (c *replicaSetController) bound(old, p *podorder.Pod) bool {
	return c.w.strict && c.plan == nil && old != nil && p != nil && old.NodeName != p.NodeName
}

func (c *replicaSetController) effect(e replicaset.Effect) {
	if x, ok := c.expected[e.Name]; ok {
		if e.Created {
			x = x.CreationObserved()
		}
		if e.Deleted != "" {
			x = x.DeletionObserved(e.Deleted)
		}
		c.expected[e.Name] = x
	}
	if e.Reconcile {
		c.enter(e.Name)
	}
	if e.Later > 0 {
		c.wakeAt(c.now().Add(e.Later), e.Name)
	}
}

// snapshot returns what the controller sees, or nil if the ReplicaSet is not there.
func (c *replicaSetController) snapshot(name string) *replicaset.Snapshot {
	s := c.w.store
	if c.w.fleet != nil {
		return c.ofFleet(name)
	}
	rows := s.replicaSets.at(c.view[KindReplicaSet])
	rs := find(&s.replicaSets, rows, name)
	if rs == nil {
		return nil
	}
	pods := s.pods.valuesAt(c.view[KindPod], &c.pods)
	c.siblings = c.siblings[:0]
	for _, o := range rows {
		if o != rs {
			c.siblings = append(c.siblings, *o)
		}
	}
	c.seen = replicaset.Snapshot{ReplicaSet: *rs, Pods: pods, Siblings: c.siblings, Expectations: c.expected[name]}
	return &c.seen
}

// consistent reports whether the view is as new as the own writes.
func (c *replicaSetController) consistent(name string) bool {
	v, ok := c.versions[name]
	if !ok {
		return true
	}
	read := replicaset.Versions{Pods: fmt.Sprint(c.view[KindPod]), ReplicaSets: fmt.Sprint(c.view[KindReplicaSet])}
	if v.Check(read) != nil {
		return false
	}
	delete(c.versions, name)
	return true
}

// planFor returns a plan for a ReplicaSet and what it was made from, nil if the ReplicaSet is
// not there or the planner may not look any more. Of a world that is followed it has no lists.
func (c *replicaSetController) planFor(name string, now time.Time) (*replicaset.Snapshot, replicaset.Plan, error) {
	if c.w.followed && c.plan == nil {
		f := c.follow(name)
		if f == nil || !c.w.look(looksOfTracker) {
			return nil, replicaset.Plan{}, nil
		}
		return c.planTracked(f, now)
	}
	if c.w.fleet != nil {
		if f := c.followOfFleet(name); f != nil {
			return c.planTracked(f, now)
		}
		if rs := c.counted(name); rs != nil {
			c.seen = replicaset.Snapshot{ReplicaSet: *rs}
			p, err := replicaset.ReconcileFrom(c.seen, &c.reader, now, c.options)
			return &c.seen, p, err
		}
	}
	s := c.snapshot(name)
	if s == nil {
		delete(c.expected, name)
	}
	if s == nil || !c.w.look(len(s.Pods)) {
		return nil, replicaset.Plan{}, nil
	}
	plan := c.plan
	if plan == nil {
		plan = replicaset.Reconcile
	}
	p, err := plan(*s, now, c.options)
	return s, p, err
}

// planTracked returns the plan of a Tracker, and what it was made from. The pods are in no list: what
// comes of a plan depends on them only if a claim has failed, and then a calm world ends the pass.
func (c *replicaSetController) planTracked(f *followedSet, now time.Time) (*replicaset.Snapshot, replicaset.Plan, error) {
	p, err := f.tracker.Plan(now, c.options)
	c.seen = replicaset.Snapshot{ReplicaSet: *f.set}
	return &c.seen, p, err
}

func (c *replicaSetController) begin(name string) func() bool {
	if !c.consistent(name) {
		c.retry(name)
		return nil
	}
	now := c.now()
	s, p, err := c.planFor(name, now)
	if s == nil {
		return nil
	}
	c.corrected = c.options.Repair == replicaset.RepairAll
	c.w.Plans++
	if err != nil {
		c.w.fail(fmt.Errorf("replica set %s: %w", name, err))
		return nil
	}
	if c.w.Trace != nil {
		c.w.tracef("%s %d plans for %s, %d behind: %v; %v", c.Role, c.Instance, name, c.lag(), p, p.Status)
	}
	if f := c.w.Observer.ReplicaSet; f != nil {
		c.w.fail(f(Planned[replicaset.Snapshot, replicaset.Options, replicaset.Plan]{
			By: c.Actor, Snapshot: *s, Now: now, Options: c.options, Plan: p, Lag: c.lag(), Fair: c.w.fair,
		}))
	}
	if len(p.Actions) == 0 && !replicaset.NeedsWrite(s.ReplicaSet, p.Status) {
		c.wakeAt(p.RecheckAt, name)
		return nil
	}
	c.pass = replicaSetPass{c: c, s: s, now: now, plan: p}
	if c.w.calm { // what is seen at once is not waited for
		return c.next
	}
	if e := p.Expect(s.Expectations, now); !e.Equal(s.Expectations) {
		c.expected[name] = e
	}
	return c.next
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
	m := s.pods.recalled(&c.item.members, rs.UID)
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
	for _, e := range replicaset.Effects(replicaset.PodEvent{Old: old, New: p}, c.sets) {
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

func (w *World) addReplicaSetController(o replicaset.Options) *replicaSetController {
	c := &replicaSetController{
		controller: &controller{}, options: o, expected: map[string]replicaset.Expectations{},
		blind: map[string]bool{}, adopted: map[string]int64{}, many: manyPods,
	}
	if w.random.IntN(2) == 0 && !w.calm {
		c.versions = map[string]replicaset.Versions{}
	}
	c.next = c.pass.next
	w.addController(c.controller, c, ReplicaSetController, KindReplicaSet, KindPod)
	if c.Instance > 0 {
		for _, o := range w.controllers {
			if other, ok := o.worker.(*replicaSetController); ok {
				other.restarts++ // nobody knows of all writes
			}
		}
	}
	w.store.pods.tell = append(w.store.pods.tell, c.told)
	return c
}
