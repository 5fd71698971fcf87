// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/selector"
)

// A deploymentPass carries out one plan.
type deploymentPass struct {
	c        *deploymentController
	snapshot *deploy.Snapshot
	tracker  *deploy.Tracker // that made the plan, or nil
	now      time.Time
	plan     deploy.Plan
	done     int
	outcomes []selector.Outcome
	failed   deploy.Action     // that ended the pass, nil if none did
	seen     deploy.Deployment // with the version that the next write supposes
	written  []writtenSet
}

// A writtenSet is a ReplicaSet that a pass has written.
type writtenSet struct{ name, version string }

// next performs the next request of the pass.
func (p *deploymentPass) next() bool {
	if p.done < len(p.plan.Actions) && p.failed == nil {
		o := deploymentOutcome(p.perform(p.plan.Actions[p.done]))
		p.done++
		if p.outcomes = append(p.outcomes, o); o.Answer == selector.Done {
			return true
		}
		p.failed = p.plan.Actions[p.done-1]
	}
	r := p.finish()
	if count := r.Status.CollisionCount; count != nil && (p.seen.Status.CollisionCount == nil || *count != *p.seen.Status.CollisionCount) {
		p.c.w.count(HashCollided)
	}
	if !sameDeploymentStatus(&r.Status, &p.seen.Status) || p.failed != nil && r.WriteStatus {
		wrote := p.writeDeployment(UpdateStatus, nil, func(d *Deployment) {
			if d.Status = r.Status; p.failed != nil {
				d.Annotations = r.Annotations
			}
		})
		if wrote != done {
			p.c.retry(p.seen.Name)
			return false
		}
		if p.settles() {
			p.c.settled = p.c.w.store.touched[KindDeployment]
		}
	}
	if r.Err != nil {
		p.c.retry(p.seen.Name)
		return false
	}
	p.c.retries = 0
	return false
}

// settles reports whether to plan again behind the write of the status would make the same plan: one
// without actions that waits for the deadline of a rollout. Progress is measured by the status before,
// and there has been none by then; what a complete rollout does with its history is all else that
// depends on it. Then nobody plans again in a world that shows what controllers do, and not how.
func (p *deploymentPass) settles() bool {
	d, c := &p.snapshot.Deployment, p.c
	return c.w.strict && c.plan == nil && len(p.plan.Actions) == 0 && !p.plan.RecheckAt.IsZero() &&
		d.Replicas != nil && !deploy.Complete(d.Status, *d.Replicas, d.Generation)
}

// finish says what has come of the plan. In a calm world that is what was planned, if nothing
// has failed.
func (p *deploymentPass) finish() deploy.Result {
	if p.c.w.calm && p.failed == nil {
		return deploy.Result{Status: p.plan.Status, RecheckAt: p.plan.RecheckAt}
	}
	report := deploy.Report{Outcomes: p.outcomes}
	if p.tracker != nil {
		return p.tracker.Finish(p.plan, report, p.now, p.c.options)
	}
	return deploy.Finish(*p.snapshot, p.plan, report, p.now, p.c.options)
}

// deploymentOutcome is the answer as package deploy knows it.
func deploymentOutcome(a answer) selector.Outcome {
	if a == exists {
		return selector.Outcome{Answer: selector.AlreadyExists}
	}
	return outcome(a)
}

// writeDeployment changes the Deployment if it still is as this pass has seen it.
func (p *deploymentPass) writeDeployment(verb Verb, action fmt.Stringer, f func(*Deployment)) answer {
	c := p.c
	return c.ask(func() answer {
		r := c.about(c.request(verb, p.seen.Name, precondition{p.seen.UID, p.seen.ResourceVersion}, action))
		d, a := update(c.w, &c.w.store.deployments, r, f)
		if a == done {
			p.seen.ResourceVersion = d.ResourceVersion
		}
		return a
	})
}

// writeReplicaSet carries out an action on a ReplicaSet, if it fulfils the precondition.
func (p *deploymentPass) writeReplicaSet(name string, pre precondition, a deploy.Action) answer {
	c := p.c
	return c.ask(func() answer {
		rs, answer := update(c.w, &c.w.store.replicaSets, c.request(Update, name, pre, a), func(rs *replicaSet) {
			if s, ok := a.(deploy.ScaleReplicaSet); ok {
				p.scale(s, rs)
				return
			}
			c.one = append(c.one[:0], *rs)
			if after := p.apply(a, &p.seen, c.one...); len(after.ReplicaSets) > 0 {
				*rs = after.ReplicaSets[0]
			}
		})
		if answer == done {
			p.written = append(p.written, writtenSet{name, rs.ResourceVersion})
		}
		return answer
	})
}

