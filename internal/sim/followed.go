// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
)

// follow lets the controllers of a calm world plan with Trackers, which see what has changed
// and not everything. Observers of such a world see no lists in snapshots.
func (w *World) follow() {
	w.followed = true
	w.store.pods.keep()
	w.store.daemons.keep()
}

// looksOfTracker is as how many looks at a pod a plan of a Tracker counts, with all that follows
// from it.
const looksOfTracker = 250

// A followedSet is what a controller keeps of a ReplicaSet. Pods of others matter only as
// neighbours of those that go: until there are some too many, the Tracker does not see them.
type followedSet struct {
	tracker  replicaset.Tracker
	at       int  // next event of pods
	wide     bool // whether the Tracker sees the pods of others
	own      int  // pods that it sees otherwise
	set      *replicaSet
	siblings []*replicaSet
}

// follow returns what is kept of a ReplicaSet, brought up to now, or nil if it is not there.
func (c *replicaSetController) follow(name string) *followedSet {
	s := c.w.store
	rows := s.replicaSets.at(c.view[KindReplicaSet])
	rs := find(&s.replicaSets, rows, name)
	if rs == nil {
		delete(c.followed, name)
		return nil
	}
	f := c.followed[name]
	if f == nil || f.set.UID != rs.UID {
		f = &followedSet{at: -1}
		if c.followed == nil {
			c.followed = map[string]*followedSet{}
		}
		c.followed[name] = f
	}
	c.w.fail(f.read(&s.pods, rs, rows))
	if !f.wide && int(sizeOf(rs)) < f.own {
		*f = followedSet{at: -1, wide: true}
		c.w.fail(f.read(&s.pods, rs, rows))
	}
	f.see(rs, rows)
	return f
}

// read tells the Tracker of what has happened to pods.
func (f *followedSet) read(pods *table[podorder.Pod], rs *replicaSet, rows []*replicaSet) (err error) {
	f.at, err = pods.journal.since(f.at, func() {
		*f = followedSet{wide: f.wide}
		f.see(rs, rows) // or all pods would be counted once more
	}, func(old, p *podorder.Pod) error {
		mine := func(p *podorder.Pod) bool {
			return p != nil && (p.ControllerUID == rs.UID || p.ControllerUID == "")
		}
		was, is := mine(old), mine(p)
		if was {
			f.own--
		}
		if is {
			f.own++
		}
		if !was && !is && (!f.wide || sameNeighbour(old, p)) {
			return nil
		}
		if !was && !f.neighbour(old) {
			old = nil
		}
		if !is && !f.neighbour(p) {
			p = nil
		}
		return f.tracker.Apply(replicaset.Delta{Pod: replicaset.PodEvent{Old: old, New: p}})
	})
	return err
}

// neighbour reports whether the Tracker sees a pod of others.
func (f *followedSet) neighbour(p *podorder.Pod) bool { return f.wide && p != nil && p.Active() }

// sameNeighbour reports whether a pod of others is of the same concern as before, if it is of any.
func sameNeighbour(old, p *podorder.Pod) bool {
	return old != nil && p != nil && old.NodeName == p.NodeName && old.Active() == p.Active() &&
		old.ControllerUID == p.ControllerUID && kinOf(old).same(kinOf(p))
}

// see tells the Tracker of the ReplicaSet and its siblings, if they are others.
func (f *followedSet) see(rs *replicaSet, rows []*replicaSet) {
	d := replicaset.Delta{}
	if f.set != rs {
		f.set, d.ReplicaSet = rs, rs
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
	_ = f.tracker.Apply(d) // only what happens to a pod can be refused
}

// claims reports whether a plan changes whose pods are, which comes first.
func claims(p *replicaset.Plan) bool {
	if len(p.Actions) == 0 {
		return false
	}
	switch p.Actions[0].(type) {
	case replicaset.AdoptPod, replicaset.ReleasePod:
		return true
	}
	return false
}

// A followedDeployment is what a controller keeps of a Deployment.
type followedDeployment struct {
	tracker    deploy.Tracker
	at         int // next event of pods; -1 if they have not been read
	deployment *Deployment
	sets       []*replicaSet
}

// follow returns what is kept of a Deployment, brought up to now. A plan reads pods only if the
// Deployment recreates them, or rollouts stop at pods.
func (c *deploymentController) follow(d *Deployment) *followedDeployment {
	s := c.w.store
	f := c.followed[d.Name]
	if f == nil || f.deployment.UID != d.UID {
		f = &followedDeployment{at: -1}
		if c.followed == nil {
			c.followed = map[string]*followedDeployment{}
		}
		c.followed[d.Name] = f
	}
	if d.Strategy == deploy.Recreate || c.options.PausePoints {
		at, err := s.pods.journal.since(f.at, func() { *f = followedDeployment{} }, func(old, p *podorder.Pod) error {
			return f.tracker.Apply(deploy.Delta{Pod: replicaset.PodEvent{Old: old, New: p}})
		})
		f.at = at
		c.w.fail(err)
	}
	if f.deployment != d {
		f.deployment = d
		_ = f.tracker.Apply(deploy.Delta{Deployment: ptr.To(c.see(d).Deployment)})
	}
	rows := s.replicaSets.at(c.view[KindReplicaSet])
	if slices.Equal(f.sets, rows) {
		return f
	}
	for _, rs := range f.sets {
		if !slices.ContainsFunc(rows, func(o *replicaSet) bool { return o.Name == rs.Name }) {
			c.w.fail(f.tracker.Apply(deploy.Delta{ReplicaSet: deploy.ReplicaSetEvent{Old: rs}}))
		}
	}
	for i, rs := range rows {
		var old *replicaSet
		if i < len(f.sets) && f.sets[i].Name == rs.Name {
			old = f.sets[i]
		} else {
			old = find(&s.replicaSets, f.sets, rs.Name)
		}
		if old != rs {
			c.w.fail(f.tracker.Apply(deploy.Delta{ReplicaSet: deploy.ReplicaSetEvent{Old: old, New: rs}}))
		}
	}
	f.sets = append(f.sets[:0], rows...)
	return f
}

// A followedDaemonSet is what a controller keeps of a DaemonSet.
type followedDaemonSet struct {
	tracker daemonset.Tracker
	at      int // next event of pods
	set     *DaemonSet
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
	at, err := s.daemons.journal.since(f.at, func() { *f = followedDaemonSet{nodes: -1, history: -1} }, func(old, p *daemonset.Pod) error {
		return f.tracker.Apply(daemonset.Delta{Pod: daemonset.PodEvent{Old: old, New: p}})
	})
	f.at = at
	c.w.fail(err)
	var delta daemonset.Delta
	if f.set != d {
		set := d.DaemonSet
		if d.TemplateID != "" {
			set.Template.Hash = c.w.hash(d.TemplateID, d.Status.CollisionCount)
		}
		f.set, delta.DaemonSet = d, &set
	}
	if f.history != s.touched[KindRevision] {
		f.history, delta.Revisions = s.touched[KindRevision], fill(nil, s.revisions.all())
		if delta.Revisions == nil {
			delta.Revisions = c.revisions[:0:0]
		}
	}
	if b := c.backoff[d.Name]; !slices.Equal(b, f.backoff) {
		f.backoff, delta.Backoff = b, append(daemonset.Backoff{}, b...)
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
