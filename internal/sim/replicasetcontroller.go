// SPDX-License-Identifier: Apache-2.0

package sim

import (
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
// depends on what it says.
func (c *replicaSetController) watch(from *[kinds]int64, skip bool) {
	s := c.w.store
	s.replicaSets.changesBetween(from[KindReplicaSet], c.view[KindReplicaSet], skip, func(e change[replicaSet]) {
		old, rs := e.old, e.new
		if replicaset.NeedsForget(old, rs) {
			delete(c.expected, old.Name)
		}
		if rs != nil && e.version != c.status {
			c.enter(rs.Name)
		}
	})
	if s.pods.index(from[KindPod]) == s.pods.index(c.view[KindPod]) {
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
	if c.bound(old, p) {
		return
	}
	for _, p := range [...]*podorder.Pod{old, p} {
		switch {
		case p == nil:
		case p.ControllerUID == "":
			c.resync() // anybody may select it
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

func (w *World) addReplicaSetController(o replicaset.Options) *replicaSetController {
	c := &replicaSetController{
		controller: &controller{}, options: o, expected: map[string]replicaset.Expectations{},
		blind: map[string]bool{}, adopted: map[string]int64{},
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
