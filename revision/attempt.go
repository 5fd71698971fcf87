// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision/quirk"
)

// An Attempt is one attempt to create a ControllerRevision of a StatefulSet. If a
// ControllerRevision with its name exists, [Attempt.Taken] returns the next attempt.
type Attempt struct {
	Parent   string             `json:"parent"`   // the name of the StatefulSet
	Revision ControllerRevision `json:"revision"` // to create
	// Collisions is the collision count that the name was computed with. Write the count of
	// the last attempt to status.collisionCount of the StatefulSet.
	Collisions int32 `json:"collisions"`
}

// FirstAttempt returns the first attempt to create r. The argument parent is the name of the
// StatefulSet, and collisions is its status.collisionCount. If collisions is nil, the error is
// [ErrNoCollisionCount]; with quirk.UnsetCollisionCountFails repaired, nil means 0.
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

// Taken decides how to go on if a ControllerRevision existing has the name of a. If it has the same
// data (see [SameData]), use is true: the StatefulSet uses existing, whatever its owner. Otherwise
// next is the next attempt.
func (a Attempt) Taken(existing ControllerRevision, opts Options) (next Attempt, use bool) {
	if SameData(a.Revision.Data, existing.Data, opts) {
		return a, true
	}
	return attempt(a.Parent, a.Revision, a.Collisions+1, opts), false
}

// attempt returns the attempt to create r under the name for a collision count. The label
// [LabelRevisionHash] keeps its value, unless quirk.CollisionLabelDiffers is repaired: then it gets
// the hash in the name.
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
