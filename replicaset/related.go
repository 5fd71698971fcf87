// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/selector"
)

// Order returns the order in which [Reconcile] deletes pods. Its Neighbours are counted, so
// [podorder.Order.Compare] needs no list of pods. candidates holds the indexes in s.Pods of the
// pods that count as replicas, protected ones included; it is empty if the selector cannot be used.
// The arguments and the error are those of Reconcile.
func Order(s Snapshot, now time.Time, opts Options) (order podorder.Order, candidates []int, err error) {
	var in input
	if err := in.admit(&s, now, &opts, nil); err != nil {
		return podorder.Order{}, nil, err
	}
	c, err := in.count(podList(s.Pods))
	if err != nil {
		return podorder.Order{}, nil, err
	}
	order = in.order()
	if related := order.Related; related != nil {
		order.Related, order.Neighbours = nil, podorder.Neighbours{}
		for i := range in.Pods {
			if related(&in.Pods[i]) {
				order.Neighbours.Add(&in.Pods[i])
			}
		}
	}
	if in.unusable != nil {
		return order, nil, nil
	}
	return order, c.candidates(), nil
}

// order returns the deletion order (see Victims and Neighbours in rules.md).
func (in *input) order() podorder.Order {
	o := in.opts.Order
	o.Now, o.Neighbours = in.now, in.neighbours
	if o.Related = nil; in.neighbours == nil {
		o.Related = in.related(new([]int))
	}
	if o.Domains == nil {
		o.Domains = in.Domains
	}
	if o.Chain == "" && in.opts.Dialect.is15() {
		o.Chain = podorder.Legacy15
	}
	if in.opts.Spread && o.Stages == nil {
		o.Stages = spread(o.Chain.Stages())
	}
	return o
}

// spread replaces the stage that counts neighbours on a node by one that counts them in a domain.
// Other chains than the current one have no such stage: there the new stage is appended.
func spread(stages []podorder.Stage) []podorder.Stage {
	i := slices.IndexFunc(stages, func(s podorder.Stage) bool { return s.Rule == podorder.RuleNeighbours })
	if i < 0 {
		return append(stages, podorder.Stage{Rule: podorder.RuleSpread})
	}
	stages[i] = podorder.Stage{Rule: podorder.RuleSpread}
	return stages
}

// fewSelectors is the largest number of selectors, or of owners, that are tried one by one. For more,
// an index or a map is faster.
const fewSelectors = 4

// related returns a function that reports whether a pod counts as a neighbour: whether this
// ReplicaSet or a sibling with the same controller selects the pod. The controller of the pod does
// not matter. For a ReplicaSet without a controller and for a ReplicationController, related
// returns nil: no pod is a neighbour, not even their own. An invalid selector selects nothing. If
// the selector of this ReplicaSet is unset, the pods that it and siblings without a selector
// control are neighbours too; otherwise siblings without a selector select nothing.
//
// found is a buffer that calls of the function share. It is nil if clones of a Tracker, which may
// run in several goroutines, use the function.
func (in *input) related(found *[]int) func(p *podorder.Pod) bool {
	if in.ReplicaSet.ControllerUID == "" || in.ReplicaSet.Kind == KindController {
		return nil
	}
	var selectors []selector.Selector
	var owners []string // UIDs of ReplicaSets whose pods are neighbours whatever their labels
	add := func(rs *ReplicaSet) {
		if rs.Selector == nil {
			if rs.UID != "" && in.ReplicaSet.Selector == nil {
				owners = append(owners, rs.UID)
			}
		} else if s, err := selector.FromLabelSelector(rs.Selector); err == nil {
			selectors = append(selectors, s)
		}
	}
	add(&in.ReplicaSet)
	for i := range in.Siblings {
		if s := &in.Siblings[i]; s.ControllerUID == in.ReplicaSet.ControllerUID {
			add(s)
		}
	}
	owned := ownedByAny(owners)
	if len(selectors) <= fewSelectors {
		return func(p *podorder.Pod) bool {
			return slices.ContainsFunc(selectors, func(s selector.Selector) bool { return s.Matches(p.Labels) }) || owned(p.ControllerUID)
		}
	}
	index := selector.NewIndex(selectors)
	return func(p *podorder.Pod) bool {
		if owned(p.ControllerUID) {
			return true
		}
		if found == nil {
			return len(index.Matching(p.Labels, nil)) > 0
		}
		*found = index.Matching(p.Labels, (*found)[:0])
		return len(*found) > 0
	}
}

// ownedByAny returns a function that reports whether a UID is one of the owners. It uses a map
// if there are many.
func ownedByAny(owners []string) func(uid string) bool {
	var all map[string]bool
	if len(owners) > fewSelectors {
		all = make(map[string]bool, len(owners))
		for _, uid := range owners {
			all[uid] = true
		}
	}
	return func(uid string) bool { return all[uid] || all == nil && slices.Contains(owners, uid) }
}
