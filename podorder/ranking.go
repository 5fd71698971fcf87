// SPDX-License-Identifier: Apache-2.0

package podorder

import "cmp"

// A ranking applies an order to a list of pods, which it does not copy or change.
type ranking struct {
	order  *Order
	pods   []Pod
	refs   []*Pod           // the pods, in place of the field pods; or nil
	exact  bool             // the order compares exact times, not age buckets
	now    int64            // the instant of the order's Now
	counts *neighbourCounts // nil means Neighbours of the order
	stages []Stage          // nil means the stages of the chain, whose values are in the places
	values []int64          // of the stages, one row for each place; nil without stages
}

func (o *Order) ranking(pods []Pod) *ranking {
	return &ranking{order: o, pods: pods, exact: o.isExact(), now: instant(o.Now), stages: o.resolvedStages()}
}

// candidatePlaces returns the places of the candidates that are not protected, and the number of
// protected candidates. If candidates is nil, all pods are candidates. It ignores numbers out of
// range.
func (r *ranking) candidatePlaces(candidates []int) (places []place, protected int) {
	if r.order.Related != nil && !(r.order.Chain.legacy() && r.order.Stages == nil) {
		r.counts = newNeighbourCounts(len(r.pods))
		for i := range r.pods {
			p := &r.pods[i]
			r.counts.add(p, true, p.Active() && r.order.Related(p))
		}
	}
	n := len(candidates)
	if candidates == nil {
		n = len(r.pods)
	}
	places = make([]place, 0, n)
	for index := range n {
		if candidates != nil {
			index = candidates[index]
		}
		switch {
		case index < 0 || index >= len(r.pods):
		case r.order.protects(&r.pods[index]):
			protected++
		default:
			places = append(places, r.place(&r.pods[index], index))
		}
	}
	r.fillStageValues(places, candidates)
	return places, protected
}

// keys returns the keys for complete places. It reads the UIDs in a second loop, for the reason
// given at [ranking.completeAll].
func (r *ranking) keys(places []place) []key {
	keys := make([]key, len(places))
	for i := range places {
		keys[i] = r.key(r.pod(&places[i]), places[i])
	}
	for i := range keys {
		keys[i].prefix = uidPrefix(r.pod(&keys[i].place).UID)
	}
	return keys
}

// allKeys completes places and returns their keys.
func (r *ranking) allKeys(places []place) []key {
	r.completeAll(places)
	return r.keys(places)
}

// fillStageValues computes the values of the stages for all places.
func (r *ranking) fillStageValues(places []place, candidates []int) {
	if len(r.stages) == 0 {
		return
	}
	width := len(r.stages)
	r.values = make([]int64, len(places)*width)
	for i := range places {
		places[i].row = int32(i)
		row, p := r.row(&places[i]), r.pod(&places[i])
		for s := range r.stages {
			row[s] = r.order.value(&r.stages[s], int(places[i].index), p, r.counts)
		}
	}
	for s := width - 1; s >= 0; s-- { // a later stage has smaller domains: fill it first
		if r.stages[s].isSpread() {
			r.fillSpread(s, r.allKeys(places), candidates)
		}
	}
}

func (r *ranking) pod(k *place) *Pod { return r.podAt(k.index) }

func (r *ranking) podAt(i int32) *Pod {
	if r.refs != nil {
		return r.refs[i]
	}
	return &r.pods[i]
}

func (r *ranking) row(k *place) []int64 {
	width := len(r.stages)
	return r.values[int(k.row)*width : (int(k.row)+1)*width]
}

// compareBase orders pods by group, then by ready time, then within the part: the pods of a group
// that became ready at the same instant.
func (r *ranking) compareBase(a, b *key) int {
	if a.health != b.health || a.later != b.later || r.values != nil {
		if c := r.compareGroup(&a.place, &b.place); c != 0 {
			return c
		}
	}
	if a.readySince != b.readySince {
		return newerFirst(a.readySince, b.readySince)
	}
	return r.comparePart(a, b)
}

// comparePart orders pods that became ready at the same instant, and pods that are not ready.
func (r *ranking) comparePart(a, b *key) int {
	if a.restarts != b.restarts {
		return cmp.Compare(b.restarts, a.restarts)
	}
	if a.sidecars != b.sidecars {
		return cmp.Compare(b.sidecars, a.sidecars)
	}
	if a.created != b.created || !r.exact && a.createdAge != b.createdAge { // different times may be clamped to one number
		if c, tie := r.compareTimes(a.created, b.created, a.createdAge, b.createdAge); !tie {
			return c
		}
		if c := r.compareUID(a, b); c != 0 {
			return c
		}
	}
	if a.annotated != b.annotated && r.order.Chain.legacy() {
		return trueFirst(a.annotated) // for Compare they are equal: the pod with the priority is deleted first
	}
	return r.compareID(a, b)
}

// compareTimes compares two different times: exactly if one of them is unset or the order compares
// exact times, and otherwise by age bucket. Two times in one bucket are a tie: then the caller
// compares UIDs.
func (r *ranking) compareTimes(a, b int64, ageA, ageB int8) (c int, tie bool) {
	if r.exact || ageA == noAge || ageB == noAge {
		return newerFirst(a, b), false
	}
	return cmp.Compare(ageA, ageB), ageA == ageB
}

func (r *ranking) compareUID(a, b *key) int {
	if a.prefix != b.prefix {
		return cmp.Compare(a.prefix, b.prefix)
	}
	return cmp.Compare(r.pod(&a.place).UID, r.pod(&b.place).UID)
}

// compareID compares UIDs, then names. It breaks the last ties of every order.
func (r *ranking) compareID(a, b *key) int {
	if c := r.compareUID(a, b); c != 0 {
		return c
	}
	return cmp.Compare(r.pod(&a.place).Name, r.pod(&b.place).Name)
}

// compareLeader orders leaders: by UID and name, then by ready time, because a list may hold a pod
// twice, with different ready times.
func (r *ranking) compareLeader(a, b *key) int {
	if c := r.compareID(a, b); c != 0 {
		return c
	}
	return newerFirst(a.readySince, b.readySince)
}

// merges reports whether [ranking.sorted] merges the parts of the group of k by UID: its pods are
// ready, have a ready time, and are compared by age bucket.
func (r *ranking) merges(k *place) bool { return !r.exact && k.ready() && k.readyAge() != noAge }

func trueFirst(a bool) int {
	if a {
		return -1
	}
	return 1
}
