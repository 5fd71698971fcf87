// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A followedBatch is what a controller keeps of a BatchRelease: the pods of a Deployment.
type followedBatch struct {
	tracker   batchrelease.Tracker
	at        int               // next event of pods
	of        string            // the UID of the Deployment
	templates map[string]string // their IDs, by the UIDs of its ReplicaSets
}

// follow returns what is kept of a BatchRelease, brought up to now.
func (c *batchController) follow(name, of string) *followedBatch {
	s := c.w.store
	sets := s.replicaSets.at(c.view[KindReplicaSet])
	f := c.followed[name]
	if f == nil || f.of != of || !f.knows(sets) {
		f = &followedBatch{at: -1, of: of, templates: map[string]string{}}
		for _, rs := range sets {
			if rs.ControllerUID == of {
				f.templates[rs.UID] = rs.Template.ID
			}
		}
		if c.followed == nil {
			c.followed = map[string]*followedBatch{}
		}
		c.followed[name] = f
	}
	anew := func() { *f = followedBatch{of: f.of, templates: f.templates} }
	c.w.fail(s.pods.journal.since(&f.at, anew, func(old, p *podorder.Pod) error {
		return f.tracker.Apply(batchrelease.Delta{Pod: batchrelease.PodEvent{Old: f.pod(old), New: f.pod(p)}})
	}))
	return f
}

// knows reports whether the Deployment has the ReplicaSets that it had.
func (f *followedBatch) knows(sets []*replicaSet) bool {
	n := 0
	for _, rs := range sets {
		if rs.ControllerUID != f.of {
			continue
		}
		if id, known := f.templates[rs.UID]; !known || id != rs.Template.ID {
			return false
		}
		n++
	}
	return n == len(f.templates)
}

// pod returns a pod as a batch knows it, or nil if it is none of the Deployment or has finished.
func (f *followedBatch) pod(p *podorder.Pod) *workload.Pod {
	if p == nil || p.Finished() {
		return nil
	}
	id, own := f.templates[p.ControllerUID]
	if !own {
		return nil
	}
	return &workload.Pod{Name: p.Name, UID: p.UID, Labels: p.Labels, Ready: p.Ready, DeletionTimestamp: p.DeletionTimestamp, TemplateHash: id}
}
