// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"

	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A rolloutController carries out the plans of package kruise. It keeps in memory when traffic was
// last changed.
type rolloutController struct {
	*control.Controller
	env   *Env
	grace map[string]kruise.Grace // by the name of the Rollout
}

// newRolloutController returns a controller of Rollouts of OpenKruise.
func newRolloutController(env *Env, instance int) *control.Controller {
	c := &rolloutController{env: env, grace: map[string]kruise.Grace{}}
	reads := slices.Concat([]store.Kind{store.KindRollout, store.KindBatchRelease}, releasedKinds, []store.Kind{store.KindService, store.KindRoute, store.KindIngress})
	c.Controller = control.New(env.Server, c, store.RolloutController, instance, reads...)
	return c.Controller
}

// Forget implements control.Worker.
func (c *rolloutController) Forget() { clear(c.grace) }

// Keys implements control.Worker.
func (c *rolloutController) Keys() []string {
	return names(c.Controller, &c.Rollouts)
}

// Watch enters the changed Rollouts, and the Rollouts of changed BatchReleases, workloads and routes.
func (c *rolloutController) Watch() {
	control.EachTold(c.Controller, &c.Rollouts, func(old, r *store.Rollout) { c.Enter(latest(old, r).Name) })
	control.EachTold(c.Controller, &c.BatchReleases, func(old, br *store.BatchRelease) { c.Enter(latest(old, br).Name) })
	c.env.watchReleased(c.Controller, func(kind, name string) {
		c.enter(func(r *store.Rollout) bool { return r.WorkloadRef.Kind == kind && r.WorkloadRef.Name == name })
	})
	if c.Touched(store.KindService) || c.Touched(store.KindRoute) || c.Touched(store.KindIngress) {
		c.enter(func(r *store.Rollout) bool { return routing(&r.Rollout) != nil })
	}
}

// enter enters the Rollouts of which a function reports true.
func (c *rolloutController) enter(concerned func(*store.Rollout) bool) {
	for _, r := range control.All(c.Controller, &c.Rollouts) {
		if concerned(r) {
			c.Enter(r.Name)
		}
	}
}

// routing returns how a Rollout leads traffic, nil if it does not.
func routing(r *kruise.Rollout) *traffic.Routing {
	if s := r.Strategy(); s != nil && len(s.TrafficRoutings) > 0 {
		return &s.TrafficRoutings[0]
	}
	return nil
}

// snapshot returns the controller's view of a Rollout.
func (c *rolloutController) snapshot(r *store.Rollout) *kruise.Snapshot {
	s := &kruise.Snapshot{Rollout: r.Rollout, Grace: c.grace[r.Name]}
	if br := control.See(c.Controller, &c.BatchReleases, r.Name); br != nil {
		s.BatchRelease = &br.Release
	}
	k := releasedOf(r.WorkloadRef)
	if o, _ := k.at(c.env, &c.View, r.WorkloadRef); o != nil {
		facts := workload.Inspect(k.look(c.env, &c.View, o, r.Style()))
		s.Workload = &facts
	}
	if t := routing(&r.Rollout); t != nil {
		s.Traffic = c.traffic(t)
	}
	return s
}

// traffic returns the objects that lead traffic.
func (c *rolloutController) traffic(t *traffic.Routing) (o traffic.Objects) {
	if s := control.See(c.Controller, &c.Services, t.Service); s != nil {
		o.Stable = &s.Service
	}
	if s := control.See(c.Controller, &c.Services, t.Service+"-canary"); s != nil {
		o.Canary = &s.Service
	}
	if t.Gateway != nil && t.Gateway.HTTPRouteName != nil {
		o.Route = control.See(c.Controller, &c.Routes, *t.Gateway.HTTPRouteName)
	}
	if t.Ingress != nil {
		o.Ingress = control.See(c.Controller, &c.Ingresses, t.Ingress.Name)
		o.CanaryIngress = control.See(c.Controller, &c.Ingresses, t.Ingress.Name+"-canary")
	}
	return o
}

// Begin implements control.Worker.
func (c *rolloutController) Begin(name string) control.Pass {
	r := control.See(c.Controller, &c.Rollouts, name)
	if r == nil {
		delete(c.grace, name)
		return nil
	}
	p, err := kruise.Reconcile(*c.snapshot(r), c.Now(), c.env.Rollout)
	c.Plans++
	if err != nil {
		c.Fail(fmt.Errorf("rollout %s: %w", name, err))
		return nil
	}
	planned(c.env, c.Controller, store.KindRollout, name, p)
	c.grace[name] = p.Grace
	c.PollAt(p.RecheckAt, name)
	if len(p.Actions) == 0 && p.Failure == "" && sameRolloutStatus(&p.Status, &r.Status) {
		c.Succeeded(name)
		return nil
	}
	pass := &rolloutPass{c: c, r: r, plan: p, version: r.ResourceVersion}
	return pass.next
}
