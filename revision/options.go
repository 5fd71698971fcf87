// SPDX-License-Identifier: Apache-2.0

package revision

import "github.com/kplan-go/kplan/revision/quirk"

// DefaultLimit is the number of old revisions to keep if the limit is unset.
const DefaultLimit = 10

// NoLimit as revisionHistoryLimit of a Deployment means that no old ReplicaSet is deleted.
const NoLimit = 1<<31 - 1

// Options changes decisions of this package. With the zero Options the functions decide as
// Kubernetes 1.37 and kubectl 0.36.3 do, defects included.
type Options struct {
	// Repair is the set of quirks, which are defects of upstream, to repair.
	Repair quirk.Set `json:"repair,omitzero"`
	// Keys are the keys of the annotations to read and write.
	Keys Keys `json:"keys,omitzero"`
	// KeepAnnotations makes a rollback keep the annotations of the Deployment that the target
	// ReplicaSet does not have. If it is unset, a rollback removes them.
	KeepAnnotations bool `json:"keepAnnotations,omitzero"`
	// ExactAnnotations makes [SyncWith] remove annotations of the ReplicaSet that the
	// Deployment does not have. If it is unset, they stay, and a rollback to the ReplicaSet
	// gives them to the Deployment again.
	ExactAnnotations bool `json:"exactAnnotations,omitzero"`
}
