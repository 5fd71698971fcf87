// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"fmt"
	"strconv"

	"github.com/kplan-go/kplan/internal/base/tracked"
)

// Versions are the highest resource versions of each resource that a controller has written,
// or that its cache has read. An empty version is unknown.
type Versions struct {
	OwnerUID    string `json:"ownerUID,omitzero"` // of the ReplicaSet
	Pods        string `json:"pods,omitzero"`
	ReplicaSets string `json:"replicaSets,omitzero"`
}

// CompareVersions compares two resource versions. The result is negative if a is older than
// b, 0 if they are equal, and positive if a is newer. Versions are
// decimal numbers of any length, without leading zeros: it returns false if one of them is not.
//
// It mirrors CompareResourceVersion of the resourceversion package of apimachinery
// 0.36.3.
func CompareVersions(a, b string) (int, bool) {
	return tracked.CompareVersions(a, b)
}

// WrotePod returns the versions after a pod was created or adopted, with the pod's new
// version, for the ReplicaSet with the UID ownerUID. If v are the versions of another UID,
// they are dropped. Do not record deletions, which have no version, and releases, after which
// the pod no longer belongs to the ReplicaSet.
func (v Versions) WrotePod(ownerUID, version string) Versions {
	v = v.forOwner(ownerUID)
	v.Pods = later(v.Pods, version)
	return v
}

// WroteStatus returns the versions after the status of the ReplicaSet was written, with the
// new version of the ReplicaSet. It treats ownerUID as WrotePod does.
func (v Versions) WroteStatus(ownerUID, version string) Versions {
	v = v.forOwner(ownerUID)
	v.ReplicaSets = later(v.ReplicaSets, version)
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

// Check returns an error if the cache, which has the versions in read, is older than the writes
// v. Then do not plan, and try again later. Versions that do not compare never cause an error.
// After Check returns nil, v may be dropped. [Reconcile] makes the same comparison of
// Snapshot.Written and Snapshot.Read, and returns a plan without actions in place of an
// error; [Finish] returns the error.
//
// It mirrors the consistency store of the controller package of Kubernetes. It does not
// replace [Expectations]: deletions have no version.
func (v Versions) Check(read Versions) error {
	u, stale := v.unseen(read)
	if !stale {
		return nil
	}
	resource := "pods"
	if u.owner {
		resource = "replicasets.apps"
	}
	return fmt.Errorf("read version: %s is not as new as written version: %s for group resource %s", u.read, u.written, resource)
}

// An unseen is a version that was written but not read.
type unseen struct {
	owner         bool // of the ReplicaSet, not of a pod
	read, written string
}

// unseen returns the version of v that read does not have, if any: of the pods, or else of the
// ReplicaSet.
func (v Versions) unseen(read Versions) (unseen, bool) {
	if c, ok := CompareVersions(read.Pods, v.Pods); ok && c < 0 {
		return unseen{false, read.Pods, v.Pods}, true
	}
	if c, ok := CompareVersions(read.ReplicaSets, v.ReplicaSets); ok && c < 0 {
		return unseen{true, read.ReplicaSets, v.ReplicaSets}, true
	}
	return unseen{}, false
}

// withWritten returns the read versions v raised to the written version of the pods, for a snapshot
// that includes the writes. An unknown version stays unknown.
func (v Versions) withWritten(written Versions) Versions {
	if v.Pods != "" && written.Pods != "" {
		v.Pods = later(v.Pods, written.Pods)
	}
	return v
}

// versionNumber returns a version as a number, the largest int64 for a larger one, and 0 for a
// version that is not a number.
func versionNumber(version string) int64 {
	n, _ := strconv.ParseInt(version, 10, 64) // the largest int64 if out of range
	return n
}
