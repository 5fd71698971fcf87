package sim

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload"
)

// patchWorkload changes a Deployment if it still is as the pass has seen it. Upstream
// patches it as it is, so that a stale controller can undo what admission has done.
func (c *controller) patchWorkload(a fmt.Stringer, uid, name string, patch *workload.Patch) answer {
	table := &c.w.store.deployments
	pre := precondition{uid: uid}
	if seen := find(table, table.at(c.view[KindDeployment]), name); seen != nil {
		pre.version = seen.ResourceVersion
	}
	return c.ask(func() answer {
		r := c.request(Update, name, pre, a)
		if _, d, _ := lookup(table, &r); d != nil && unchangedBy(d, patch) {
			return done // no write, no event
		}
		_, answer := update(c.w, table, r, func(d *Deployment) { patchDeployment(d, patch) })
		return answer
	})
}

// unchangedBy reports whether a patch changes nothing.
func unchangedBy(d *Deployment, p *workload.Patch) bool {
	o := *d
	patchDeployment(&o, p)
	return o.Generation == d.Generation && maps.Equal(o.Labels, d.Labels) && maps.Equal(o.Annotations, d.Annotations)
}

// patchDeployment applies a patch. The generation rises if the spec changes.
func patchDeployment(d *Deployment, p *workload.Patch) {
	before := d.Deployment
	d.Labels, d.Annotations = patched(d.Labels, p.Labels), patched(d.Annotations, p.Annotations)
	if p.Replicas != nil {
		d.Replicas = p.Replicas
	}
	if p.Paused != nil {
		d.Paused = *p.Paused
	}
	if p.StrategyType != nil {
		d.Strategy = deploy.Strategy(*p.StrategyType)
	}
	if !p.MaxSurge.IsZero() {
		d.MaxSurge = p.MaxSurge
	}
	if !p.MaxUnavailable.IsZero() {
		d.MaxUnavailable = p.MaxUnavailable
	}
	if p.MinReadySeconds != nil {
		d.MinReadySeconds = *p.MinReadySeconds
	}
	if p.ProgressDeadlineSeconds != nil {
		d.ProgressDeadlineSeconds = p.ProgressDeadlineSeconds
	}
	if d.Paused != before.Paused || d.Strategy != before.Strategy || d.MaxSurge != before.MaxSurge ||
		d.MaxUnavailable != before.MaxUnavailable || d.MinReadySeconds != before.MinReadySeconds || !same(d.Replicas, before.Replicas) ||
		!same(d.ProgressDeadlineSeconds, before.ProgressDeadlineSeconds) {
		d.Generation++
	}
}

// patched returns a map with changes; nil removes.
func patched(m map[string]string, changes map[string]*string) map[string]string {
	if len(changes) == 0 {
		return m
	}
	m = maps.Clone(m)
	if m == nil {
		m = map[string]string{}
	}
	for key, value := range changes {
		if value == nil {
			delete(m, key)
		} else {
			m[key] = *value
		}
	}
	return m
}

func sameRolloutStatus(a, b *kruise.Status) bool {
	return a.ObservedGeneration == b.ObservedGeneration && a.Phase == b.Phase && a.Message == b.Message &&
		a.CurrentStepIndex == b.CurrentStepIndex && a.CurrentStepState == b.CurrentStepState && same(a.Sub, b.Sub) &&
		slices.Equal(a.Conditions, b.Conditions)
}
