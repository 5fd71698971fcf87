// SPDX-License-Identifier: Apache-2.0

package replicaset

import "github.com/kplan-go/kplan/podorder"

// A draft chooses the pods to be deleted while they are counted. Nil is none.
type draft struct {
	podorder.Draft
	related func(p *podorder.Pod) bool
}

// fewDrafted is how many pods are still at hand when all have been counted: then they are drafted
// when it is known that some are to be deleted.
const fewDrafted = 64

// draft returns a draft if pods are likely to be deleted, of n that there are: those of the
// status, if it knows any, are too many. Otherwise it would look at pods for nothing.
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

// newDraft returns a draft with room for n pods, or nil for an order that takes all together.
func (in *input) newDraft(n int) *draft {
	order := in.order()
	d := draft{related: order.Related}
	ok := false
	if d.Draft, ok = order.Draft(n); !ok {
		return nil
	}
	return &d
}

// add adds a pod. One that counts is related, for it is selected.
func (d *draft) add(p *podorder.Pod, counts bool) {
	if d != nil {
		d.Add(p, counts, d.related != nil && p != nil && (counts || p.Active() && d.related(p)))
	}
}

// addAll adds pods that have these roles.
func (d *draft) addAll(pods []podorder.Pod, roles []role) {
	if d == nil {
		return
	}
	for i := range pods {
		d.add(&pods[i], roles[i].counts())
	}
}

// choice returns what the pods are chosen by.
func (d *draft) choice() *podorder.Draft {
	if d == nil {
		return nil
	}
	return &d.Draft
}
