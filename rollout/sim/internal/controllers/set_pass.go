// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"maps"

	"github.com/kplan-go/kplan/internal/base/apply"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
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
	failed  bool // the last request was refused
}

// same reports whether the set has the status of the plan already.
func (p *setPass) same() bool {
	return p.set.Status == p.plan.Status && p.set.StableRevision == p.plan.StableRevision && p.set.UpdateRevision == p.plan.UpdateRevision
}

// next sends the next request. If one fails, only the status is still written.
func (p *setPass) next() bool {
	c, name := p.c, p.set.Name
	if p.done < len(p.plan.Actions) && !p.failed {
		a := p.plan.Actions[p.done]
		p.done++
		answer := c.Ask(func() apiserver.Answer { return p.perform(a) })
		c.known[name] = c.Wrote()
		p.failed = answer != apiserver.Done
		return true
	}
	if !p.same() {
		p.failed = p.writeStatus() != apiserver.Done || p.failed
		c.known[name] = c.Wrote()
	}
	if p.failed {
		c.Retry(name)
	} else {
		c.Succeeded(name)
	}
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
		o.Labels = apply.With(o.Labels, p.labels(a.Revision))
		o.UpdatedTo(podset.TemplateOf(p.set, a.Revision))
		o.Ready, o.ReadySince = false, c.Agenda.Now()
	})
	if answer == apiserver.Done {
		c.env.Life.Restart(a.Name)
	}
	return answer
}

// labels returns the labels of a pod of a revision. Those of the template of an earlier one are known since it was the
// last, or by a pod that has them.
func (p *setPass) labels(revision string) map[string]string {
	of, known := setRevision{p.set.UID, revision}, p.c.env.setLabels
	if known == nil {
		known = map[setRevision]map[string]string{}
		p.c.env.setLabels = known
	}
	if revision == p.plan.UpdateRevision {
		known[of] = podset.PodLabels(p.set, revision)
	}
	for _, o := range control.Of(p.c.Controller, &p.c.Server.Pods, p.set.UID) {
		if known[of] == nil && podset.RevisionOf(o.Plain()) == revision {
			labels := maps.Clone(o.Labels)
			delete(labels, podset.LabelMarked)
			known[of] = labels
		}
	}
	if known[of] == nil {
		return podset.PodLabels(p.set, revision)
	}
	return known[of]
}

// create creates a pod.
func (p *setPass) create(a podset.Action) apiserver.Answer {
	c, name := p.c, a.Name
	if name == "" {
		name = c.env.podName(p.set.Name)
	}
	pod := &store.Pod{Template: podset.TemplateOf(p.set, a.Revision)}
	pod.Name, pod.Labels = name, p.labels(a.Revision)
	pod.ControllerKind, pod.ControllerName, pod.ControllerUID = p.set.Kind, p.set.Name, p.set.UID
	_, answer := c.CreatePod(c.Request(store.Create, name, a), pod)
	return answer
}
