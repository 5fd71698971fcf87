// SPDX-License-Identifier: Apache-2.0

package replicaset

import "github.com/kplan-go/kplan"

// SlowStart returns the sizes of the batches in which n creations are made: the
// first has initial calls, and each further one twice as many as the one before,
// until none is left. The calls of a batch are made at once, and if one of them
// fails, all later batches are skipped: so a quota that is used up is not stormed.
// It returns nil for an n of 0 or less, and takes an initial below 1 for 1.
//
//	SlowStart(10, 1) = 1, 2, 4, 3
//
// It mirrors slowStartBatch of the replicaset package of Kubernetes.
func SlowStart(n, initial int32) []int32 {
	var batches []int32
	for size := int64(max(initial, 1)); n > 0; size *= 2 {
		batch := int32(min(size, int64(n)))
		batches = append(batches, batch)
		n -= batch
	}
	return batches
}

// Batches returns the sizes of the batches in which the pods are created.
func (a CreatePods) Batches() []int32 { return SlowStart(a.Count, a.Initial) }

// NextBatch returns the number of calls of the batch that follows those that were
// made, given their outcomes so far, or 0 if there is none.
func (a CreatePods) NextBatch(made []kplan.Outcome) int32 {
	left := int(a.Count)
	for i := range made {
		if failed(&made[i]) {
			return 0
		}
	}
	for _, batch := range a.Batches() {
		if left <= int(a.Count)-len(made) {
			return min(batch, int32(left))
		}
		left -= int(batch)
	}
	return 0
}
