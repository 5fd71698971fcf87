// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"

	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// manyPods is how many pods a ReplicaSet of a fleet has at least that a Tracker plans for. To
// read fewer of them anew costs no more than to keep count of each.
const manyPods = looksOfTracker

// followOfFleet returns what is kept of a ReplicaSet that has many pods, or nil if it has few, or
// if there are pods that nobody owns, which it might adopt.
func (c *replicaSetController) followOfFleet(name string) *followedSet {
	s := c.w.store
	if c.plan != nil || !c.w.calm {
		return nil
	}
	rs := current(c.controller, &s.replicaSets, name)
	if len(c.followed) == 0 && c.item != nil && rs != nil {
		if m := s.pods.recalled(&c.item.members, rs.UID); m == nil || len(m.numbers) < c.many {
			return nil
		}
	}
	f, least := c.followed[name], c.many
	if f != nil {
		least /= 2 // let one that has about as many not come and go
	}
	if rs == nil || s.pods.about(rs.UID) < least || len(s.pods.orphans()) > 0 {
		c.unfollow(name)
		return nil
	}
	c.rows = c.rows[:0]
	version := int64(0)
	for _, number := range s.replicaSets.of(rs.ControllerUID) {
		o := s.replicaSets.numbered(number)
		if o == rs {
			version = s.replicaSets.versionOf(number)
		}
		if o == rs || rs.ControllerUID != "" {
			c.rows = append(c.rows, o)
		}
	}
	if f != nil && (f.set.UID != rs.UID || f.wide && !slices.EqualFunc(f.siblings, c.rows, func(a, b *replicaSet) bool { return a.UID == b.UID })) {
		c.unfollow(name)
		f = nil
	}
	if f == nil {
		f = c.followNew(rs, false)
	}
	if !f.wide && int(sizeOf(rs)) < f.own {
		c.unfollow(name)
		f = c.followNew(rs, true)
	}
	f.see(rs, version, c.rows)
	return f
}

// followNew begins to keep count of the pods of a ReplicaSet, or of all its siblings.
func (c *replicaSetController) followNew(rs *replicaSet, wide bool) *followedSet {
	f := &followedSet{wide: wide, set: rs}
	if c.followed == nil {
		c.followed = map[string]*followedSet{}
	}
	if c.followers == nil {
		c.followers = map[string][]*followedSet{}
	}
	c.followed[rs.Name] = f
	_ = f.tracker.Apply(replicaset.Delta{ReplicaSet: rs}) // only what happens to a pod can be refused
	pods := &c.w.store.pods
	for _, o := range c.rows {
		if !wide && o != rs {
			continue
		}
		c.followers[o.UID] = append(c.followers[o.UID], f)
		for _, number := range pods.of(o.UID) {
			p := *pods.numbered(number)
			c.w.fail(f.changed(nil, &p, rs.UID))
		}
	}
	return f
}

// unfollow forgets what is kept of a ReplicaSet.
func (c *replicaSetController) unfollow(name string) {
	f := c.followed[name]
	if f == nil {
		return
	}
	delete(c.followed, name)
	for uid, list := range c.followers {
		if list = slices.DeleteFunc(list, func(o *followedSet) bool { return o == f }); len(list) == 0 {
			delete(c.followers, uid)
		} else {
			c.followers[uid] = list
		}
	}
}

// toldFollowers tells the Trackers of a pod that has changed, which is valid during the call only.
func (c *replicaSetController) toldFollowers(old, p *podorder.Pod) {
	if len(c.followers) == 0 {
		return
	}
	uid := ""
	if old != nil {
		uid = old.ControllerUID
	}
	if p != nil {
		var kept *podorder.Pod // a copy, if some Tracker keeps it
		for _, f := range c.followers[p.ControllerUID] {
			before := old
			if p.ControllerUID != uid && !slices.Contains(c.followers[uid], f) {
				before = nil // it was not among those that the Tracker sees
			}
			if p.ControllerUID != f.set.UID && sameNeighbour(before, p) {
				continue
			}
			if kept == nil {
				kept = ptr.To(*p)
			}
			c.w.fail(f.changed(before, kept, f.set.UID))
		}
		if p.ControllerUID == uid {
			return
		}
	}
	for _, f := range c.followers[uid] {
		if p == nil || !slices.Contains(c.followers[p.ControllerUID], f) {
			c.w.fail(f.changed(old, nil, f.set.UID))
		}
	}
}

// changed tells the Tracker of a pod among those that it sees.
func (f *followedSet) changed(old, p *podorder.Pod, uid string) error {
	if old != nil && old.ControllerUID == uid {
		f.own--
	}
	if p != nil && p.ControllerUID == uid {
		f.own++
	}
	return f.tracker.Apply(replicaset.Delta{Pod: replicaset.PodEvent{Old: old, New: p}})
}

// sameNeighbour reports whether a pod of others is of the same concern as before, if it is of any.
func sameNeighbour(old, p *podorder.Pod) bool {
	return old != nil && p != nil && old.NodeName == p.NodeName && old.Active() == p.Active() &&
		old.ControllerUID == p.ControllerUID && kinOf(old).same(kinOf(p))
}
