// SPDX-License-Identifier: Apache-2.0

// Package quirk names the quirks of names and revisions: defects of upstream.
// Plans have them by default; Repair of revision.Options takes the set to repair.
package quirk

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/quirkset"
)

// A Set is a set of quirks. The zero Set is empty. In JSON it is a list of names. Bits
// beyond [All] mean nothing.
type Set uint64

// The quirks, in the order of [Table].
const (
	UnreadableRevisionFreezes    Set = 1 << iota // annotations of a ReplicaSet with a malformed revision are not written
	UnreadableRevisionSortsByAge                 // a ReplicaSet with a malformed revision is sorted by age
	DataBesideObjectNotHashed                    // the hash ignores the data of a revision with a decoded object
	SerialisationIsVersion                       // the same template in another JSON form is a new revision
	LongNameNotCut                               // names of DaemonSet revisions may be too long
	CollisionLabelDiffers                        // after a collision the hash label differs from the hash in the name
	UnsetCollisionCountFails                     // without a collision count no revision is created
	UsedSetsFillHistory                          // ReplicaSets with pods count against the history limit
)

// All is all quirks.
const All Set = 1<<8 - 1

// Has reports whether q contains all of x.
func (q Set) Has(x Set) bool { return q&x == x }

// String returns the names of the quirks, separated by commas.
func (q Set) String() string { return quirkset.Format(Table(), q) }

// MarshalJSON encodes the list of names.
func (q Set) MarshalJSON() ([]byte, error) { return quirkset.Marshal(Table(), q) }

// UnmarshalJSON decodes a list of names. An unknown name is an error.
func (q *Set) UnmarshalJSON(data []byte) error { return quirkset.Unmarshal(Table(), data, q) }

// Parse returns the quirks with these names. The error, if any, wraps
// [kplan.ErrInvalid] and one [kplan.FieldError] for each unknown name.
func Parse(names ...string) (Set, error) { return quirkset.Parse[Set](Table(), names...) }

// Table returns the description of each quirk, in the order of the constants.
func Table() []kplan.Quirk {
	return append(quirksOfReplicaSets(), append(quirksOfRevisions(), kplan.Quirk{
		Name:     "UsedSetsFillHistory",
		Upstream: "Old ReplicaSets in use count against the history limit, and idle ones go in their place, so that fewer are left to go back to than the limit says.",
		Source:   "cleanupDeployment, Kubernetes 1.36.3",
		Issue:    "kubernetes/kubernetes#41145",
		Input:    "limit 1, an idle ReplicaSet of revision 1 and one with a pod of revision 2",
		Repair:   "Idle ones alone are counted.",
	})...)
}

func quirksOfReplicaSets() []kplan.Quirk {
	return []kplan.Quirk{
		{
			Name:     "UnreadableRevisionFreezes",
			Upstream: "A revision that does not parse is never repaired, and copies of annotations are not reported as a change; an empty one enters the history as an empty entry.",
			Source:   "SetNewReplicaSetAnnotations, Kubernetes 1.36.3",
			Issue:    "kubernetes/kubernetes#109934",
			Input:    "a new ReplicaSet with the revision \"bad\", next revision 9",
			Repair:   "Such a revision counts as none, is written anew, and does not enter the history.",
		},
		{
			Name:     "UnreadableRevisionSortsByAge",
			Upstream: "A ReplicaSet whose revision does not parse is compared with all others by age, which can be a cycle.",
			Source:   "ReplicaSetsByRevision, Kubernetes 1.36.3",
			Issue:    "kubernetes/kubernetes#109934",
			Input:    "ReplicaSets of revision 1 and, younger, \"bad\"",
			Repair:   "The revision is 0, as a missing one is.",
		},
	}
}

func quirksOfRevisions() []kplan.Quirk {
	return []kplan.Quirk{
		{
			Name:     "DataBesideObjectNotHashed",
			Upstream: "If a ControllerRevision has a decoded object, its data takes no part in the hash.",
			Source:   "HashControllerRevision, Kubernetes 1.36.3",
			Input:    "two revisions with different data and the same object",
			Repair:   "Both are hashed.",
		},
		{
			Name:     "SerialisationIsVersion",
			Upstream: "Data is compared and hashed byte by byte, so that the serialiser of another release makes a new version of the same template.",
			Source:   "EqualRevision, HashControllerRevision, Match of the DaemonSet controller, Kubernetes 1.36.3",
			Issue:    "kubernetes/kubernetes#134773",
			Input:    "data {\"a\":1} and {\"a\": 1, \"b\":null}",
			Repair:   "Data is compared and hashed as Normalize writes it.",
		},
		{
			Name:     "LongNameNotCut",
			Upstream: "The name of a DaemonSet's revision is not cut, and the API server refuses one of more than 253 bytes.",
			Source:   "snapshot of the DaemonSet controller, Kubernetes 1.36.3",
			Input:    "a DaemonSet whose name has 253 bytes",
			Repair:   "It is cut as that of a ReplicaSet is.",
		},
		{
			Name:     "CollisionLabelDiffers",
			Upstream: "After a collision the name has the new hash and the label the old one.",
			Source:   "CreateControllerRevision, Kubernetes 1.36.3",
			Input:    "a name that is taken by other data",
			Repair:   "The label follows the name.",
		},
		{
			Name:     "UnsetCollisionCountFails",
			Upstream: "A revision of a StatefulSet cannot be created if its status has no collision count.",
			Source:   "CreateControllerRevision, Kubernetes 1.36.3",
			Input:    "a collision count of nil",
			Repair:   "The count is 0.",
		},
	}
}
