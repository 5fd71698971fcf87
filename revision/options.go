// SPDX-License-Identifier: Apache-2.0

package revision

import "github.com/kplan-go/kplan/revision/quirk"

// DefaultLimit is the number of old revisions to keep if the limit is unset.
const DefaultLimit = 10

// NoLimit as the history limit of a Deployment means that no old ReplicaSet is
// deleted.
const NoLimit = 1<<31 - 1

// Options departs from Kubernetes. The zero Options decides as Kubernetes 1.37
// and kubectl 0.36.3 do, defects included. A function that takes Options documents the
// options that it reads.
type Options struct {
	// Repair is the set of quirks to repair.
	Repair quirk.Set `json:"repair,omitzero"`
	// Keys are the names of the annotations to read and write.
	Keys Keys `json:"keys,omitzero"`
	// KeepAnnotations makes a rollback keep annotations of the Deployment that the
	// target does not have. Unset, they are dropped.
	KeepAnnotations bool `json:"keepAnnotations,omitzero"`
	// ExactAnnotations makes [SyncWith] remove annotations that the Deployment
	// no longer has. Unset, they stay and a rollback brings them back.
	ExactAnnotations bool `json:"exactAnnotations,omitzero"`
}
