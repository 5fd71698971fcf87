// SPDX-License-Identifier: Apache-2.0

package replicaset

import "github.com/kplan-go/kplan/revision"

// Entry returns the ReplicaSet as an entry in the history of its Deployment. It shares the
// annotations and the pointer to the size with rs. It leaves the annotations of the template,
// which no planner reads, to the caller. Entry(nil) is the zero Entry.
func Entry(rs *ReplicaSet) revision.Entry {
	if rs == nil {
		return revision.Entry{}
	}
	return revision.Entry{
		Name: rs.Name, UID: rs.UID, ControllerUID: rs.ControllerUID, Annotations: rs.Annotations, Template: rs.Template,
		CreationTimestamp: rs.CreationTimestamp, DeletionTimestamp: rs.DeletionTimestamp,
		Generation: rs.Generation, Replicas: rs.Replicas,
		Status: revision.EntryStatus{ObservedGeneration: rs.Status.ObservedGeneration, Replicas: rs.Status.Replicas},
	}
}
