// SPDX-License-Identifier: Apache-2.0

package ordinal

// Replace returns the ordinals of the pods to delete now, highest first; their replacements get
// the new template. These are pods from the partition up that have the old template and are
// not terminating. Their number is limited to:
//
//	max(0, max(1, unavailable) - number of pods that are not ready or terminating)
//
// The limit counts pods of both templates. If an old pod that is not ready is deleted, it
// counts twice.
//
// It mirrors updateStatefulSetAfterInvariantEstablished of the StatefulSet controller of
// Kubernetes 1.36.3. Kubernetes 1.37 does this for OrderedReady only: for a Parallel
// StatefulSet it deletes old pods that are not ready even beyond the limit
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

// ReplaceOne returns the highest ordinal from the partition up whose pod has the old template
// and is not terminating. It returns -1 if there is none, or if a pod with a higher ordinal is
// not ready or terminating.
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
