// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/traffic"
)

// A rolloutPass carries out one plan of a Rollout.
type rolloutPass struct {
	c       *rolloutController
	r       *store.Rollout
	plan    kruise.Plan
	version string // of the Rollout, as it was seen or written last
	// workload is the version of the workload, "" before the pass has written it.
	workload string
	done     int
}

// next sends the next request. The status is not written after a failure.
func (p *rolloutPass) next() bool {
	c, name := p.c, p.r.Name
	if p.done < len(p.plan.Actions) {
		a := p.perform(p.plan.Actions[p.done])
		p.done++
		if a != apiserver.Done {
			c.Retry(name)
			return false
		}
		return true
	}
	if p.plan.Failure != "" || !sameRolloutStatus(&p.plan.Status, &p.r.Status) && p.writeStatus() != apiserver.Done {
		c.Retry(name)
		return false
	}
	c.Succeeded(name)
	return false
}

// writeStatus writes the status. A Rollout that is gone with its last finalizer needs none.
func (p *rolloutPass) writeStatus() apiserver.Answer {
	return p.write(store.UpdateStatus, nil, func(r *store.Rollout) { r.Status = p.plan.Status }).OrGone()
}

// write changes the Rollout if it still is as this pass has seen or written it.
func (p *rolloutPass) write(verb store.Verb, action fmt.Stringer, f func(*store.Rollout)) apiserver.Answer {
	c := p.c
	q := c.Request(verb, p.r.Name, action)
	q.UID, q.Version = p.r.UID, p.version
	return c.Ask(func() apiserver.Answer {
		r, a := apiserver.Update(c.Server, &c.Rollouts, q, f)
		if a == apiserver.Done {
			p.version = r.ResourceVersion
			if !r.DeletionTimestamp.IsZero() && len(r.Finalizers) == 0 {
				apiserver.Remove(c.Server, &c.Rollouts, apiserver.By(store.Collector, r.Name))
			}
		}
		return a
	})
}

// apply returns objects as an action leaves them. No plan has an action that is refused:
// that ends the world.
func (p *rolloutPass) apply(a kruise.Action, s kruise.Snapshot) kruise.Snapshot {
	after, err := kruise.Apply(s, a, p.c.Agenda.Now())
	if err != nil {
		p.c.Fail(fmt.Errorf("rollout %s: %v: %w", p.r.Name, a, err))
		return s
	}
	return after
}

// perform asks for one write.
func (p *rolloutPass) perform(action kruise.Action) apiserver.Answer {
	c := p.c
	switch a := action.(type) {
	case kruise.SetFinalizer, kruise.PatchRollout:
		return p.write(store.Update, action, func(r *store.Rollout) {
			r.Rollout = p.apply(action, kruise.Snapshot{Rollout: r.Rollout}).Rollout
		})
	case kruise.PatchWorkload:
		return c.env.patchWorkload(c.Controller, a, a.UID, a.Workload, &a.Patch, &p.workload)
	case kruise.CreateBatchRelease:
		return c.Ask(func() apiserver.Answer {
			br := &store.BatchRelease{Release: *p.apply(a, kruise.Snapshot{}).BatchRelease, OwnerUID: a.OwnerUID}
			br.UID = "" // the store gives it one
			_, answer := apiserver.Create(c.Server, &c.BatchReleases, c.Request(store.Create, a.Name, a), br)
			return answer
		})
	case kruise.UpdateBatchRelease:
		return p.release(a.Name, a.UID, a)
	case kruise.PatchBatchRelease:
		return p.release(a.Name, a.UID, a)
	case kruise.DeleteBatchRelease:
		return c.Ask(func() apiserver.Answer {
			q := c.Request(store.Delete, a.Name, a)
			q.UID = a.UID
			return c.env.deleteBatchRelease(q)
		})
	}
	return c.Ask(func() apiserver.Answer { return p.route(action) })
}

// release changes the BatchRelease.
func (p *rolloutPass) release(name, uid string, action kruise.Action) apiserver.Answer {
	c := p.c
	return c.Ask(func() apiserver.Answer {
		q := c.Request(store.Update, name, action)
		q.UID = uid
		_, a := apiserver.Update(c.Server, &c.BatchReleases, q, func(br *store.BatchRelease) {
			br.Release = *p.apply(action, kruise.Snapshot{BatchRelease: &br.Release}).BatchRelease
		})
		return a
	})
}

// route sends a write that leads traffic: the object, or the copy of one, as an action leaves it.
func (p *rolloutPass) route(action kruise.Action) (answer apiserver.Answer) {
	c, s := p.c, p.c.Server
	ask := func(verb store.Verb, name string) apiserver.Request { return c.Request(verb, name, action) }
	after := func(t traffic.Objects) traffic.Objects { return p.apply(action, kruise.Snapshot{Traffic: t}).Traffic }
	switch a := action.(type) {
	case kruise.SelectPods:
		_, answer = apiserver.Update(s, &c.Services, ask(store.Update, a.Service), func(o *store.Service) {
			o.Service = *after(traffic.Objects{Stable: &o.Service}).Stable
		})
	case kruise.CreateService:
		stable := c.Services.Get(a.Stable)
		if stable == nil {
			return apiserver.NotFound
		}
		o := &store.Service{Service: *after(traffic.Objects{Stable: &stable.Service}).Canary, OwnerUID: a.OwnerUID}
		_, answer = apiserver.Create(s, &c.Services, ask(store.Create, a.Name), o)
	case kruise.DeleteService:
		answer = apiserver.Remove(s, &c.Services, ask(store.Delete, a.Name)).OrGone()
	case kruise.SetRoute:
		_, answer = apiserver.Update(s, &c.Routes, ask(store.Update, a.Name), func(o *traffic.Route) { *o = *after(traffic.Objects{Route: o}).Route })
	case kruise.SetIngress:
		if a.Create {
			stable := c.Ingresses.Get(a.Stable)
			if stable == nil {
				return apiserver.NotFound
			}
			_, answer = apiserver.Create(s, &c.Ingresses, ask(store.Create, a.Name), after(traffic.Objects{Ingress: stable}).CanaryIngress)
			break
		}
		_, answer = apiserver.Update(s, &c.Ingresses, ask(store.Update, a.Name), func(o *traffic.Ingress) {
			*o = *after(traffic.Objects{CanaryIngress: o}).CanaryIngress
		})
	case kruise.DeleteIngress:
		answer = apiserver.Remove(s, &c.Ingresses, ask(store.Delete, a.Name)).OrGone()
	default:
		after(traffic.Objects{}) // which is refused
		answer = apiserver.Invalid
	}
	return answer
}
