// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"slices"

	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A rolloutController carries out the plans of the rollout pass. It keeps in memory
// when traffic was last changed.
type rolloutController struct {
	*controller
	options kruise.Options
	grace   map[string]kruise.Grace
}

func (c *rolloutController) forget() { clear(c.grace) }

func (c *rolloutController) keys() (names []string) {
	for _, r := range c.w.store.rollouts.at(c.view[KindRollout]) {
		names = append(names, r.Name)
	}
	return names
}

// watch enters all Rollouts: everything that is read concerns them.
func (c *rolloutController) watch(from *[kinds]int64, _ bool) {
	for _, k := range c.reads {
		if from[k] != c.view[k] && c.w.store.touched[k] > min(from[k], c.view[k]) {
			c.resync()
			return
		}
	}
}

// snapshot returns what the controller sees, or nil if the Rollout is not there.
func (c *rolloutController) snapshot(name string) (*kruise.Snapshot, *Rollout) {
	s := c.w.store
	r := find(&s.rollouts, s.rollouts.at(c.view[KindRollout]), name)
	if r == nil {
		return nil, nil
	}
	snapshot := &kruise.Snapshot{Rollout: r.Rollout, Grace: c.grace[name]}
	if br := find(&s.batchReleases, s.batchReleases.at(c.view[KindBatchRelease]), name); br != nil {
		snapshot.BatchRelease = &br.Release
	}
	k := releasedOf(r.WorkloadRef)
	if o, _ := k.at(c.w, &c.view, r.WorkloadRef.Name); o != nil {
		facts := workload.Inspect(k.look(c.w, &c.view, o, r.Style()))
		snapshot.Workload = &facts
	}
	c.traffic(snapshot)
	return snapshot, r
}

// traffic adds the objects that lead traffic.
func (c *rolloutController) traffic(snapshot *kruise.Snapshot) {
	strategy := snapshot.Rollout.Strategy()
	if strategy == nil || len(strategy.TrafficRoutings) == 0 {
		return
	}
	s, t, traffic := c.w.store, &strategy.TrafficRoutings[0], &snapshot.Traffic
	services := s.services.at(c.view[KindService])
	if o := find(&s.services, services, t.Service); o != nil {
		traffic.Stable = &o.Service
	}
	if o := find(&s.services, services, t.Service+"-canary"); o != nil {
		traffic.Canary = &o.Service
	}
	if t.Gateway != nil && t.Gateway.HTTPRouteName != nil {
		traffic.Route = find(&s.routes, s.routes.at(c.view[KindRoute]), *t.Gateway.HTTPRouteName)
	}
	if t.Ingress != nil {
		ingresses := s.ingresses.at(c.view[KindIngress])
		traffic.Ingress = find(&s.ingresses, ingresses, t.Ingress.Name)
		traffic.CanaryIngress = find(&s.ingresses, ingresses, t.Ingress.Name+"-canary")
	}
}

func (c *rolloutController) begin(name string) func() bool {
	s, r := c.snapshot(name)
	if s == nil {
		delete(c.grace, name)
		return nil
	}
	now := c.now()
	c.corrected = c.options.Repair != 0
	p, err := kruise.Reconcile(*s, now, c.options)
	c.w.Plans++
	if err != nil {
		c.w.fail(fmt.Errorf("rollout %s: %w", name, err))
		return nil
	}
	if c.w.Trace != nil {
		c.w.tracef("%s %d plans for %s, %d behind: %v; %s %d/%s %s", c.Role, c.Instance, name, c.lag(), p, p.Status.Phase, p.Status.CurrentStepIndex, p.Status.CurrentStepState, p.Failure)
	}
	if f := c.w.Observer.Rollout; f != nil {
		c.w.fail(f(Planned[kruise.Snapshot, kruise.Options, kruise.Plan]{
			By: c.Actor, Snapshot: *s, Now: now, Options: c.options, Plan: p, Lag: c.lag(), Fair: c.w.fair,
		}))
	}
	c.grace[name] = p.Grace
	c.wakeAt(p.RecheckAt, name)
	pass := &rolloutPass{c: c, r: r, plan: p, version: r.ResourceVersion, behind: c.lag() > 0}
	if len(p.Actions) == 0 && p.Failure == "" && sameRolloutStatus(&p.Status, &r.Status) {
		c.retries = 0
		return nil
	}
	return pass.next
}

