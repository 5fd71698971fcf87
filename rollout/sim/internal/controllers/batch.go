// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A batchController carries out the plans of package batchrelease. It keeps nothing in memory that a
// crash could lose.
type batchController struct {
	*control.Controller
	env *Env
}

// newBatchController returns a controller of BatchReleases.
func newBatchController(env *Env, instance int) *control.Controller {
	c := &batchController{env: env}
	reads := slices.Concat([]store.Kind{store.KindBatchRelease}, releasedKinds, []store.Kind{store.KindPod})
	c.Controller = control.New(env.Server, c, store.BatchController, instance, reads...)
	return c.Controller
}

// Forget implements control.Worker.
func (c *batchController) Forget() {}

// Keys implements control.Worker.
func (c *batchController) Keys() []string {
	return names(c.Controller, &c.BatchReleases)
}

// Watch enters the BatchReleases with a changed spec, or with changes of their workload or its pods. Their own status enters none, unless they are being deleted.
func (c *batchController) Watch() {
	control.EachTold(c.Controller, &c.BatchReleases, func(old, br *store.BatchRelease) {
		if br != nil && (old == nil || old.UID != br.UID || old.Generation != br.Generation || !br.DeletionTimestamp.IsZero()) {
			c.Enter(br.Name)
		}
	})
	if len(control.All(c.Controller, &c.BatchReleases)) == 0 {
		return
	}
	c.env.watchReleased(c.Controller, c.enter)
	control.EachTold(c.Controller, &c.Server.Pods, func(old, p *store.Pod) {
		if podMatters(old, p) {
			c.enterOwner(p)
		}
	})
}

// enter enters the BatchReleases of a workload.
func (c *batchController) enter(kind, name string) {
	for _, br := range control.All(c.Controller, &c.BatchReleases) {
		if br.WorkloadRef.Kind == kind && br.WorkloadRef.Name == name {
			c.Enter(br.Name)
		}
	}
}

// podMatters reports whether a pod is there that was not, is of another revision, or ready or not
// ready now. Removed pods show in the status of the workload.
func podMatters(old, p *store.Pod) bool {
	switch {
	case p == nil:
		return false
	case old == nil:
		return true
	}
	for _, key := range []string{workload.LabelPodTemplateHash, workload.LabelControllerRevision} {
		if old.Labels[key] != p.Labels[key] {
			return true
		}
	}
	return old.Ready != p.Ready
}

// enterOwner enters the BatchReleases of the workload of a pod.
func (c *batchController) enterOwner(p *store.Pod) {
	if p.ControllerKind != replicaset.Kind {
		c.enter(p.ControllerKind, p.ControllerName)
		return
	}
	rs := control.See(c.Controller, &c.ReplicaSets, p.ControllerName)
	if rs == nil {
		return
	}
	c.enter(rs.ControllerKind, rs.ControllerName)
	if d := control.See(c.Controller, &c.Deployments, rs.ControllerName); d != nil {
		c.enter(rs.ControllerKind, d.Labels[workload.LabelCanaryDeployment])
	}
}

// snapshot returns the BatchRelease as the controller sees it, and the owners of pods that are not
// in it.
func (c *batchController) snapshot(br *store.BatchRelease) (s *batchrelease.Snapshot, owners []podOwner) {
	s = &batchrelease.Snapshot{Release: br.Release}
	k := releasedOf(br.WorkloadRef)
	if s.Workload, _ = k.at(c.env, &c.View, br.WorkloadRef); s.Workload != nil {
		owners = k.batch(c.env, &c.View, br, s)
	}
	return s, owners
}

// plan returns a plan for a BatchRelease.
func (c *batchController) plan(br *store.BatchRelease) (batchrelease.Plan, error) {
	s, owners := c.snapshot(br)
	for _, o := range owners {
		s.Pods = c.env.appendPods(s.Pods, &c.View, o)
	}
	return batchrelease.Reconcile(*s, c.Now(), batchrelease.Options{Repair: c.env.Rollout.Repair})
}

// Begin implements control.Worker.
func (c *batchController) Begin(name string) control.Pass {
	br := control.See(c.Controller, &c.BatchReleases, name)
	if br == nil {
		return nil
	}
	p, err := c.plan(br)
	c.Plans++
	if err != nil {
		c.Fail(fmt.Errorf("batch release %s: %w", name, err))
		return nil
	}
	planned(c.env, c.Controller, store.KindBatchRelease, name, p)
	c.PollAt(p.RecheckAt, name)
	if len(p.Actions) == 0 && p.Failure == "" && sameBatchStatus(&p.Status, &br.Status) {
		c.Succeeded(name)
		return nil
	}
	pass := &batchPass{c: c, br: br, plan: p, version: br.ResourceVersion}
	return pass.next
}
