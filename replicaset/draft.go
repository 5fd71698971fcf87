// SPDX-License-Identifier: Apache-2.0

package replicaset

import "github.com/kplan-go/kplan/podorder"

// A draft chooses the pods to delete while pods are counted. A nil draft chooses no pods.
type draft struct {
	podorder.Draft
	related func(p *podorder.Pod) bool
}

// draft returns a draft for n pods if the last status had more pods than wanted: then the
// pass probably deletes some. Otherwise ranking pods would be wasted work.
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

// newDraft returns a draft with room for n pods, or nil if the order compares all pods together.
func (in *input) newDraft(n int) *draft {
	order := in.order()
	d := draft{related: order.Related}
	ok := false
	if d.Draft, ok = order.Draft(n); !ok {
		return nil
	}
	return &d
}

// add adds the next pod, which may be nil. A pod that counts is selected, so it is related.
func (d *draft) add(p *podorder.Pod, counts bool) {
	if d != nil {
		d.Add(p, counts, d.related != nil && p != nil && (counts || p.Active() && d.related(p)))
	}
}

// choice returns the choice from the added pods, or nil.
func (d *draft) choice() *podorder.Draft {
	if d == nil {
		return nil
	}
	return &d.Draft
}
