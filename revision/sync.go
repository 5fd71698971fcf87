// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"maps"
	"slices"
	"strconv"

	"github.com/kplan-go/kplan/revision/quirk"
)

// A Change is a change of the annotations of an object.
type Change struct {
	Set    map[string]string `json:"set,omitempty"`
	Remove []string          `json:"remove,omitempty"` // sorted
}

// SyncWith is [Keys.Sync] with options. The zero Options is the same as the zero Keys.
//
// If quirk.UnreadableRevisionFreezes is repaired, a revision that does not parse, or is empty,
// counts as 0: copies are reported, the number is replaced, and the old text is not added
// to the history. With [Options].ExactAnnotations, annotations that the Deployment no
// longer has are removed, except for the bookkeeping (see [Keys.Copied]).
func SyncWith(deployment, replicaSet map[string]string, next int64, opts Options) (c Change, changed bool) {
	if _, err := opts.Keys.Number(replicaSet); err != nil && opts.Repair.Has(quirk.UnreadableRevisionFreezes) {
		replicaSet = maps.Clone(replicaSet)
		delete(replicaSet, opts.Keys.OrDefault().Revision)
	}
	c.Set, changed = opts.Keys.Sync(deployment, replicaSet, next)
	if opts.ExactAnnotations {
		for key := range replicaSet {
			if _, wanted := deployment[key]; !wanted && opts.Keys.copied(key) {
				c.Remove = append(c.Remove, key)
			}
		}
		slices.Sort(c.Remove)
		changed = changed || len(c.Remove) > 0
	}
	return c, changed
}

// CreationAnnotations is [Keys.CreationAnnotations] with the keys of Kubernetes.
func CreationAnnotations(deployment map[string]string, next int64, replicas, maxReplicas int32) map[string]string {
	return Keys{}.CreationAnnotations(deployment, next, replicas, maxReplicas)
}

// CreationAnnotations returns the annotations of a new ReplicaSet: the copied annotations
// of the Deployment, the revision, and the numbers for proportional scaling, which are the
// Deployment's replicas and its replicas plus surge. A revision of 0 or less, the result
// of an overflow, is left out.
//
// It mirrors SetNewReplicaSetAnnotations of the deployment util package of
// Kubernetes for a ReplicaSet that is being created.
func (k Keys) CreationAnnotations(deployment map[string]string, next int64, replicas, maxReplicas int32) map[string]string {
	k = k.OrDefault()
	annotations := map[string]string{
		k.Desired: strconv.FormatInt(int64(replicas), 10),
		k.Max:     strconv.FormatInt(int64(maxReplicas), 10),
	}
	if next > 0 {
		annotations[k.Revision] = strconv.FormatInt(next, 10)
	}
	for key, value := range deployment {
		if k.copied(key) {
			annotations[key] = value
		}
	}
	return annotations
}
