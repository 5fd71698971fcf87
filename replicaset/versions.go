// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"fmt"
	"strconv"

	"github.com/kplan-go/kplan/internal/base/tracked"
)

// Versions are the highest resource versions that a controller has written, or that its cache
// has read, by resource. An empty version is unknown.
type Versions struct {
	OwnerUID    string `json:"ownerUID,omitzero"` // of the ReplicaSet
	Pods        string `json:"pods,omitzero"`
	ReplicaSets string `json:"replicaSets,omitzero"`
}

// CompareVersions compares two resource versions: decimal numbers of any length, without
// leading zeros. It returns false if one of them is not such a number.
//
// It mirrors CompareResourceVersion of the resourceversion package of apimachinery
// 0.36.3.
func CompareVersions(a, b string) (int, bool) {
	return tracked.CompareVersions(a, b)
}

// WrotePod returns the record after a pod was created or patched for the ReplicaSet with this
// UID. Another UID starts a new record. Deletions are not recorded, and neither are releases,
// because a released pod has no owner.
func (v Versions) WrotePod(ownerUID, version string) Versions {
	v = v.forOwner(ownerUID)
	v.Pods = later(v.Pods, version)
	return v
}

// WroteStatus returns the record after the status of the ReplicaSet was written.
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

// later returns the later of two versions, or the new one if they do not compare.
func later(old, version string) string {
	if c, ok := CompareVersions(old, version); ok && c > 0 {
		return old
	}
	return version
}

// Check returns an error if the cache, which has read up to read, is older than the last
// writes: then do not plan, and try again later. Versions that do not compare never cause an
// error. Without an error the record may be dropped. [Reconcile] calls Check with
// Snapshot.Written and Read, and [Finish] returns the error.
//
// It mirrors the consistency store of the controller package of Kubernetes.
// It does not replace [Expectations]: deletions have no version.
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

// An unseen is a version of pods or of the owner that was written but not read.
type unseen struct {
	owner         bool
	read, written string
}

// unseen returns the first such version, if any.
func (v Versions) unseen(read Versions) (unseen, bool) {
	if c, ok := CompareVersions(read.Pods, v.Pods); ok && c < 0 {
		return unseen{false, read.Pods, v.Pods}, true
	}
	if c, ok := CompareVersions(read.ReplicaSets, v.ReplicaSets); ok && c < 0 {
		return unseen{true, read.ReplicaSets, v.ReplicaSets}, true
	}
	return unseen{}, false
}

// withWritten returns the read versions of a snapshot that includes the writes to pods, even if the
// cache has not read them yet.
func (v Versions) withWritten(written Versions) Versions {
	if v.Pods != "" && written.Pods != "" {
		v.Pods = later(v.Pods, written.Pods)
	}
	return v
}

// versionNumber returns a version as a number, limited to 64 bits.
func versionNumber(version string) int64 {
	n, _ := strconv.ParseInt(version, 10, 64) // the largest number, if it does not fit
	return n
}
