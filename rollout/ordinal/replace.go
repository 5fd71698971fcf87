// SPDX-License-Identifier: Apache-2.0

package ordinal

// Replace returns the ordinals whose pods are deleted now so that they come back with the
// new template, highest first: from the partition up, pods with the old template that are
// not terminating, as many as may still become unavailable. Each pod that is not ready or
// is terminating uses up a place, whatever its template; replacing it takes another place.
// At least one pod may be unavailable.
//
//	max(0, max(1, unavailable) - how many are not ready or terminating)
//
// It mirrors updateStatefulSetAfterInvariantEstablished of the StatefulSet controller of
// Kubernetes 1.36.3. Kubernetes 1.37 does this for OrderedReady only: for a Parallel
// StatefulSet it also deletes old pods that are not ready if there is no room
// (kubernetes#137409).
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

// ReplaceOne returns the highest ordinal from the partition up with an old pod that is not
// terminating. It is -1 without such a pod, or if a higher pod has to become ready first.
//
// It mirrors updateStatefulSet of the StatefulSet controller of Kubernetes 1.36.3 for
// clusters that cannot set the number of unavailable pods.
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
