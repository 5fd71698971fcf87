// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// manyPods is how many pods a ReplicaSet has at least that a Tracker plans for, after each event in
// the time of the changes. To read fewer pods again costs no more.
const manyPods = 250

// trackedSets are the Trackers of ReplicaSets with many pods, by UID. One that
// deletes pods knows the pods of its siblings as well: the choice depends on their number on each node.
type trackedSets struct {
	sets      map[string]*trackedSet
	followers map[string][]*trackedSet // by the UID of the ReplicaSet whose pods they know
}

type trackedSet struct {
	replicaset.Tracker
	set      *replicaset.ReplicaSet
	siblings []*replicaset.ReplicaSet // the Tracker sees their pods: the ReplicaSet alone, or all of its owner
	shrinks  bool                     // and so sees all
}

// of returns the Tracker of a ReplicaSet, nil if it has few pods, if it may adopt some, or if its
// controller sees the past, or waits to see writes that it made then.
func (t *trackedSets) of(c *replicaSetController, rs *replicaset.ReplicaSet) *replicaset.Tracker {
	f, pods := t.sets[rs.UID], &c.Server.Pods
	many := manyPods
	if f != nil {
		many /= 2 // one that has about as many does not come and go
	}
	unseen := !c.expected[rs.Name].Satisfied(c.Now())
	if !c.Trouble.Calm() || pods.Owned(rs.UID) < many || len(pods.Of("")) > 0 || unseen {
		t.drop(rs.UID)
		return nil
	}
	if f != nil && f.stale(c, rs) {
		t.drop(rs.UID)
		f = nil
	}
	if f == nil {
		f = t.add(c, rs)
	}
	if f.set != rs {
		f.set = rs
		c.Fail(f.Apply(replicaset.Delta{ReplicaSet: rs}))
	}
	return &f.Tracker
}

// sameSet reports whether a sibling means the same to its siblings as before.
func sameSet(a, b *replicaset.ReplicaSet) bool {
	return a == b || a.UID == b.UID && a.ControllerUID == b.ControllerUID && a.Selector == b.Selector
}

// shrinks reports whether a ReplicaSet has more pods than it wants.
func shrinks(c *replicaSetController, rs *replicaset.ReplicaSet) bool {
	return rs.ControllerUID != "" && int(orOne(rs.Replicas)) < c.Server.Pods.Owned(rs.UID)
}

// stale reports whether the Tracker lacks pods of siblings that it needs, or has pods of former ones.
func (f *trackedSet) stale(c *replicaSetController, rs *replicaset.ReplicaSet) bool {
	if !f.shrinks {
		return shrinks(c, rs)
	}
	return !slices.EqualFunc(f.siblings, control.Of(c.Controller, c.table, rs.ControllerUID), sameSet)
}

// add begins to track a ReplicaSet.
func (t *trackedSets) add(c *replicaSetController, rs *replicaset.ReplicaSet) *trackedSet {
	if t.sets == nil {
		t.sets, t.followers = map[string]*trackedSet{}, map[string][]*trackedSet{}
	}
	f := &trackedSet{set: rs, siblings: []*replicaset.ReplicaSet{rs}, shrinks: shrinks(c, rs)}
	if f.shrinks {
		f.siblings = control.Of(c.Controller, c.table, rs.ControllerUID)
	}
	t.sets[rs.UID] = f
	d := replicaset.Delta{ReplicaSet: rs, Siblings: []replicaset.ReplicaSet{}}
	for _, o := range f.siblings {
		if o.UID != rs.UID {
			d.Siblings = append(d.Siblings, *o)
		}
	}
	c.Fail(f.Apply(d))
	for _, o := range f.siblings {
		t.followers[o.UID] = append(t.followers[o.UID], f)
		for _, p := range control.Of(c.Controller, &c.Server.Pods, o.UID) {
			c.Fail(f.Apply(replicaset.Delta{Pod: replicaset.PodEvent{New: p.Plain()}}))
		}
	}
	return f
}

// drop forgets a ReplicaSet.
func (t *trackedSets) drop(uid string) {
	f := t.sets[uid]
	if f == nil {
		return
	}
	delete(t.sets, uid)
	for _, o := range f.siblings {
		if list := slices.DeleteFunc(t.followers[o.UID], func(of *trackedSet) bool { return of == f }); len(list) > 0 {
			t.followers[o.UID] = list
		} else {
			delete(t.followers, o.UID)
		}
	}
}

// told passes a changed pod to the Trackers.
func (t *trackedSets) told(old, p *store.Pod) error {
	if len(t.followers) == 0 {
		return nil
	}
	before, after := t.followersOf(old), t.followersOf(p)
	for _, f := range after {
		e := replicaset.PodEvent{New: p.Plain()}
		if slices.Contains(before, f) {
			e.Old = old.Plain()
		}
		if err := f.Apply(replicaset.Delta{Pod: e}); err != nil {
			return err
		}
	}
	for _, f := range before {
		if slices.Contains(after, f) {
			continue
		}
		if err := f.Apply(replicaset.Delta{Pod: replicaset.PodEvent{Old: old.Plain()}}); err != nil {
			return err
		}
	}
	return nil
}

// followersOf returns the Trackers that know a pod.
func (t *trackedSets) followersOf(p *store.Pod) []*trackedSet {
	if p == nil || p.ControllerUID == "" {
		return nil
	}
	return t.followers[p.ControllerUID]
}
