// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"github.com/kplan-go/kplan/replicaset"
)

// A ReplicaSet is a ReplicaSet, or a ReplicationController converted to one, with the input of its
// planner.
type ReplicaSet struct {
	File      string
	Namespace string
	Kind      string
	Snapshot  replicaset.Snapshot
	// Workload is a Deployment with only this ReplicaSet, so that pods, nodes and limits are
	// handled the same way for both.
	Workload Workload
}

// Name returns the kind and name of the ReplicaSet, for messages.
func (r *ReplicaSet) Name() string { return describe(r.Kind, r.Snapshot.ReplicaSet.Name) }

// Key identifies the ReplicaSet or ReplicationController.
func (r *ReplicaSet) Key() string { return r.Kind + "/" + key(r.Workload.Deployment) }

// Invalid returns err as an error of the ReplicaSet.
func (r *ReplicaSet) Invalid(err error) error {
	return &Error{File: r.File, Object: r.Name(), Err: err}
}

// ID returns the ID of the ReplicaSet or ReplicationController.
func (r *ReplicaSet) ID() ID { return setID(r.Kind, r.Namespace, r.Snapshot.ReplicaSet.Name) }
