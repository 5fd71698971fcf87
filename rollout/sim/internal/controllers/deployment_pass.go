// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// A deploymentPass carries out one plan of a Deployment.
type deploymentPass struct {
	c        *deploymentController
	s        deploy.Snapshot
	pass     deploy.Pass
	done     int
	outcomes []kplan.Outcome
	existing *replicaset.ReplicaSet // that has the name of the new one
	failed   bool
	version  string            // of the Deployment, as it was seen or written last
	written  map[string]string // versions of ReplicaSets that the pass has written, by name
}

// next sends the next request.
func (p *deploymentPass) next() bool {
	if p.done < len(p.pass.Plan.Actions) && !p.failed {
		o := deploymentOutcome(p.perform(p.pass.Plan.Actions[p.done]))
		p.done++
		p.outcomes = append(p.outcomes, o)
		p.failed = o.Answer != kplan.Done
		return true
	}
	c, d := p.c, &p.s.Deployment
	r := p.pass.Finish(deploy.Report{Outcomes: p.outcomes, Existing: p.existing})
	if n := r.Status.CollisionCount; n != nil && (d.Status.CollisionCount == nil || *n != *d.Status.CollisionCount) {
		c.Trouble.Count(trouble.HashCollided)
	}
	write := !sameDeploymentStatus(&r.Status, &d.Status) || p.failed && r.WriteStatus
	if write && p.writeStatus(&r) != apiserver.Done || r.Err != nil {
		c.Retry(d.Name)
		return false
	}
	c.Succeeded(d.Name)
	return false
}

func (p *deploymentPass) writeStatus(r *deploy.Result) apiserver.Answer {
	return p.write(store.UpdateStatus, nil, func(d *store.Deployment) {
		if d.Status = r.Status; p.failed {
			d.Annotations = r.Annotations
		}
	})
}

// deploymentOutcome is the answer as package deploy knows it.
func deploymentOutcome(a apiserver.Answer) kplan.Outcome {
	if a == apiserver.Exists {
		return kplan.Outcome{Answer: kplan.AlreadyExists}
	}
	return a.Outcome()
}

// perform asks for one write.
func (p *deploymentPass) perform(action deploy.Action) apiserver.Answer {
	c := p.c
	onDeployment := func(d *store.Deployment) { d.Deployment = p.apply(action, &d.Deployment).Deployment }
	switch a := action.(type) {
	case deploy.CreateReplicaSet:
		return p.create(a)
	case deploy.ScaleReplicaSet:
		return p.change(a.Name, a.UID, true, action)
	case deploy.AnnotateReplicaSet:
		return p.change(a.Name, a.UID, true, action)
	case deploy.DeleteReplicaSet:
		r := c.Request(store.Delete, a.Name, action)
		r.UID, r.Version = a.UID, a.ResourceVersion
		return c.Ask(func() apiserver.Answer { return apiserver.Remove(c.Server, &c.ReplicaSets, r) })
	case deploy.AdoptReplicaSet:
		if !p.live() || ownedByOther(c.ReplicaSets.Get(a.Name), p.s.Deployment.UID) {
			return apiserver.Invalid
		}
		return p.change(a.Name, a.UID, false, action)
	case deploy.ReleaseReplicaSet:
		if rs := c.ReplicaSets.Get(a.Name); rs != nil && rs.ControllerUID != p.s.Deployment.UID {
			return apiserver.Done // there is nothing to remove
		}
		return p.change(a.Name, a.UID, false, action)
	case deploy.AnnotateDeployment:
		return p.write(store.UpdateStatus, action, onDeployment)
	}
	return p.write(store.Update, action, onDeployment)
}

// ownedByOther reports whether a ReplicaSet has another owner.
func ownedByOther(rs *replicaset.ReplicaSet, uid string) bool {
	return rs != nil && rs.ControllerUID != "" && rs.ControllerUID != uid
}

