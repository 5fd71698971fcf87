// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"

	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/workload"
)

// trackedReleases are the Trackers of releases of Deployments with many pods, by the UID of the
// BatchRelease. The pods of others are read anew for each plan.
type trackedReleases map[string]*trackedRelease

type trackedRelease struct {
	batchrelease.Tracker
	owners []podOwner // of the pods that it knows
}

// of returns the Tracker of a release, brought up to its controller's view: a snapshot without the
// pods of their owners. It is nil if these have few pods, or if the controller sees the past.
func (t trackedReleases) of(c *batchController, uid string, s *batchrelease.Snapshot, owners []podOwner) *batchrelease.Tracker {
	f, many, pods := t[uid], manyPods, 0
	if f != nil {
		many /= 2 // one that has about as many does not come and go
	}
	for _, o := range owners {
		pods += c.Server.Pods.Owned(o.uid)
	}
	if !c.Trouble.Calm() || pods < many {
		t.drop(uid)
		return nil
	}
	if f == nil || !slices.Equal(f.owners, owners) {
		f = &trackedRelease{owners: owners}
		t[uid] = f
		for _, o := range owners {
			for _, p := range control.Of(c.Controller, &c.Server.Pods, o.uid) {
				c.Fail(f.Apply(batchrelease.Delta{Pod: batchrelease.PodEvent{New: f.pod(p)}}))
			}
		}
	}
	c.Fail(f.Apply(batchrelease.Delta{Rest: s}))
	return &f.Tracker
}

// drop forgets a release.
func (t trackedReleases) drop(uid string) { delete(t, uid) }

// told tells the Trackers of a pod that has changed.
func (t trackedReleases) told(old, p *store.Pod) error {
	for _, f := range t { // in any order, for they do not depend on each other
		if err := f.Apply(batchrelease.Delta{Pod: batchrelease.PodEvent{Old: f.pod(old), New: f.pod(p)}}); err != nil {
			return err
		}
	}
	return nil
}

// pod returns a pod as package batchrelease reads it, nil if it is none of the release, or has finished.
func (f *trackedRelease) pod(p *store.Pod) *workload.Pod {
	if p == nil || p.Finished() {
		return nil
	}
	for _, o := range f.owners {
		if o.uid == p.ControllerUID {
			pod := o.pod(p)
			return &pod
		}
	}
	return nil
}
