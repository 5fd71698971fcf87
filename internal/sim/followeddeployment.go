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
		_ = f.tracker.Apply(deploy.Delta{Deployment: &c.see(d).Deployment}) // which it copies
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
