// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// A deploymentController carries out the plans of package deploy. It keeps nothing in memory between
// two passes.
type deploymentController struct {
	*control.Controller
	env *Env
}

// newDeploymentController returns a controller of Deployments.
func newDeploymentController(env *Env, instance int) *control.Controller {
	c := &deploymentController{env: env}
	c.Controller = control.New(env.Server, c, store.DeploymentController, instance, store.KindDeployment, store.KindReplicaSet, store.KindPod)
	c.GiveUpAfter = deploy.MaxRetries
	return c.Controller
}

// Forget implements control.Worker.
func (c *deploymentController) Forget() {}

// Keys implements control.Worker.
func (c *deploymentController) Keys() []string {
	return names(c.Controller, &c.Deployments)
}

// Watch enters the changed Deployments, and the Deployments of changed ReplicaSets.
func (c *deploymentController) Watch() {
	control.EachTold(c.Controller, &c.Deployments, func(_, d *store.Deployment) {
		if d != nil {
			c.Enter(d.Name)
		}
	})
	control.EachTold(c.Controller, &c.ReplicaSets, func(old, rs *replicaset.ReplicaSet) {
		c.enterOwner(rs)
		if old != nil && (rs == nil || old.ControllerUID != rs.ControllerUID) {
			c.enterOwner(old)
		}
	})
	control.EachTold(c.Controller, &c.Server.Pods, c.podEnded)
}

// enterOwner enters the Deployment of a ReplicaSet, or all of the namespace if it has no owner.
func (c *deploymentController) enterOwner(rs *replicaset.ReplicaSet) {
	switch {
	case rs == nil:
	case rs.ControllerKind == deploy.Kind:
		c.Enter(rs.ControllerName)
	case rs.ControllerUID == "":
		for _, d := range within(&c.Deployments, control.All(c.Controller, &c.Deployments), rs.Name) {
			c.Enter(d.Name)
		}
	}
}

// podEnded enters the Deployment that waits for the end of its old pods.
func (c *deploymentController) podEnded(old, p *store.Pod) {
	if old == nil || p != nil && !p.Finished() || old.ControllerKind != replicaset.Kind {
		return
	}
	if rs := control.See(c.Controller, &c.ReplicaSets, old.ControllerName); rs != nil && rs.ControllerKind == deploy.Kind {
		if d := control.See(c.Controller, &c.Deployments, rs.ControllerName); d != nil && d.Strategy == deploy.Recreate {
			c.Enter(d.Name)
		}
	}
}

// snapshot returns the controller's view of a Deployment.
func (c *deploymentController) snapshot(d *store.Deployment) deploy.Snapshot {
	s := deploy.Snapshot{Deployment: d.Deployment}
	s.Deployment.Template.Hash = c.env.Hash(d.Template, d.Status.CollisionCount)
	if d.Partitioned == nil && len(d.Annotations) > 0 {
		s.Deployment.Partitioned = deploy.PartitionedBy(d.Deployment)
	}
	s.ReplicaSets = values(claimable(c.Controller, &c.ReplicaSets, d.UID, d.Name))
	if d.Strategy == deploy.Recreate && s.Deployment.Partitioned == nil || c.env.Deployment.PausePoints {
		for i := range s.ReplicaSets {
			for _, p := range control.Of(c.Controller, &c.Server.Pods, s.ReplicaSets[i].UID) {
				s.Pods = append(s.Pods, *p.Plain())
			}
		}
	}
	return s
}

// polls reports whether a plan asks for the same time again and again until something changes: of a Deployment
// that is rolled by partition, unless the deadline of its progress is still to pass.
func polls(d *deploy.Deployment, p *deploy.Plan) bool {
	deadline := d.ProgressDeadlineSeconds != nil && *d.ProgressDeadlineSeconds != deploy.NoLimit
	return d.Partitioned != nil && (!deadline || slices.ContainsFunc(p.Holds, func(h kplan.Hold) bool { return h.Reason == reason.DeadlineExceeded }))
}

// Begin implements control.Worker.
func (c *deploymentController) Begin(name string) control.Pass {
	d := control.See(c.Controller, &c.Deployments, name)
	if d == nil {
		return nil
	}
	s, now := c.snapshot(d), c.Now()
	made, err := deploy.NewPass(s, now, c.env.Deployment)
	if c.env.PlanDeployment != nil && err == nil {
		made.Plan, err = c.env.PlanDeployment(s, now, c.env.Deployment)
	}
	p := made.Plan
	c.Plans++
	if err != nil {
		c.Fail(fmt.Errorf("deployment %s: %w", name, err))
		return nil
	}
	planned(c.env, c.Controller, store.KindDeployment, name, p)
	if polls(&s.Deployment, &p) {
		c.PollAt(p.RecheckAt, name)
	} else {
		c.WakeAt(p.RecheckAt, name)
	}
	if len(p.Actions) == 0 && sameDeploymentStatus(&p.Status, &d.Status) {
		c.Succeeded(name)
		return nil
	}
	pass := &deploymentPass{c: c, s: s, pass: made, version: d.ResourceVersion}
	return pass.next
}
