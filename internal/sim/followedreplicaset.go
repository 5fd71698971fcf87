// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A followedSet is what a controller keeps of a ReplicaSet. Pods of others matter only as
// neighbours of those that go, and nodes only for which these are: until there are some too many,
// the Tracker does not see them.
type followedSet struct {
	tracker  replicaset.Tracker
	at       int  // next event of pods
	wide     bool // whether the Tracker sees the pods of others
	unbound  bool // and those without a node too
	unsure   bool // whether it has not seen which nodes some pods are on
	own      int  // pods that it sees otherwise
	set      *replicaSet
	version  int64 // of the set, which may be changed where it is: the Tracker has a copy
	siblings []*replicaSet
}

// follow returns what is kept of a ReplicaSet, brought up to now, or nil if it is not there.
func (c *replicaSetController) follow(name string) *followedSet {
	s := c.w.store
	rows := s.replicaSets.all()
	i := slices.IndexFunc(rows, func(rs *replicaSet) bool { return rs.Name == name })
	if i < 0 {
		delete(c.followed, name)
		return nil
	}
	rs, version := rows[i], s.replicaSets.versionOf(s.replicaSets.numbers[i])
	f := c.followed[name]
	if f == nil || f.set.UID != rs.UID {
		f = &followedSet{at: -1}
		if c.followed == nil {
			c.followed = map[string]*followedSet{}
		}
		c.followed[name] = f
	}
	see := func() { f.see(rs, version, rows) }
	c.w.fail(c.read(f, rs, see))
	if !f.wide && int(sizeOf(rs)) < f.own {
		f.wide, f.unbound = true, !unassignedFirst(&c.options)
		c.w.fail(f.readOthers(&s.pods))
	}
	see()
	return f
}

// read tells the Tracker of what has happened to pods.
func (c *replicaSetController) read(f *followedSet, rs *replicaSet, see func()) error {
	return c.w.store.pods.journal.since(&f.at, func() {
		*f = followedSet{wide: f.wide, unbound: f.unbound}
		see() // or all pods would be counted once more
	}, func(old, p *podorder.Pod) error {
		if !f.wide && c.bound(old, p) {
			f.unsure = true
			return nil
		}
		was, is := concerns(rs, old), concerns(rs, p)
		if was {
			f.own--
		}
		if is {
			f.own++
		}
		if !was && !f.neighbour(old) {
			old = nil
		}
		if !is && !f.neighbour(p) {
			p = nil
		}
		if old == nil && p == nil {
			return nil
		}
		return f.tracker.Apply(replicaset.Delta{Pod: replicaset.PodEvent{Old: old, New: p}})
	})
}

// concerns reports whether there is a pod, which a ReplicaSet or nobody controls.
func concerns(rs *replicaSet, p *podorder.Pod) bool {
	return p != nil && (p.ControllerUID == rs.UID || p.ControllerUID == "")
}

// readOthers tells the Tracker of the pods of others, which it has not seen before, and on which nodes
// its own ones are.
func (f *followedSet) readOthers(pods *table[podorder.Pod]) error {
	for _, p := range pods.all() {
		e := replicaset.PodEvent{New: p}
		switch {
		case concerns(f.set, p) && f.unsure:
			e.Old = p // of this name, however it was
		case concerns(f.set, p) || !f.neighbour(p):
			continue
		}
		if err := f.tracker.Apply(replicaset.Delta{Pod: e}); err != nil {
			return err
		}
	}
	f.unsure = false
	return nil
}

// unassignedFirst reports whether pods without a node go before all others, so that it does not matter how many
// neighbours they have: as many as each other.
func unassignedFirst(o *replicaset.Options) bool {
	return o.Order.Stages == nil && o.Order.Priority == "" && !o.Spread && o.Dialect == ""
}

// neighbour reports whether the Tracker sees a pod of others.
func (f *followedSet) neighbour(p *podorder.Pod) bool {
	return f.wide && p != nil && p.Active() && (f.unbound || p.NodeName != "")
}

// see tells the Tracker of the ReplicaSet and its siblings, if they are others.
func (f *followedSet) see(rs *replicaSet, version int64, rows []*replicaSet) {
	d := replicaset.Delta{}
	if f.set != rs || f.version != version {
		f.set, f.version, d.ReplicaSet = rs, version, rs
	}
	same := func(a, b *replicaSet) bool {
		return a == b || a.UID == b.UID && a.ControllerUID == b.ControllerUID && a.Selector == b.Selector
	}
	if !slices.EqualFunc(f.siblings, rows, same) {
		f.siblings = slices.Clone(rows)
		d.Siblings = []replicaSet{}
		for _, o := range rows {
			if o != rs {
				d.Siblings = append(d.Siblings, *o)
			}
		}
	}
	if d.ReplicaSet == nil && d.Siblings == nil {
		return
	}
	_ = f.tracker.Apply(d) // only what happens to a pod can be refused
}
