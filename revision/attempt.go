// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision/quirk"
)

// An Attempt is one try to create a ControllerRevision of a StatefulSet. If the name
// is taken, [Attempt.Taken] returns the next attempt.
type Attempt struct {
	Parent   string             `json:"parent"` // its name
	Revision ControllerRevision `json:"revision"`
	// Collisions is the collision count in the name. The parent's status stores the
	// count of the last attempt.
	Collisions int32 `json:"collisions"`
}

// FirstAttempt returns the first attempt to create r. A collision count of nil is
// [ErrNoCollisionCount], unless quirk.UnsetCollisionCountFails is repaired.
//
// It mirrors CreateControllerRevision of the history package of Kubernetes.
func FirstAttempt(parent string, r ControllerRevision, collisions *int32, opts Options) (Attempt, error) {
	if collisions == nil {
		if !opts.Repair.Has(quirk.UnsetCollisionCountFails) {
			return Attempt{}, ErrNoCollisionCount
		}
		collisions = ptr.To(int32(0))
	}
	return attempt(parent, r, *collisions, opts), nil
}

// Taken decides what follows if existing has the name already. If its data is the same,
// byte by byte, it is used, regardless of its owner. Otherwise next is the next attempt.
func (a Attempt) Taken(existing ControllerRevision, opts Options) (next Attempt, use bool) {
	if SameData(a.Revision.Data, existing.Data, opts) {
		return a, true
	}
	return attempt(a.Parent, a.Revision, a.Collisions+1, opts), false
}

// attempt names r. The hash label does not change with the name, unless
// quirk.CollisionLabelDiffers is repaired.
func attempt(parent string, r ControllerRevision, collisions int32, opts Options) Attempt {
	hash := HashRevision(r.Data, r.Dump, &collisions, opts)
	r = r.clone()
	r.Name = RevisionName(parent, hash)
	if opts.Repair.Has(quirk.CollisionLabelDiffers) {
		if r.Labels == nil {
			r.Labels = make(map[string]string, 1)
		}
		r.Labels[LabelRevisionHash] = hash
	}
	return Attempt{Parent: parent, Revision: r, Collisions: collisions}
}