// A rolloutPass carries out one plan of a Rollout.
type rolloutPass struct {
	c       *rolloutController
	r       *Rollout
	plan    kruise.Plan
	version string
	done    int
	behind  bool // it sees the past
}

func (p *rolloutPass) next() bool {
	if p.done < len(p.plan.Actions) {
		a := p.perform(p.plan.Actions[p.done])
		p.done++
		if a != done {
			p.c.retry(p.r.Name)
			return false
		}
		return true
	}
	switch {
	case p.plan.Failure != "": // without a status
		p.c.retry(p.r.Name)
		return false
	case !sameRolloutStatus(&p.plan.Status, &p.r.Status) && p.write(UpdateStatus, nil, func(r *Rollout) { r.Status = p.plan.Status }) != done:
		p.c.retry(p.r.Name)
		return false
	}
	p.c.retries = 0
	return false
}

// write changes the Rollout if it still is as this pass has seen it. A Rollout that is
// gone with its last finalizer needs no status any more.
func (p *rolloutPass) write(verb Verb, action fmt.Stringer, f func(*Rollout)) answer {
	c := p.c
	return c.ask(func() answer {
		table := &c.w.store.rollouts
		r, a := update(c.w, table, c.request(verb, p.r.Name, precondition{p.r.UID, p.version}, action), f)
		switch {
		case a == done:
			p.version = r.ResourceVersion
			c.w.abandoned = c.w.abandoned || ending(r)
			br := c.w.store.batchReleases.named(r.Name) // which is deleted before, by those who see it
			if p.behind && r.Status.Phase == kruise.PhaseDisabled && br != nil && br.DeletionTimestamp.IsZero() {
				c.w.lateBatch = br.UID
			}
			if !r.DeletionTimestamp.IsZero() && len(r.Finalizers) == 0 {
				remove(c.w, table, request{by: Actor{Role: Collector}, name: r.Name, fresh: true})
			}
		case a == notFound && verb == UpdateStatus:
			return done
		}
		return a
	})
}

// late reports whether the pass goes on with a Rollout that has begun to give back what it has,
// which it does not see.
func (p *rolloutPass) late() bool {
	r := p.c.w.store.rollouts.named(p.r.Name)
	return r == nil || ending(r) && !ending(p.r)
}

// ending reports whether a Rollout gives back what it has.
func ending(r *Rollout) bool {
	switch r.Status.Phase {
	case kruise.PhaseTerminating, kruise.PhaseDisabling, kruise.PhaseDisabled:
		return true
	}
	return false
}

// apply returns what an action makes of objects as they are. No plan has an action that is
// refused.
func (p *rolloutPass) apply(a kruise.Action, s kruise.Snapshot) kruise.Snapshot {
	after, err := kruise.Apply(s, a, p.c.w.now)
	if err != nil {
		p.c.w.fail(fmt.Errorf("rollout %s: %v: %w", p.r.Name, a, err))
		return s
	}
	return after
}

