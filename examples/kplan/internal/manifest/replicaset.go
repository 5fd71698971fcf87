// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"github.com/kplan-go/kplan/replicaset"
)

// A ReplicaSet is one, or a ReplicationController in its form, with the input of its
// planner.
type ReplicaSet struct {
	File      string
	Namespace string
	Kind      string
	Snapshot  replicaset.Snapshot
	// Workload is what a Deployment would be that had this ReplicaSet alone: what depends
	// on pods, nodes and limits does so for both in the same way.
	Workload Workload
}

// Name returns what messages call the ReplicaSet.
func (r *ReplicaSet) Name() string { return describe(r.Kind, r.Snapshot.ReplicaSet.Name) }

// Key tells ReplicaSets and ReplicationControllers apart.
func (r *ReplicaSet) Key() string { return r.Kind + "/" + key(r.Workload.Deployment) }

// Invalid returns err as an error of the ReplicaSet.
func (r *ReplicaSet) Invalid(err error) error {
	return &Error{File: r.File, Object: r.Name(), Err: err}
}

// ID returns that of the ReplicaSet or ReplicationController.
func (r *ReplicaSet) ID() ID { return setID(r.Kind, r.Namespace, r.Snapshot.ReplicaSet.Name) }
