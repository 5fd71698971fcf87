// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A followedDeployment is what a controller keeps of a Deployment.
type followedDeployment struct {
	tracker    deploy.Tracker
	at         int // next event of pods; -1 if they have not been read
	deployment *Deployment
	version    int64 // of the Deployment, which may be changed where it is, as ReplicaSets may
	sets       []followedRow
	before     []followedRow // memory for them
}

// A followedRow is a ReplicaSet, of which a Tracker has been told.
type followedRow struct {
	row     *replicaSet // where it is, and may be changed
	version int64       // when the Tracker was told of it last
	told    *replicaSet // as it was then: a copy, which the Tracker keeps until it is told of the next
	spare   *replicaSet // memory for that: what the Tracker has kept before
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
	if c.readsPods(&d.Deployment) {
		c.w.fail(s.pods.journal.since(&f.at, func() { *f = followedDeployment{} }, func(old, p *podorder.Pod) error {
			return f.tracker.Apply(deploy.Delta{Pod: replicaset.PodEvent{Old: old, New: p}})
		}))
	}
	if v := s.deployments.versionOf(c.item.number); f.deployment != d || f.version != v {
		f.deployment, f.version = d, v
		_ = f.tracker.Apply(deploy.Delta{Deployment: &c.see(d).Deployment}) // which it copies
	}
	c.w.fail(f.read(&s.replicaSets))
	return f
}

// read tells the Tracker of what has happened to ReplicaSets, all of which a calm world sees.
func (f *followedDeployment) read(t *table[replicaSet]) error {
	rows := t.all()
	for i, was := range f.sets {
		if i < len(rows) && rows[i] == was.row {
			continue
		}
		if !slices.ContainsFunc(rows, func(o *replicaSet) bool { return o.Name == was.told.Name }) {
			if err := f.tracker.Apply(deploy.Delta{ReplicaSet: deploy.ReplicaSetEvent{Old: was.told}}); err != nil {
				return err
			}
		}
	}
	f.before, f.sets = f.sets, f.before[:0]
	for i, rs := range rows {
		o := f.found(i, rs.Name)
		if version := t.versionOf(t.numbers[i]); o.row != rs || o.version != version {
			if err := f.tell(&o, rs); err != nil {
				return err
			}
			o.row, o.version = rs, version
		}
		f.sets = append(f.sets, o)
	}
	return nil
}

// found returns what the Tracker has been told of a ReplicaSet, which most often is where it was.
func (f *followedDeployment) found(i int, name string) (o followedRow) {
	if i < len(f.before) && f.before[i].told.Name == name {
		return f.before[i]
	}
	if i = slices.IndexFunc(f.before, func(o followedRow) bool { return o.told.Name == name }); i >= 0 {
		o = f.before[i]
	}
	return o
}

// tell tells the Tracker what a ReplicaSet is.
func (f *followedDeployment) tell(o *followedRow, rs *replicaSet) error {
	now := o.spare
	if now == nil {
		now = new(replicaSet)
	}
	*now = *rs
	o.told, o.spare = now, o.told
	return f.tracker.Apply(deploy.Delta{ReplicaSet: deploy.ReplicaSetEvent{Old: o.spare, New: now}})
}
