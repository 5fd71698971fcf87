// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"slices"

	"github.com/kplan-go/kplan"
)

// SlowStart returns the sizes of the batches in which n creations are made. The first batch
// has initial calls, each further batch twice as many as the previous one, and the last batch
// has the remaining calls. Make the calls of a batch in parallel. If a call fails, skip all
// later batches: they would probably fail too, for example because a quota is used up.
// SlowStart returns nil if n is 0 or less, and treats an initial below 1 as 1.
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

// NextBatch returns the number of calls in the next batch. The argument has the outcomes of
// all calls so far. NextBatch returns 0 after a failed call and after the last batch.
func (a CreatePods) NextBatch(made []kplan.Outcome) int32 {
	if slices.ContainsFunc(made, func(o kplan.Outcome) bool { return failed(&o) }) {
		return 0
	}
	earlier := 0 // calls in the batches before this one
	for _, batch := range a.Batches() {
		if earlier >= len(made) {
			return batch
		}
		earlier += int(batch)
	}
	return 0
}