// apply returns what an action makes of the Deployment and of ReplicaSets as they are.
func (p *deploymentPass) apply(a deploy.Action, d *deploy.Deployment, sets ...replicaSet) deploy.Snapshot {
	after, err := deploy.Apply(deploy.Snapshot{Deployment: *d, ReplicaSets: sets}, a, p.c.w.now)
	if err != nil {
		p.unfit(a, err)
		return deploy.Snapshot{Deployment: *d, ReplicaSets: sets}
	}
	return after
}

// scale is apply to the one ReplicaSet that is scaled, as most writes do.
func (p *deploymentPass) scale(a deploy.ScaleReplicaSet, rs *replicaSet) {
	if !p.c.w.calm {
		a.From = sizeOf(rs) // an API server does not ask what a write was planned for
	}
	after, err := a.ApplyTo(*rs)
	if err != nil {
		p.unfit(a, err)
		return
	}
	*rs = after
}

// unfit ends the loop for an action that is refused. No plan has one, unless the cluster is another
// one than it was made for.
func (p *deploymentPass) unfit(a deploy.Action, err error) {
	p.c.w.fail(fmt.Errorf("deployment %s: %v: %w", p.seen.Name, a, err))
}

func (p *deploymentPass) versionOf(name string) string {
	for i := len(p.written) - 1; i >= 0; i-- {
		if p.written[i].name == name {
			return p.written[i].version
		}
	}
	for i := range p.snapshot.ReplicaSets {
		if rs := &p.snapshot.ReplicaSets[i]; rs.Name == name {
			return rs.ResourceVersion
		}
	}
	return ""
}

// perform asks for one write.
func (p *deploymentPass) perform(action deploy.Action) answer {
	c := p.c
	onDeployment := func(d *Deployment) { d.Deployment = p.apply(action, &d.Deployment).Deployment }
	switch a := action.(type) {
	case deploy.CreateReplicaSet:
		return p.create(a)
	case deploy.ScaleReplicaSet:
		if a.To < 0 {
			return p.negative(action)
		}
		return p.writeReplicaSet(a.Name, precondition{a.UID, p.versionOf(a.Name)}, action)
	case deploy.AnnotateReplicaSet:
		return p.writeReplicaSet(a.Name, precondition{a.UID, p.versionOf(a.Name)}, action)
	case deploy.DeleteReplicaSet:
		return c.ask(func() answer {
			return c.w.deleteReplicaSet(c.request(Delete, a.Name, precondition{a.UID, a.ResourceVersion}, action))
		})
	case deploy.AdoptReplicaSet:
		if !p.live() {
			return invalid
		}
		if rs := c.w.store.replicaSets.named(a.Name); rs != nil && rs.ControllerUID != "" && rs.ControllerUID != p.seen.UID {
			return c.ask(func() answer { return c.w.answered(invalid) })
		}
		return p.writeReplicaSet(a.Name, precondition{uid: a.UID}, action)
	case deploy.ReleaseReplicaSet:
		if rs := c.w.store.replicaSets.named(a.Name); rs != nil && rs.ControllerUID != p.seen.UID {
			return c.ask(func() answer { return done }) // there is nothing to remove
		}
		return p.writeReplicaSet(a.Name, precondition{uid: a.UID}, action)
	case deploy.AnnotateDeployment:
		return p.writeDeployment(UpdateStatus, action, onDeployment)
	}
	return p.writeDeployment(Update, action, onDeployment)
}

// negative is the answer to a size below 0, which the API server does not take and no plan
// has: it ends the loop.
func (p *deploymentPass) negative(a deploy.Action) answer {
	p.c.w.fail(fmt.Errorf("size below 0: %v", a))
	return invalid
}

func (p *deploymentPass) create(a deploy.CreateReplicaSet) answer {
	if a.Replicas < 0 {
		return p.negative(a)
	}
	c := p.c
	return c.ask(func() answer {
		after := p.apply(a, &p.seen)
		if len(after.ReplicaSets) == 0 {
			return invalid
		}
		rs := after.ReplicaSets[0]
		rs.UID = "" // the store gives it one
		_, answer := create(c.w, &c.w.store.replicaSets, c.request(Create, a.Name, precondition{}, a), &rs)
		return answer
	})
}

// live reports whether the Deployment really is the one that was seen, and stays.
func (p *deploymentPass) live() bool {
	d := p.c.w.store.deployments.named(p.seen.Name)
	return d != nil && d.UID == p.seen.UID && d.DeletionTimestamp.IsZero()
}
