// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"github.com/kplan-go/kplan/internal/apply"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/podset"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// A setPass carries out one plan of a set.
type setPass struct {
	c       *setController
	set     *cluster.Set
	version string // of the set, as it was seen
	plan    podset.Plan
	done    int
}

// same reports whether the set has the status of the plan already.
func (p *setPass) same() bool {
	return p.set.Status == p.plan.Status && p.set.StableRevision == p.plan.StableRevision && p.set.UpdateRevision == p.plan.UpdateRevision
}

// next sends the next request.
func (p *setPass) next() bool {
	c, name := p.c, p.set.Name
	if p.done < len(p.plan.Actions) {
		a := p.plan.Actions[p.done]
		p.done++
		answer := c.Ask(func() apiserver.Answer { return p.perform(a) })
		c.known[name] = c.Wrote()
		if answer != apiserver.Done {
			c.Retry(name)
			return false
		}
		return true
	}
	if !p.same() && p.writeStatus() != apiserver.Done {
		c.Retry(name)
		return false
	}
	c.known[name] = c.Wrote()
	c.Succeeded(name)
	return false
}

// writeStatus writes the status.
func (p *setPass) writeStatus() apiserver.Answer {
	r := p.c.Request(store.UpdateStatus, p.set.Name, nil)
	r.UID, r.Version = p.set.UID, p.version
	return writeStatus(p.c.Controller, &p.c.Sets, r, func(o *store.Set) {
		o.Status, o.StableRevision, o.UpdateRevision = p.plan.Status, p.plan.StableRevision, p.plan.UpdateRevision
	}, nil)
}

// perform asks for one write.
func (p *setPass) perform(a podset.Action) apiserver.Answer {
	c := p.c
	r := c.Request(store.Update, a.Name, a)
	r.UID = a.UID
	switch a.Verb {
	case podset.Create:
		return p.create(a)
	case podset.Delete:
		r.Verb = store.Delete
		return c.DeletePod(r).OrGone()
	case podset.Mark:
		return c.ChangePod(r, func(o *store.Pod) { o.Labels = apply.With(o.Labels, map[string]string{podset.LabelMarked: "true"}) })
	}
	answer := c.ChangePod(r, func(o *store.Pod) {
		o.Labels = apply.With(o.Labels, podset.PodLabels(p.set, a.Revision))
		o.UpdatedTo(podset.TemplateOf(p.set, a.Revision))
		o.Ready, o.ReadySince = false, c.Agenda.Now()
	})
	if answer == apiserver.Done {
		c.env.Life.Restart(a.Name)
	}
	return answer
}

// create creates a pod.
func (p *setPass) create(a podset.Action) apiserver.Answer {
	c, name := p.c, a.Name
	if name == "" {
		name = c.env.podName(p.set.Name)
	}
	pod := &store.Pod{Template: podset.TemplateOf(p.set, a.Revision)}
	pod.Name, pod.Labels = name, podset.PodLabels(p.set, a.Revision)
	pod.ControllerKind, pod.ControllerName, pod.ControllerUID = p.set.Kind, p.set.Name, p.set.UID
	_, answer := c.CreatePod(c.Request(store.Create, name, a), pod)
	return answer
}
