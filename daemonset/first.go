// SPDX-License-Identifier: Apache-2.0

package daemonset

import "slices"

// first returns the first k elements of a list in order. It moves elements of the list. It
// avoids sorting a long list for a plan that may do little.
func first[T any](list []T, k int, compare func(a, b T) int) []T {
	if k > len(list)/2 {
		slices.SortFunc(list, compare)
		return list[:min(k, len(list))]
	}
	heap := list[:k] // the last of them is at the top
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
