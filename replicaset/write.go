// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/replicaset/reason"
)

// plan returns the plan for the counts.
func (in *input) plan(c *counts) (p Plan) {
	in.writePlan(&p, c)
	return p
}

// writePlan stores the plan for the counts in p, because copying a plan takes long in comparison
// with a pass with few pods.
func (in *input) writePlan(p *Plan, c *counts) {
	if in.unusable != nil {
		*p = in.emptyPlan(newHold(reason.BadSelector, 0, 0))
		return
	}
	d := in.decide(c)
	in.write(p, c, &d)
}

// write fills p, an empty plan. The adoptions and releases come first, sorted by the name of the
// pod. Then come the creations, or the deletions in deletion order.
func (in *input) write(p *Plan, c *counts, d *decision) {
	in.writeStatus(&p.Status, c)
	p.Holds, p.RecheckAt = d.holds, in.recheckAt(c)
	if n := int(c.adopt+c.release) + len(d.victims.Victims); n > 0 {
		p.Actions = make(Actions, 0, n)
	}
	p.LiveCheck = c.adopt > 0 && !in.opts.Dialect.is15()
	p.Actions = in.appendClaims(c, p.Actions)
	if d.create > 0 {
		p.Actions = append(p.Actions, CreatePods{
			Kind: in.ReplicaSet.podKind(), Count: d.create, Initial: in.initialBatch(d.create), WithoutController: in.anyController, Reason: reason.TooFew,
		})
	}
	for _, v := range d.victims.Victims {
		pod := in.pod(v)
		p.Actions = append(p.Actions, DeletePod{Kind: in.ReplicaSet.podKind(), Name: pod.Name, UID: pod.UID, ResourceVersion: pod.ResourceVersion, Reason: reason.TooMany})
	}
}

// emptyPlan returns the plan for a selector that cannot be used or a stale snapshot: one hold, no
// actions, and the old status.
func (in *input) emptyPlan(hold kplan.Hold) Plan {
	return Plan{Holds: []kplan.Hold{hold}, Status: in.ReplicaSet.Status.clone()}
}

// appendClaims appends the adoptions and releases, sorted by the name of the pod.
func (in *input) appendClaims(c *counts, actions Actions) Actions {
	n := int(c.adopt + c.release)
	if n == 0 {
		return actions
	}
	list := make([]int, 0, n)
	for i, role := range c.roles {
		if role == roleAdopt || role == roleRelease {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(i, j int) int { return cmp.Compare(in.Pods[i].Name, in.Pods[j].Name) })
	for _, i := range list {
		pod := &in.Pods[i]
		if c.roles[i] == roleAdopt {
			actions = append(actions, AdoptPod{Kind: in.ReplicaSet.podKind(), Name: pod.Name, UID: pod.UID, Reference: in.reference(), Reason: reason.Orphan})
			continue
		}
		actions = append(actions, ReleasePod{Kind: in.ReplicaSet.podKind(), Name: pod.Name, UID: pod.UID, OwnerUID: in.ReplicaSet.UID, Reason: reason.NoMatch})
	}
	return actions
}

// initialBatch returns the size of the first batch of n creations, or 0 for the default. In
// Kubernetes 1.5 the first batch has all creations.
func (in *input) initialBatch(n int32) int32 {
	if in.opts.Dialect.is15() {
		return n
	}
	return in.opts.InitialBatch
}
