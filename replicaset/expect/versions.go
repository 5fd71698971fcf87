// SPDX-License-Identifier: Apache-2.0

package expect

import (
	"fmt"
	"strconv"

	"github.com/kplan-go/kplan/internal/base/version"
)

// CompareVersions compares two resource versions. The result is negative if a is older than
// b, 0 if they are equal, and positive if a is newer. Versions are decimal numbers of any
// length, without leading zeros: it returns false if one of them is not.
//
// It mirrors CompareResourceVersion of the resourceversion package of apimachinery 0.37.
func CompareVersions(a, b string) (int, bool) {
	return version.Compare(a, b)
}

// Versions are the highest resource versions that a controller has written for one owner, or
// that its caches have read. An empty version is unknown. A method does not change its
// receiver: it returns the new versions. For children of several kinds, keep Versions for each
// kind.
//
// A cache has read up to LastStoreSyncResourceVersion of the store of its informer, since
// client-go 0.36. For other caches use [Writes].
//
// They mirror the consistency store of the controller package of Kubernetes 1.37 for one
// controller. They do not replace [Expectations]: deletions have no version.
type Versions struct {
	OwnerUID string `json:"ownerUID,omitzero"`
	Owner    string `json:"owner,omitzero"`    // of the owner itself, such as a ReplicaSet
	Children string `json:"children,omitzero"` // of all its children, such as pods
}

// WroteChild returns the versions after a child was created, adopted or changed, with its new
// version, for the owner with the UID ownerUID. If v are the versions of another UID, they are
// dropped. Do not record deletions, which have no version, and releases, after which the child
// no longer belongs to the owner.
func (v Versions) WroteChild(ownerUID, version string) Versions {
	v = v.forOwner(ownerUID)
	v.Children = later(v.Children, version)
	return v
}

// WroteOwner returns the versions after the owner or its status was written, with the new
// version of the owner. It treats ownerUID as WroteChild does.
func (v Versions) WroteOwner(ownerUID, version string) Versions {
	v = v.forOwner(ownerUID)
	v.Owner = later(v.Owner, version)
	return v
}

func (v Versions) forOwner(uid string) Versions {
	if v.OwnerUID != uid {
		return Versions{OwnerUID: uid}
	}
	return v
}

// later returns the later of two versions, or version if they do not compare.
func later(old, version string) string {
	if c, ok := CompareVersions(old, version); ok && c > 0 {
		return old
	}
	return version
}

// An Unseen is a version that a controller has written and its cache has not read.
type Unseen struct {
	Owner         bool // of the owner, not of a child
	Read, Written string
}

// Unseen returns the version of v that the cache, which has read up to the versions in read,
// does not have, and whether there is one: of the children, or else of the owner. Then do not
// plan, and try again later. Versions that do not compare are never unseen. Without an unseen
// version, v may be dropped.
//
// It mirrors EnsureReady of the consistency store of Kubernetes 1.37.
func (v Versions) Unseen(read Versions) (Unseen, bool) {
	if c, ok := CompareVersions(read.Children, v.Children); ok && c < 0 {
		return Unseen{false, read.Children, v.Children}, true
	}
	if c, ok := CompareVersions(read.Owner, v.Owner); ok && c < 0 {
		return Unseen{true, read.Owner, v.Owner}, true
	}
	return Unseen{}, false
}

// Err returns an error with the text of Kubernetes, for the resources of the owner and of its
// children, such as replicasets.apps and pods.
func (u Unseen) Err(owner, children string) error {
	resource := children
	if u.Owner {
		resource = owner
	}
	return fmt.Errorf("read version: %s is not as new as written version: %s for group resource %s", u.Read, u.Written, resource)
}

// Numbers returns both versions as numbers: the largest int64 for a larger one, and 0 for a
// version that is not a number.
func (u Unseen) Numbers() (read, written int64) {
	read, _ = strconv.ParseInt(u.Read, 10, 64) // the largest int64 if out of range
	written, _ = strconv.ParseInt(u.Written, 10, 64)
	return read, written
}
