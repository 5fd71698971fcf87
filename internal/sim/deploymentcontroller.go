// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/selector"
)

// A deploymentController carries out the plans of package deploy. It keeps nothing in
// memory between two passes.
type deploymentController struct {
	*controller
	options deploy.Options
	// The planner; nil means that of package deploy.
	plan func(deploy.Snapshot, time.Time, deploy.Options) (deploy.Plan, error)
	sets []replicaSet
	pods []podorder.Pod
	seen deploy.Snapshot // of the pass that is under way
	pass deploymentPass

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
	s.deployments.numberedBetween(from[KindDeployment], c.view[KindDeployment], skip, func(number int32, _, d *Deployment) {
		switch {
		case d == nil:
		case c.w.calm:
			c.queue.addNumbered(number, d.Name)
		default:
			c.enter(d.Name)
		}
	})
	s.replicaSets.numberedBetween(from[KindReplicaSet], c.view[KindReplicaSet], skip, func(number int32, old, rs *replicaSet) {
		if c.enterOwner(number, old, rs) {
			return
		}
		c.enterOwners(old)
		c.enterOwners(rs)
	})
	s.pods.between(from[KindPod], c.view[KindPod], skip, c.told)
}

// told is told of a pod that has changed.
func (c *deploymentController) told(old, p *podorder.Pod) {
	if c.w.fleet != nil {
		c.toldOfEnd(old, p)
		return
	}
	if (p == nil || p.Finished()) && c.queue.len() < len(c.w.store.deployments.all()) {
		c.resync() // for Recreate
	}
}

// enterOwner enters the Deployment of a ReplicaSet of a calm fleet, if it is the same as before.
// It reports whether it is.
func (c *deploymentController) enterOwner(number int32, old, rs *replicaSet) bool {
	if c.w.fleet == nil || !c.w.calm || old == nil || rs == nil || rs.ControllerKind != deploy.Kind || old.ControllerKind != deploy.Kind ||
		old.ControllerName != rs.ControllerName {
		return false
	}
	s := c.w.store
	c.queue.addNumbered(owning(&s.replicaSets, number, &s.deployments, rs.ControllerName), rs.ControllerName)
	return true
}

func (c *deploymentController) enterOwners(rs *replicaSet) {
	switch {
	case rs == nil:
	case rs.ControllerKind == deploy.Kind:
		c.enter(rs.ControllerName)
	case c.w.fleet != nil && rs.ControllerUID != "": // another kind's
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
	if c.w.fleet != nil {
		c.ofFleet(snapshot)
		return snapshot
	}
	c.sets = fill(c.sets, s.replicaSets.at(c.view[KindReplicaSet]))
	snapshot.ReplicaSets = c.sets
	if c.w.calm || d.Strategy == deploy.Recreate || c.options.PausePoints {
		snapshot.Pods = s.pods.valuesAt(c.view[KindPod], &c.pods)
	}
	return snapshot
}

// see returns a snapshot of a Deployment without lists, which is valid until the next pass.
func (c *deploymentController) see(d *Deployment) *deploy.Snapshot {
	c.seen = deploy.Snapshot{Deployment: d.Deployment}
	if c.w.fleet == nil && !c.w.strict {
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
	c.pass = deploymentPass{c: c, seen: s.Deployment, snapshot: s, tracker: tracker, now: now, plan: p}
	return c.pass.next
}

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
	versions map[string]string // of ReplicaSets that this pass has written
}

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
	}
	if r.Err != nil {
		p.c.retry(p.seen.Name)
		return false
	}
	p.c.retries = 0
	return false
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
			if s, ok := a.(deploy.ScaleReplicaSet); ok && !c.w.calm {
				s.From = sizeOf(rs) // an API server does not ask what a write was planned for
				a = s
			}
			if after := p.apply(a, &p.seen, *rs); len(after.ReplicaSets) > 0 {
				*rs = after.ReplicaSets[0]
			}
		})
		if answer == done {
			if p.versions == nil {
				p.versions = map[string]string{}
			}
			p.versions[name] = rs.ResourceVersion
		}
		return answer
	})
}

// apply returns what an action makes of the Deployment and of ReplicaSets as they are. No plan
// has an action that is refused, unless the cluster is another one than it was made for.
func (p *deploymentPass) apply(a deploy.Action, d *deploy.Deployment, sets ...replicaSet) deploy.Snapshot {
	after, err := deploy.Apply(deploy.Snapshot{Deployment: *d, ReplicaSets: sets}, a, p.c.w.now)
	if err != nil {
		p.c.w.fail(fmt.Errorf("deployment %s: %v: %w", d.Name, a, err))
		return deploy.Snapshot{Deployment: *d, ReplicaSets: sets}
	}
	return after
}

func (p *deploymentPass) versionOf(name string) string {
	if v, ok := p.versions[name]; ok {
		return v
	}
	for i := range p.snapshot.ReplicaSets {
		if rs := &p.snapshot.ReplicaSets[i]; rs.Name == name {
			return rs.ResourceVersion
		}
	}
	return ""
}

// perform asks for one write.
func (p *deploymentPass) perform(a deploy.Action) answer {
	c := p.c
	onDeployment := func(d *Deployment) { d.Deployment = p.apply(a, &d.Deployment).Deployment }
	switch a := a.(type) {
	case deploy.CreateReplicaSet:
		return p.create(a)
	case deploy.ScaleReplicaSet:
		if a.To < 0 {
			return p.negative(a)
		}
		return p.writeReplicaSet(a.Name, precondition{a.UID, p.versionOf(a.Name)}, a)
	case deploy.AnnotateReplicaSet:
		return p.writeReplicaSet(a.Name, precondition{a.UID, p.versionOf(a.Name)}, a)
	case deploy.DeleteReplicaSet:
		return c.ask(func() answer {
			return c.w.deleteReplicaSet(c.request(Delete, a.Name, precondition{a.UID, a.ResourceVersion}, a))
		})
	case deploy.AdoptReplicaSet:
		if !p.live() {
			return invalid
		}
		if rs := c.w.store.replicaSets.named(a.Name); rs != nil && rs.ControllerUID != "" && rs.ControllerUID != p.seen.UID {
			return c.ask(func() answer { return c.w.answered(invalid) })
		}
		return p.writeReplicaSet(a.Name, precondition{uid: a.UID}, a)
	case deploy.ReleaseReplicaSet:
		if rs := c.w.store.replicaSets.named(a.Name); rs != nil && rs.ControllerUID != p.seen.UID {
			return c.ask(func() answer { return done }) // there is nothing to remove
		}
		return p.writeReplicaSet(a.Name, precondition{uid: a.UID}, a)
	case deploy.AnnotateDeployment:
		return p.writeDeployment(UpdateStatus, a, onDeployment)
	}
	return p.writeDeployment(Update, a, onDeployment)
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

func sameDeploymentStatus(a, b *deploy.Status) bool {
	return a.ObservedGeneration == b.ObservedGeneration && a.Replicas == b.Replicas && a.UpdatedReplicas == b.UpdatedReplicas &&
		a.ReadyReplicas == b.ReadyReplicas && a.AvailableReplicas == b.AvailableReplicas &&
		a.UnavailableReplicas == b.UnavailableReplicas && same(a.TerminatingReplicas, b.TerminatingReplicas) &&
		same(a.CollisionCount, b.CollisionCount) && slices.Equal(a.Conditions, b.Conditions)
}

func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
