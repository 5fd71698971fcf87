// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"cmp"
	"math"
	"slices"
)

// firstByPriority is [ranking.first] for an order with [PriorityFirst].
//
// It merges two lists: the pods with a priority, sorted by priority, and all other pods, in the
// order of the chain. In each step the chain decides between the first pods of both lists. So a
// pod with a priority comes after all pods that the chain puts before it or before a pod with a
// higher priority.
//
// If a pods have a priority, at least n of the first n+a pods in the order of the chain have
// none. So the first n pods of the result are among these n+a. A pod with a lower priority than
// a pod after these n+a is not among the first n either.
func (r *ranking) firstByPriority(places []place, n int) []*key {
	annotated := 0
	for i := range places {
		_, ok := priorityOf(r.pod(&places[i]))
		annotated += int(boolToInt(ok))
	}
	front := min(n+annotated, len(places))
	list := r.sorted(r.choose(places, front))
	if annotated == 0 {
		return list[:n]
	}
	lowest := int64(math.MinInt64)
	for i := range places[front:] {
		if p, ok := priorityOf(r.pod(&places[front+i])); ok {
			lowest = max(lowest, p)
		}
	}
	var first, rest []*key
	for i, k := range list {
		k.leader = int32(i) // its index in the chain's order
		switch {
		case !k.annotated:
			rest = append(rest, k)
		case r.priority(k) >= lowest:
			first = append(first, k)
		}
	}
	slices.SortFunc(first, func(a, b *key) int {
		return cmp.Or(cmp.Compare(r.priority(b), r.priority(a)), cmp.Compare(a.leader, b.leader))
	})
	merged := list[:0]
	for len(merged) < n {
		if len(first) == 0 || len(rest) > 0 && rest[0].leader < first[0].leader {
			merged, rest = append(merged, rest[0]), rest[1:]
			continue
		}
		merged, first = append(merged, first[0]), first[1:]
	}
	return merged
}

func (r *ranking) priority(k *key) int64 {
	n, _ := priorityOf(r.pod(&k.place))
	return n
}
