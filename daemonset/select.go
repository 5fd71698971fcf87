// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/rollout"
)

// A selection is the nodes that an update looks at, in order, with the causes that leave out other
// nodes.
type selection struct {
	keys        []int32
	notSelected cause
	partition   cause
}

// selectNodes returns the nodes that the update looks at (see Which nodes in rules.md).
func (st *state) selectNodes() selection {
	keys := make([]int32, 0, len(st.keys))
	filtered := st.opts.kruise() || st.reserved() > 0 || st.ds.NodeSelector != nil
	for i := range st.keys {
		k := &st.keys[i]
		switch {
		case k.count == 0 && !k.run: // no pod there, and none should run
		case k.node < 0 && (filtered || st.opts.Prune):
		case st.opts.Prune && !k.run:
		default:
			keys = append(keys, int32(i))
		}
	}
	if filtered {
		return st.filter(keys)
	}
	return selection{keys: keys}
}

// filter returns the nodes that NodeSelector and the partition leave: updated nodes, then nodes
// that are being updated or empty, then the nodes to update.
func (st *state) filter(keys []int32) (s selection) {
	const updated, updating, selected, rest = 0, 1, 2, 3 // indexes in lists
	reserved := st.reserved()
	var lists [4][]int32
	for _, i := range keys {
		k := &st.keys[i]
		list := rest
		switch c := st.classify(k); {
		case !c.ok || c.new.exists():
			list = updated
		case !c.old.exists() || c.old.preparing():
			list = updating
		case st.ds.NodeSelector != nil && st.nodeSelector.Matches(st.nodes[k.node].Labels):
			list = selected
		}
		lists[list] = append(lists[list], i)
	}
	order := append(st.descending(lists[updated]), st.descending(lists[updating])...)
	if st.ds.NodeSelector != nil {
		if n := len(lists[rest]); n > 0 {
			s.notSelected = cause{reason.NotSelected, int64(n), 0}
		}
		order = append(order, st.descending(lists[selected])...)
	} else {
		order = append(order, st.descending(lists[rest])...)
	}
	if limit := rollout.NodesToUpdate(len(keys), reserved); limit < len(order) {
		s.partition = cause{reason.Partition, int64(len(order) - limit), int64(reserved)}
		order = order[:limit]
	}
	s.keys = order
	return s
}

// descending sorts keys by rank, and keys of one rank by name from the last.
func (st *state) descending(keys []int32) []int32 {
	slices.SortFunc(keys, func(a, b int32) int {
		return cmp.Or(cmp.Compare(st.rank(a), st.rank(b)), st.compareKeys(b, a))
	})
	return keys
}

// first moves the k smallest elements of a list to its beginning, sorts and returns them. For a
// small k this is faster than sorting the list.
func first[T any](list []T, k int, compare func(a, b T) int) []T {
	if k > len(list)/2 {
		slices.SortFunc(list, compare)
		return list[:min(k, len(list))]
	}
	heap := list[:k] // the greatest element is at the top
	for i := range slices.Backward(heap) {
		siftDown(heap, i, compare)
	}
	for i := k; i < len(list) && k > 0; i++ {
		if compare(list[i], heap[0]) < 0 {
			list[i], heap[0] = heap[0], list[i]
			siftDown(heap, 0, compare)
		}
	}
	slices.SortFunc(heap, compare)
	return heap
}

// siftDown moves element i of a heap down until no child is greater.
func siftDown[T any](heap []T, i int, compare func(a, b T) int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && compare(heap[child], heap[child+1]) < 0 {
			child++
		}
		if compare(heap[i], heap[child]) >= 0 {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}
