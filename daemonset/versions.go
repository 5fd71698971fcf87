// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"fmt"
	"strconv"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/replicaset"
)

// Versions are the highest resource versions that a controller has written for a
// DaemonSet, or that its caches have read, by resource. An empty version is not known.
type Versions struct {
	OwnerUID   string `json:"ownerUID,omitzero"` // of the DaemonSet
	Pods       string `json:"pods,omitzero"`
	DaemonSets string `json:"daemonSets,omitzero"`
}

// wrotePod returns v after a pod was created or adopted. Another UID of the DaemonSet starts with
// no versions. Deletions, releases and new labels of pods are not recorded, as in upstream.
func (v Versions) wrotePod(ownerUID, version string) Versions {
	v = v.owned(ownerUID)
	v.Pods = later(v.Pods, version)
	return v
}

// WroteStatus returns v after the status of the DaemonSet was written. Another UID of the DaemonSet
// starts with no versions.
func (v Versions) WroteStatus(ownerUID, version string) Versions {
	v = v.owned(ownerUID)
	v.DaemonSets = later(v.DaemonSets, version)
	return v
}

// owned returns v if it is of the DaemonSet with the UID, and otherwise no versions.
func (v Versions) owned(uid string) Versions {
	if v.OwnerUID != uid {
		return Versions{OwnerUID: uid}
	}
	return v
}

// later returns the later of two versions, or the new version if they do not compare.
func later(old, version string) string {
	if c, ok := replicaset.CompareVersions(old, version); ok && c > 0 {
		return old
	}
	return version
}

// staleness returns a hold and an error if the caches, which have read up to the versions in read,
// are older than the writes in v. The pass must wait then: Reconcile reports the hold, and Finish
// the error. Versions that do not compare never hold back a pass.
//
// It mirrors the consistency store of the controller package of Kubernetes, as the DaemonSet
// controller uses it.
func (v Versions) staleness(read Versions) (kplan.Hold, error) {
	for _, r := range []struct {
		reason                  kplan.Reason
		resource, written, read string
	}{
		{reason.StalePods, "pods", v.Pods, read.Pods},
		{reason.StaleOwner, "daemonsets.apps", v.DaemonSets, read.DaemonSets},
	} {
		if c, ok := replicaset.CompareVersions(r.read, r.written); ok && c < 0 {
			return kplan.Hold{Reason: r.reason, Have: versionNumber(r.read), Limit: versionNumber(r.written)},
				fmt.Errorf("read version: %s is not as new as written version: %s for group resource %s", r.read, r.written, r.resource)
		}
	}
	return kplan.Hold{}, nil
}

// upTo returns the versions that a snapshot shows, after the written pods have been added to it:
// the later version of v and written.
func (v Versions) upTo(written Versions) Versions {
	if v.Pods != "" && written.Pods != "" {
		v.Pods = later(v.Pods, written.Pods)
	}
	return v
}

// versionNumber returns a version as a number, cut off at 64 bits.
func versionNumber(version string) int64 {
	n, _ := strconv.ParseInt(version, 10, 64) // the greatest, if it is too large
	return n
}