func (p *rolloutPass) perform(a kruise.Action) answer {
	c := p.c
	w := c.w
	switch a := a.(type) {
	case kruise.SetFinalizer, kruise.PatchRollout:
		return p.write(Update, a, func(r *Rollout) { r.Rollout = p.apply(a, kruise.Snapshot{Rollout: r.Rollout}).Rollout })
	case kruise.PatchWorkload:
		return c.patchWorkload(a, a.UID, a.Workload, &a.Patch)
	case kruise.CreateBatchRelease:
		return c.ask(func() answer {
			br := &BatchRelease{Release: *p.apply(a, kruise.Snapshot{}).BatchRelease, OwnerUID: a.OwnerUID}
			br.UID = "" // the store gives it one
			o, answer := create(w, &w.store.batchReleases, c.request(Create, a.Name, precondition{}, a), br)
			if answer == done && p.late() {
				w.lateBatch = o.UID
			}
			return answer
		})
	case kruise.UpdateBatchRelease:
		return p.release(a.Name, a.UID, a)
	case kruise.PatchBatchRelease:
		return p.release(a.Name, a.UID, a)
	case kruise.DeleteBatchRelease:
		return c.ask(func() answer { return w.deleteBatchRelease(c.request(Delete, a.Name, precondition{uid: a.UID}, a)) })
	}
	return c.ask(func() answer { return p.route(a) })
}

func (p *rolloutPass) release(name, uid string, action kruise.Action) answer {
	c := p.c
	return c.ask(func() answer {
		_, a := update(c.w, &c.w.store.batchReleases, c.request(Update, name, precondition{uid: uid}, action), func(br *BatchRelease) {
			br.Release = *p.apply(action, kruise.Snapshot{BatchRelease: &br.Release}).BatchRelease
		})
		return a
	})
}

// route performs the writes that lead traffic: what an action makes of the object as it is, or
// of the one that it copies.
func (p *rolloutPass) route(a kruise.Action) (answer answer) {
	w, s := p.c.w, p.c.w.store
	ask := func(verb Verb, name string) request { return p.c.request(verb, name, precondition{}, a) }
	after := func(t traffic.Objects) traffic.Objects { return p.apply(a, kruise.Snapshot{Traffic: t}).Traffic }
	switch a := a.(type) {
	case kruise.SelectPods:
		w.lateService = w.lateService || p.late()
		_, answer = update(w, &s.services, ask(Update, a.Service), func(o *Service) { o.Service = *after(traffic.Objects{Stable: &o.Service}).Stable })
	case kruise.CreateService:
		stable := s.services.named(a.Stable)
		if stable == nil {
			return w.answered(notFound)
		}
		o := &Service{Service: *after(traffic.Objects{Stable: &stable.Service}).Canary, OwnerUID: a.OwnerUID}
		_, answer = create(w, &s.services, ask(Create, a.Name), o)
	case kruise.DeleteService:
		answer = goneToo(remove(w, &s.services, ask(Delete, a.Name)))
	case kruise.SetRoute:
		_, answer = update(w, &s.routes, ask(Update, a.Name), func(o *traffic.Route) { *o = *after(traffic.Objects{Route: o}).Route })
	case kruise.SetIngress:
		if a.Create {
			_, answer = create(w, &s.ingresses, ask(Create, a.Name), after(traffic.Objects{Ingress: s.ingresses.named(a.Stable)}).CanaryIngress)
			break
		}
		_, answer = update(w, &s.ingresses, ask(Update, a.Name), func(o *traffic.Ingress) { *o = *after(traffic.Objects{CanaryIngress: o}).CanaryIngress })
	case kruise.DeleteIngress:
		answer = goneToo(remove(w, &s.ingresses, ask(Delete, a.Name)))
	default:
		after(traffic.Objects{}) // which is refused
		answer = invalid
	}
	return answer
}

func (w *World) addRolloutControllers(o kruise.Options) {
	own := releasedOf(w.ref).reads()
	r := &rolloutController{controller: &controller{}, options: o, grace: map[string]kruise.Grace{}}
	w.addController(r.controller, r, RolloutController, slices.Concat([]Kind{KindRollout, KindBatchRelease}, own, []Kind{KindService, KindRoute, KindIngress})...)
	b := &batchController{controller: &controller{}, options: batchrelease.Options{Repair: o.Repair}}
	w.addController(b.controller, b, BatchController, slices.Concat([]Kind{KindBatchRelease}, own, []Kind{KindPod})...)
}
