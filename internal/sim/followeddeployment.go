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
}

// A followedRow is a ReplicaSet as it was when a Tracker was told of it last.
type followedRow struct {
	*replicaSet
	version int64
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
		if i < len(rows) && rows[i] == was.replicaSet {
			continue
		}
		if !slices.ContainsFunc(rows, func(o *replicaSet) bool { return o.Name == was.Name }) {
			if err := f.tracker.Apply(deploy.Delta{ReplicaSet: deploy.ReplicaSetEvent{Old: was.replicaSet}}); err != nil {
				return err
			}
		}
	}
	for i, rs := range rows {
		is, was := followedRow{rs, t.versionOf(t.numbers[i])}, followedRow{}
		if i < len(f.sets) && f.sets[i].Name == rs.Name {
			was = f.sets[i]
		} else if k := slices.IndexFunc(f.sets, func(o followedRow) bool { return o.Name == rs.Name }); k >= 0 {
			was = f.sets[k]
		}
		if was != is {
			if err := f.tracker.Apply(deploy.Delta{ReplicaSet: deploy.ReplicaSetEvent{Old: was.replicaSet, New: rs}}); err != nil {
				return err
			}
		}
	}
	f.sets = f.sets[:0]
	for i, rs := range rows {
		f.sets = append(f.sets, followedRow{rs, t.versionOf(t.numbers[i])})
	}
	return nil
}
