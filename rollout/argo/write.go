// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/argo/reason"
	"slices"
)

// write returns the plan. Its order is: the new ReplicaSet is created; pods are restarted;
// Services select its pods (the preview before the active one; of two that take turns the
// next one before the other, then the stable one and the canary's); routes are removed and
// set; weights are set; ReplicaSets are scaled: the stable one, the new one, and the others
// by age. The deadline of a ReplicaSet is annotated after its size.
func (c *counts) write(d *decision) Plan {
	p := Plan{Holds: d.waiting.holds, RecheckAt: d.waiting.at, Status: d.status.clone()}
	if c.creates {
		p.Actions = append(p.Actions, CreateReplicaSet{
			Name: c.fresh.Name, Hash: c.fresh.Hash, Revision: c.fresh.Revision, Replicas: c.fresh.Replicas, Desired: c.replicas(), Reason: reason.NewTemplate,
		})
	}
	for _, name := range d.evict {
		p.Actions = append(p.Actions, EvictPod{Name: name, Reason: reason.Restart})
	}
	p.Actions = d.services.preview.write(p.Actions, reason.Preview)
	p.Actions = d.services.active.write(p.Actions, reason.Promotion)
	p.Actions = d.services.turn.write(p.Actions, reason.Traffic)
	p.Actions = d.services.turned.write(p.Actions, reason.Traffic)
	p.Actions = d.services.stable.write(p.Actions, reason.Traffic)
	p.Actions = d.services.canary.write(p.Actions, reason.Traffic)
	_, service := c.led()
	p.Actions = writeRoutes(p.Actions, c.s.Routes, d.routes, service)
	if w := d.status.Weights; w.leadsOtherwise(c.read.Weights) {
		p.Actions = append(p.Actions, c.setWeight(w))
	}
	p.Actions = d.sizes.stable.write(p.Actions, c.replicas())
	p.Actions = d.sizes.fresh.write(p.Actions, c.replicas())
	others := slices.Clone(d.sizes.others)
	slices.SortFunc(others, func(a, b size) int { return byAge(a.set, b.set) })
	for _, z := range others {
		p.Actions = z.write(p.Actions, c.replicas())
	}
	return p
}

// setWeight names the Services, also two that take turns, which the status does not name.
func (in *input) setWeight(w *TrafficWeights) SetWeight {
	a := SetWeight{Canary: w.Canary, Stable: w.Stable, Reason: reason.Traffic}
	a.Stable.Service, a.Canary.Service = in.led()
	return a
}

// led returns the names of the two Services that get requests.
func (in *input) led() (stable, canary string) {
	s, c := in.s.StableService, in.s.CanaryService
	if s == nil && c == nil {
		s, c = in.turns()
	}
	if s != nil {
		stable = s.Name
	}
	if c != nil {
		canary = c.Name
	}
	return stable, canary
}

// write appends the action that lets a Service select other pods, if it does.
func (t target) write(actions Actions, reason kplan.Reason) Actions {
	if t.Service == nil || t.Selector[HashLabel] == t.hash {
		return actions
	}
	return append(actions, SelectPods{Service: t.Name, Key: HashLabel, Value: t.hash, Reason: reason})
}

// write appends the actions for a ReplicaSet: its size, or the size of the Rollout in its
// annotation, and its deadline.
func (s size) write(actions Actions, desired int32) Actions {
	if s.set == nil {
		return actions
	}
	was := s.set
	if s.scaled && (s.to != was.Replicas || was.DesiredReplicas == nil || *was.DesiredReplicas != desired) {
		actions = append(actions, ScaleReplicaSet{Name: was.Name, Hash: was.Hash, From: was.Replicas, To: s.to, Desired: desired, Reason: s.reason})
	}
	if !s.until.Equal(was.ScaleDownAt) {
		actions = append(actions, DelayReplicaSet{Name: was.Name, Hash: was.Hash, Until: s.until, Reason: reason.ScaleDownDelay})
	}
	return actions
}

// writeRoutes appends the removal of routes, then the new and changed ones.
func writeRoutes(actions Actions, was, next []Route, service string) Actions {
	for i := range was {
		if route(next, was[i].Name) == nil {
			actions = append(actions, RemoveRoute{Name: was[i].Name, Reason: reason.Traffic})
		}
	}
	for i := range next {
		if old := route(was, next[i].Name); old == nil || !old.equal(&next[i]) {
			actions = append(actions, SetRoute{Route: next[i].clone(), Service: service, Reason: reason.Traffic})
		}
	}
	return actions
}
