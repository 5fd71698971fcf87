// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
)

// A deploymentController carries out the plans of package deploy. It keeps nothing in
// memory between two passes.
type deploymentController struct {
	*controller
	options deploy.Options
	// The planner; nil means that of package deploy.
	plan func(deploy.Snapshot, time.Time, deploy.Options) (deploy.Plan, error)
	sets []replicaSet
	one  []replicaSet // memory for what an action is carried out on
	pods []podorder.Pod
	seen deploy.Snapshot // of the pass that is under way
	pass deploymentPass
	next func() bool // of the pass
	// The version of the last write of a status behind which the plan is the same once more.
	settled int64

	followed map[string]*followedDeployment // by name
}

func (c *deploymentController) forget() {}

func (c *deploymentController) keys() (names []string) {
	for _, d := range c.w.store.deployments.at(c.view[KindDeployment]) {
		names = append(names, d.Name)
	}
	return names
}

// watch enters the Deployments whose objects have changed.
func (c *deploymentController) watch(from *[kinds]int64, skip bool) {
	s := c.w.store
	s.deployments.changesBetween(from[KindDeployment], c.view[KindDeployment], skip, func(e change[Deployment]) {
		switch d := e.new; {
		case d == nil, e.version == c.settled:
		case c.w.calm:
			c.queue.addNumbered(e.number, d.Name)
		default:
			c.enter(d.Name)
		}
	})
	s.replicaSets.between(from[KindReplicaSet], c.view[KindReplicaSet], skip, func(old, rs *replicaSet) {
		c.enterOwners(old)
		c.enterOwners(rs)
	})
	s.pods.between(from[KindPod], c.view[KindPod], skip, c.told)
}

// told is told of a pod that has changed.
func (c *deploymentController) told(_, p *podorder.Pod) {
	all := c.w.store.deployments.all()
	if c.w.strict && c.plan == nil && !slices.ContainsFunc(all, func(d *Deployment) bool { return c.readsPods(&d.Deployment) }) {
		return
	}
	if (p == nil || p.Finished()) && c.queue.len() < len(all) {
		c.resync() // for Recreate
	}
}

func (c *deploymentController) enterOwners(rs *replicaSet) {
	switch {
	case rs == nil:
	case rs.ControllerKind == deploy.Kind:
		c.enter(rs.ControllerName)
	default:
		c.resync()
	}
}

// snapshot returns what the controller sees, or nil if the Deployment is not there.
func (c *deploymentController) snapshot(name string) *deploy.Snapshot {
	s := c.w.store
	d := current(c.controller, &s.deployments, name)
	if d == nil {
		return nil
	}
	snapshot := c.see(d)
	c.sets = fill(c.sets, s.replicaSets.at(c.view[KindReplicaSet]))
	snapshot.ReplicaSets = c.sets
	if c.w.calm || c.readsPods(&d.Deployment) {
		snapshot.Pods = s.pods.valuesAt(c.view[KindPod], &c.pods)
	}
	return snapshot
}

// readsPods reports whether plans for a Deployment read pods, if they are not those of somebody else's.
func (c *deploymentController) readsPods(d *deploy.Deployment) bool {
	return d.Strategy == deploy.Recreate || c.options.PausePoints
}

// see returns a snapshot of a Deployment without lists, which is valid until the next pass.
func (c *deploymentController) see(d *Deployment) *deploy.Snapshot {
	c.seen = deploy.Snapshot{Deployment: d.Deployment}
	if !c.w.strict {
		c.seen.Deployment.Template.Hash = c.w.hash(d.Template.ID, d.Status.CollisionCount)
		c.seen.Deployment.Partitioned = deploy.PartitionedBy(d.Deployment)
	}
	return &c.seen
}

// planFor returns a plan for a Deployment, what it was made from, nil if the Deployment is not
// there, and the Tracker that made it, if one did: of a world that is followed the snapshot has
// no lists.
func (c *deploymentController) planFor(name string, now time.Time) (*deploy.Snapshot, deploy.Plan, *deploy.Tracker, error) {
	if c.w.followed && c.plan == nil {
		d := current(c.controller, &c.w.store.deployments, name)
		if d == nil {
			return nil, deploy.Plan{}, nil, nil
		}
		f := c.follow(d)
		p, err := f.tracker.Plan(now, c.options)
		return c.see(d), p, &f.tracker, err
	}
	s := c.snapshot(name)
	if s == nil {
		return nil, deploy.Plan{}, nil, nil
	}
	plan := c.plan
	if plan == nil {
		plan = deploy.Reconcile
	}
	p, err := plan(*s, now, c.options)
	return s, p, nil, err
}

func (c *deploymentController) begin(name string) func() bool {
	now := c.now()
	s, p, tracker, err := c.planFor(name, now)
	if s == nil {
		return nil
	}
	c.corrected = c.options.Repair == deploy.RepairAll
	c.w.Plans++
	if err != nil {
		c.w.fail(fmt.Errorf("deployment %s: %w", name, err))
		return nil
	}
	if c.w.Trace != nil {
		c.w.tracef("%s %d plans for %s, %d behind: %v; %+v", c.Role, c.Instance, name, c.lag(), p, p.Status.Conditions)
	}
	if f := c.w.Observer.Deployment; f != nil {
		c.w.fail(f(Planned[deploy.Snapshot, deploy.Options, deploy.Plan]{
			By: c.Actor, Snapshot: *s, Now: now, Options: c.options, Plan: p, Lag: c.lag(), Fair: c.w.fair,
		}))
	}
	c.wakeAt(p.RecheckAt, name)
	if len(p.Actions) == 0 && sameDeploymentStatus(&p.Status, &s.Deployment.Status) {
		c.retries = 0
		return nil
	}
	c.pass = deploymentPass{
		c: c, seen: s.Deployment, snapshot: s, tracker: tracker, now: now, plan: p,
		outcomes: c.pass.outcomes[:0], written: c.pass.written[:0],
	}
	return c.next
}

func (w *World) addDeploymentController(o deploy.Options) *deploymentController {
	c := &deploymentController{controller: &controller{}, options: o}
	c.next = c.pass.next
	w.addController(c.controller, c, DeploymentController, KindDeployment, KindReplicaSet, KindPod)
	w.store.pods.tell = append(w.store.pods.tell, c.told)
	return c
}