// apply returns the Deployment and ReplicaSets as an action leaves them. No plan has an
// action that is refused: that ends the world.
func (p *deploymentPass) apply(a deploy.Action, d *deploy.Deployment, sets ...replicaset.ReplicaSet) deploy.Snapshot {
	s := deploy.Snapshot{Deployment: *d, ReplicaSets: sets}
	after, err := deploy.Apply(s, a, p.c.Agenda.Now())
	if err != nil {
		p.c.Fail(fmt.Errorf("deployment %s: %v: %w", d.Name, a, err))
		return s
	}
	return after
}

// write changes the Deployment if it still is as this pass has seen or written it.
func (p *deploymentPass) write(verb store.Verb, a fmt.Stringer, f func(*store.Deployment)) apiserver.Answer {
	c := p.c
	r := c.Request(verb, p.s.Deployment.Name, a)
	r.UID, r.Version = p.s.Deployment.UID, p.version
	return c.Ask(func() apiserver.Answer {
		d, answer := apiserver.Update(c.Server, &c.Deployments, r, f)
		if answer == apiserver.Done {
			p.version = d.ResourceVersion
		}
		return answer
	})
}

// change carries out an action on a ReplicaSet, if that still is as the pass has seen or written it.
func (p *deploymentPass) change(name, uid string, unchanged bool, a deploy.Action) apiserver.Answer {
	c := p.c
	if s, ok := a.(deploy.ScaleReplicaSet); ok && s.To < 0 {
		return p.negative(a)
	}
	r := c.Request(store.Update, name, a)
	if r.UID = uid; unchanged {
		r.Version = p.versionOf(name)
	}
	return c.Ask(func() apiserver.Answer {
		rs, answer := apiserver.Update(c.Server, &c.ReplicaSets, r, func(rs *replicaset.ReplicaSet) {
			*rs = p.changed(a, *rs)
		})
		if answer == apiserver.Done {
			if p.written == nil {
				p.written = map[string]string{}
			}
			p.written[name] = rs.ResourceVersion
		}
		return answer
	})
}

// changed returns a ReplicaSet as an action leaves it.
func (p *deploymentPass) changed(a deploy.Action, rs replicaset.ReplicaSet) replicaset.ReplicaSet {
	scale, ok := a.(deploy.ScaleReplicaSet)
	if !ok {
		if after := p.apply(a, &p.s.Deployment, rs); len(after.ReplicaSets) > 0 {
			return after.ReplicaSets[0]
		}
		return rs
	}
	scale.From = orOne(rs.Replicas) // an API server does not ask for which size a write was planned
	after, err := scale.ApplyTo(rs)
	p.c.Fail(err)
	return after
}

func (p *deploymentPass) versionOf(name string) string {
	if v, ok := p.written[name]; ok {
		return v
	}
	for i := range p.s.ReplicaSets {
		if rs := &p.s.ReplicaSets[i]; rs.Name == name {
			return rs.ResourceVersion
		}
	}
	return ""
}

// negative is the answer to a size below 0, which the API server does not take and no plan has.
func (p *deploymentPass) negative(a deploy.Action) apiserver.Answer {
	p.c.Fail(fmt.Errorf("size below 0: %v", a))
	return apiserver.Invalid
}

func (p *deploymentPass) create(a deploy.CreateReplicaSet) apiserver.Answer {
	if a.Replicas < 0 {
		return p.negative(a)
	}
	c := p.c
	answer := c.Ask(func() apiserver.Answer {
		after := p.apply(a, &p.s.Deployment)
		if len(after.ReplicaSets) == 0 {
			return apiserver.Invalid
		}
		rs := after.ReplicaSets[0]
		rs.UID = "" // the store gives it one
		_, answer := apiserver.Create(c.Server, &c.ReplicaSets, c.Request(store.Create, a.Name, a), &rs)
		return answer
	})
	if answer == apiserver.Exists {
		p.existing = control.See(c.Controller, &c.ReplicaSets, a.Name)
	}
	return answer
}

// live reports whether the Deployment really is the one that was seen, and stays.
func (p *deploymentPass) live() bool {
	d := p.c.Deployments.Get(p.s.Deployment.Name)
	return d != nil && d.UID == p.s.Deployment.UID && d.DeletionTimestamp.IsZero()
}
