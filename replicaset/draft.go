// SPDX-License-Identifier: Apache-2.0

package replicaset

import "github.com/kplan-go/kplan/podorder"

// A draft collects the pods for the choice of victims while they are counted: see
// [podorder.Draft]. A nil draft collects nothing.
type draft struct {
	podorder.Draft
	related func(p *podorder.Pod) bool
}

// draft returns a draft for n pods, or nil if the pass probably deletes none: because the last
// written status, or else n, does not exceed the wanted pods, because the ReplicaSet is being
// deleted, or because the pass waits for expectations.
func (in *input) draft(n int) *draft {
	observed := n
	if in.ReplicaSet.Status.Replicas > 0 {
		observed = min(n, int(in.ReplicaSet.Status.Replicas))
	}
	if observed <= int(in.replicas) || in.owner.Deleting || in.waiting {
		return nil
	}
	return in.newDraft(n)
}

// newDraft returns a draft with room for n pods, or nil if the order supports no draft: see
// [podorder.Order.Draft].
func (in *input) newDraft(n int) *draft {
	order := in.order()
	d := draft{related: order.Related}
	ok := false
	if d.Draft, ok = order.Draft(n); !ok {
		return nil
	}
	return &d
}

// add adds the next pod, which may be nil. counts tells whether the pod counts as a replica: then
// the ReplicaSet selects it, and it is a neighbour without calling related.
func (d *draft) add(p *podorder.Pod, counts bool) {
	if d != nil {
		d.Add(p, counts, d.related != nil && p != nil && (counts || p.Active() && d.related(p)))
	}
}

// choice returns the draft of package podorder, or nil.
func (d *draft) choice() *podorder.Draft {
	if d == nil {
		return nil
	}
	return &d.Draft
}
