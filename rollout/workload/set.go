// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"time"

	"github.com/kplan-go/kplan/revision"
)

// A Set holds the fields of a ReplicaSet of a Deployment that admission and [Inspect] read.
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
