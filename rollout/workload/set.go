// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"time"

	"github.com/kplan-go/kplan/revision"
)

// A Set is a ReplicaSet of a Deployment, as far as admission and [Inspect]
// look at it.
type Set struct {
	Name              string            `json:"name"`
	Template          revision.Template `json:"template"`
	Replicas          int32             `json:"replicas"`
	Revision          string            `json:"revision,omitzero"` // as annotated
	CreationTimestamp time.Time         `json:"creationTimestamp,omitzero"`
	DeletionTimestamp time.Time         `json:"deletionTimestamp,omitzero"`
}

// MayHavePods reports whether pods may be running.
func (s *Set) MayHavePods() bool { return s.DeletionTimestamp.IsZero() && s.Replicas != 0 }
