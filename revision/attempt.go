// SPDX-License-Identifier: Apache-2.0

package revision

import "github.com/kplan-go/kplan/internal/base/ptr"

// An Attempt is one try to create a ControllerRevision of a StatefulSet. If the name
// is taken, [Attempt.Taken] gives the next.
type Attempt struct {
	Parent   string             `json:"parent"` // its name
	Revision ControllerRevision `json:"revision"`
	// Collisions is the collision count that the name was made with. The
	// parent's status keeps that of the last attempt.
	Collisions int32 `json:"collisions"`
}

// FirstAttempt returns the first try to create r. The collision count must not be
// nil: that is [ErrNoCollisionCount], unless UnsetCollisionCountFails is repaired.
//
// It mirrors CreateControllerRevision of the history package of Kubernetes.
func FirstAttempt(parent string, r ControllerRevision, collisions *int32, opts Options) (Attempt, error) {
	if collisions == nil {
		if !opts.Repair.Has(UnsetCollisionCountFails) {
			return Attempt{}, ErrNoCollisionCount
		}
		collisions = ptr.To(int32(0))
	}
	return attempt(parent, r, *collisions, opts), nil
}

// Taken is what to do if the name is taken by existing. If that has the same data,
// byte by byte, it is used, whoever owns it. If not, there is a next attempt.
func (a Attempt) Taken(existing ControllerRevision, opts Options) (next Attempt, use bool) {
	if SameData(a.Revision.Data, existing.Data, opts) {
		return a, true
	}
	return attempt(a.Parent, a.Revision, a.Collisions+1, opts), false
}

// attempt names r. Its hash label stays what it was when r was made, unless
// CollisionLabelDiffers is repaired.
func attempt(parent string, r ControllerRevision, collisions int32, opts Options) Attempt {
	hash := HashRevision(r.Data, r.Dump, &collisions, opts)
	r = r.clone()
	r.Name = RevisionName(parent, hash)
	if opts.Repair.Has(CollisionLabelDiffers) {
		if r.Labels == nil {
			r.Labels = make(map[string]string, 1)
		}
		r.Labels[LabelRevisionHash] = hash
	}
	return Attempt{Parent: parent, Revision: r, Collisions: collisions}
}
