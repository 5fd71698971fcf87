// SPDX-License-Identifier: Apache-2.0

package revision

// DefaultLimit is how many old revisions are kept if the limit is unset.
const DefaultLimit = 10

// NoLimit as the history limit of a Deployment means that no old ReplicaSet is
// deleted.
const NoLimit = 1<<31 - 1

// Options departs from Kubernetes. The zero Options decides as Kubernetes 1.37
// and kubectl 0.36.3 do, defects included. A function that takes Options says which
// of them it reads.
type Options struct {
	// Repair is which quirks are repaired.
	Repair Quirks `json:"repair,omitzero"`
	// Keys are the names of the annotations that are read and written.
	Keys Keys `json:"keys,omitzero"`
	// KeepAnnotations makes a rollback keep the annotations of the Deployment
	// that the target does not have. Unset, they are dropped.
	KeepAnnotations bool `json:"keepAnnotations,omitzero"`
	// ExactAnnotations makes [SyncWith] remove annotations that the Deployment
	// no longer has. Unset, they stay and a rollback brings them back.
	ExactAnnotations bool `json:"exactAnnotations,omitzero"`
}
