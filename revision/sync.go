package revision

import (
	"maps"
	"slices"
	"strconv"
)

// A Change is what to write to the annotations of an object.
type Change struct {
	Set    map[string]string `json:"set,omitempty"`
	Remove []string          `json:"remove,omitempty"` // sorted
}

// SyncWith is [Sync] with options. The zero Options gives what Sync gives.
//
// If UnreadableRevisionFreezes is repaired, a revision that does not parse counts as 0,
// so that copies are reported and the number is repaired, and neither such a one nor an
// empty one enters the history. With [Options].ExactAnnotations, annotations that the
// Deployment no longer has are removed, the bookkeeping aside.
func SyncWith(deployment, replicaSet map[string]string, next int64, opts Options) (c Change, changed bool) {
	if _, err := Number(replicaSet); err != nil && opts.Repair.Has(UnreadableRevisionFreezes) {
		replicaSet = maps.Clone(replicaSet)
		delete(replicaSet, AnnotationRevision)
	}
	c.Set, changed = Sync(deployment, replicaSet, next)
	if opts.ExactAnnotations {
		for key := range replicaSet {
			if _, wanted := deployment[key]; !wanted && Copied(key) {
				c.Remove = append(c.Remove, key)
			}
		}
		slices.Sort(c.Remove)
		changed = changed || len(c.Remove) > 0
	}
	return c, changed
}

// CreationAnnotations returns the annotations of a new ReplicaSet: those of the
// Deployment that are copied, its revision, and the numbers that proportional
// scaling reads, which are the Deployment's replicas and its replicas plus surge. A
// revision that is not above 0, which comes of wrapping around, is left out.
//
// It mirrors SetNewReplicaSetAnnotations of the deployment util package of
// Kubernetes 1.36.3 for a ReplicaSet that is being created.
func CreationAnnotations(deployment map[string]string, next int64, replicas, maxReplicas int32) map[string]string {
	annotations := map[string]string{
		AnnotationDesired: strconv.FormatInt(int64(replicas), 10),
		AnnotationMax:     strconv.FormatInt(int64(maxReplicas), 10),
	}
	if next > 0 {
		annotations[AnnotationRevision] = strconv.FormatInt(next, 10)
	}
	for key, value := range deployment {
		if Copied(key) {
			annotations[key] = value
		}
	}
	return annotations
}
