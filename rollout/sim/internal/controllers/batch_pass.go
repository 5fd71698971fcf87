// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strconv"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/apply"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A batchPass carries out one plan of a BatchRelease.
type batchPass struct {
	c       *batchController
	br      *store.BatchRelease
	plan    batchrelease.Plan
	version string // of the BatchRelease, as it was seen or written last
	// workload is the version of the workload, "" before the pass has written it.
	workload string
	done     int
}

// next sends the next request, or with Together all those that label pods: the controller of these plans
// after each that it notices. The status is written after a failure as well.
func (p *batchPass) next() bool {
	c, name := p.c, p.br.Name
	for p.done < len(p.plan.Actions) {
		action := p.plan.Actions[p.done]
		p.done++
		if p.perform(action) != apiserver.Done {
			c.Retry(name)
			return false
		}
		if _, labels := action.(batchrelease.LabelPod); !labels || !c.env.Together || !c.Trouble.Calm() {
			return true
		}
	}
	status := apiserver.Done
	if !sameBatchStatus(&p.plan.Status, &p.br.Status) {
		status = p.write(store.UpdateStatus, nil, func(br *store.BatchRelease) { br.Status = p.plan.Status }).OrGone()
	}
	if status != apiserver.Done || p.plan.Failure != "" {
		c.Retry(name)
		return false
	}
	c.Succeeded(name)
	return false
}

// write changes the BatchRelease if it still is as this pass has seen or written it.
func (p *batchPass) write(verb store.Verb, action fmt.Stringer, f func(*store.BatchRelease)) apiserver.Answer {
	c := p.c
	r := c.Request(verb, p.br.Name, action)
	r.UID, r.Version = p.br.UID, p.version
	return c.Ask(func() apiserver.Answer {
		br, a := apiserver.Update(c.Server, &c.BatchReleases, r, f)
		if a == apiserver.Done {
			p.version = br.ResourceVersion
			if !br.DeletionTimestamp.IsZero() && len(br.Finalizers) == 0 {
				apiserver.Remove(c.Server, &c.BatchReleases, apiserver.By(store.Collector, br.Name))
			}
		}
		return a
	})
}

// apply returns objects as an action leaves them. No plan has an action that is refused:
// that ends the world.
func (p *batchPass) apply(a batchrelease.Action, s batchrelease.Snapshot) batchrelease.Snapshot {
	after, err := batchrelease.Apply(s, a, p.c.Agenda.Now())
	if err != nil {
		p.c.Fail(fmt.Errorf("batch release %s: %v: %w", p.br.Name, a, err))
		return s
	}
	return after
}

// perform asks for one write.
func (p *batchPass) perform(action batchrelease.Action) apiserver.Answer {
	c := p.c
	switch a := action.(type) {
	case batchrelease.SetFinalizer:
		return p.finalizer(a)
	case batchrelease.PatchWorkload:
		return c.env.patchWorkload(c.Controller, a, a.UID, a.Workload, &a.Patch, &p.workload)
	case batchrelease.LabelPod:
		return c.Ask(func() apiserver.Answer { return p.label(a) })
	case batchrelease.PatchReplicaSet: // which no snapshot shows
		return c.Ask(func() apiserver.Answer {
			_, answer := apiserver.Update(c.Server, &c.ReplicaSets, c.Request(store.Update, a.Name, a), func(rs *replicaset.ReplicaSet) {
				rs.MinReadySeconds = a.MinReadySeconds
				rs.Generation++
			})
			return answer
		})
	case batchrelease.CreateCanary:
		return c.Ask(func() apiserver.Answer { return p.createCanary(a) })
	}
	p.apply(action, batchrelease.Snapshot{}) // which is refused
	return apiserver.Invalid
}

func (p *batchPass) label(a batchrelease.LabelPod) apiserver.Answer {
	r := p.c.Request(store.Update, a.Name, a)
	r.UID = a.UID
	return p.c.ChangePod(r, func(o *store.Pod) {
		o.Labels = p.apply(a, batchrelease.Snapshot{Pods: []workload.Pod{{Name: o.Name, UID: a.UID, Labels: o.Labels}}}).Pods[0].Labels
	})
}

// createCanary stores the canary that the action makes of the stable Deployment. It gets a name if the action has
// none, and the finalizer, which no snapshot shows.
func (p *batchPass) createCanary(a batchrelease.CreateCanary) apiserver.Answer {
	e := p.c.env
	stable := e.Deployments.Get(a.Stable)
	if stable == nil {
		return apiserver.NotFound
	}
	d, seen := *stable, e.workloadOf(stable)
	canary := p.apply(a, batchrelease.Snapshot{Workload: &seen}).Canary
	d.Name, d.Finalizers = canary.Name, nil
	if a.Name == "" {
		d.Finalizers = []string{workload.FinalizerCanaryDeployment}
		for d.Name = stable.Name; e.Deployments.Entry(d.Name) != nil; {
			e.serial++
			d.Name = a.GenerateName + strconv.Itoa(e.serial)
		}
	}
	take(&d, canary)
	d.UID, d.Generation, d.Status = "", canary.Generation, deploy.Status{}
	d.OwnerUID, d.CreatedAt = p.br.UID, e.Agenda.Now()
	_, answer := apiserver.Create(e.Server, &e.Deployments, p.c.Request(store.Create, d.Name, a), &d)
	return answer
}

// finalizer sets or removes a finalizer, of the BatchRelease or of a canary Deployment.
func (p *batchPass) finalizer(a batchrelease.SetFinalizer) apiserver.Answer {
	c := p.c
	if a.Kind != deploy.Kind {
		return p.write(store.Update, a, func(br *store.BatchRelease) {
			br.Release = p.apply(a, batchrelease.Snapshot{Release: br.Release}).Release
		})
	}
	return c.Ask(func() apiserver.Answer {
		r := c.Request(store.Update, a.Name, a)
		r.UID = a.UID
		_, answer := apiserver.Update(c.Server, &c.Deployments, r, func(d *store.Deployment) {
			d.Finalizers = apply.Finalizers(d.Finalizers, a.Finalizer, a.Remove)
		})
		return answer
	}).OrGone()
}
