// SPDX-License-Identifier: Apache-2.0

package ordinal

// Replace returns the ordinals whose pods are deleted now so that they come back with the
// new template, highest first: those from the partition up that have the old one and are
// not terminating, as many as may still become unavailable. Each pod that is not ready or
// is terminating has used up a place, whatever its template; replacing it takes another
// one. At least one pod may be unavailable.
//
//	max(0, max(1, unavailable) - how many are not ready or terminating)
//
// It mirrors updateStatefulSetAfterInvariantEstablished of the StatefulSet controller of
// Kubernetes 1.36.3. That of 1.37 decides so for OrderedReady alone: of a Parallel
// StatefulSet it also deletes pods of the old template that are not ready where there is no
// room (kubernetes#137409).
func Replace(groups []Group, partition, unavailable int32) []int {
	room := max(1, int64(unavailable))
	for _, g := range groups {
		if !g.Ready || g.Terminating {
			room--
		}
	}
	var ordinals []int
	for i := len(groups) - 1; i >= max(0, int(partition)) && int64(len(ordinals)) < room; i-- {
		if !groups[i].Updated && !groups[i].Terminating {
			ordinals = append(ordinals, i)
		}
	}
	return ordinals
}

// ReplaceOne returns the highest ordinal from the partition up that has the old template
// and is not terminating, or -1 if there is none, or if a higher one has to become ready
// first.
//
// It mirrors what updateStatefulSet of the StatefulSet controller of Kubernetes 1.36.3 does
// where the number of unavailable pods cannot be chosen.
func ReplaceOne(groups []Group, partition int32) int {
	for i := len(groups) - 1; i >= max(0, int(partition)); i-- {
		switch g := groups[i]; {
		case !g.Updated && !g.Terminating:
			return i
		case !g.Ready || g.Terminating:
			return -1
		}
	}
	return -1
}
