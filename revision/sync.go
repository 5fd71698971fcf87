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

// SyncWith is [Keys.Sync] of opts.Keys, with two more options.
//
// If quirk.UnreadableRevisionFreezes is repaired, a revision of the ReplicaSet that is empty or
// does not parse counts as missing: it is replaced, and is not added to the history. With
// [Options].ExactAnnotations the change removes the annotations of the ReplicaSet that the
// Deployment does not have, if [Keys.Copied] allows them.
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

// CreationAnnotations returns the annotations of a ReplicaSet to create: the annotations of the
// Deployment that [Keys.Copied] allows, the revision next, the Deployment's replicas, and
// maxReplicas = replicas + surge. A revision below 1, which only an overflow gives, is left out.
//
// It mirrors SetNewReplicaSetAnnotations of the deployment util package of Kubernetes for a
// ReplicaSet that is being created.
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
