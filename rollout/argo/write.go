package argo

import "slices"

// write returns the plan. Its order is: the new ReplicaSet is created, pods are restarted,
// Services select its pods (first the preview, then the active one; first the one whose
// turn is next, then the stable one and that of the canary), requests are led by the
// weights, and ReplicaSets are scaled: the stable one, the new one, and the others by age.
// A deadline is annotated behind the size of its ReplicaSet.
func (c *counts) write(d *decision) Plan {
	p := Plan{Holds: d.waiting.holds, RecheckAt: d.waiting.at, Status: d.status.clone()}
	if c.creates {
		p.Actions = append(p.Actions, CreateReplicaSet{
			Name: c.fresh.Name, Hash: c.fresh.Hash, Revision: c.fresh.Revision, Replicas: c.fresh.Replicas, Desired: c.replicas(), Reason: ReasonNewTemplate,
		})
	}
	for _, name := range d.evict {
		p.Actions = append(p.Actions, EvictPod{Name: name, Reason: ReasonRestart})
	}
	p.Actions = d.services.preview.write(p.Actions, ReasonPreview)
	p.Actions = d.services.active.write(p.Actions, ReasonPromotion)
	p.Actions = d.services.turn.write(p.Actions, ReasonTraffic)
	p.Actions = d.services.stable.write(p.Actions, ReasonTraffic)
	p.Actions = d.services.canary.write(p.Actions, ReasonTraffic)
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

// setWeight names the Services that take turns, unless there are others. The status does
// not.
func (in *input) setWeight(w *TrafficWeights) SetWeight {
	a := SetWeight{Canary: w.Canary, Stable: w.Stable, Reason: ReasonTraffic}
	if stable, canary := in.turns(); in.s.Ping != nil && in.s.StableService == nil && in.s.CanaryService == nil {
		a.Stable.Service, a.Canary.Service = stable.Name, canary.Name
	}
	return a
}

// write appends that a Service selects other pods.
func (t target) write(actions Actions, reason Reason) Actions {
	if t.Service == nil || t.Selector[HashLabel] == t.hash {
		return actions
	}
	return append(actions, SelectPods{Service: t.Name, Key: HashLabel, Value: t.hash, Reason: reason})
}

// write appends what becomes of a ReplicaSet: its size, or that of the Rollout in its
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
		actions = append(actions, DelayReplicaSet{Name: was.Name, Hash: was.Hash, Until: s.until, Reason: ReasonScaleDownDelay})
	}
	return actions
}
