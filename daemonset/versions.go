// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"fmt"
	"strconv"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/replicaset"
)

// Versions are the highest resource versions that a controller has written for a
// DaemonSet, or that its caches have read, by resource. An empty version is not known.
type Versions struct {
	OwnerUID   string `json:"ownerUID,omitzero"` // of the DaemonSet
	Pods       string `json:"pods,omitzero"`
	DaemonSets string `json:"daemonSets,omitzero"`
}

// wrotePod returns the record after a pod was created or adopted. Another UID starts a new
// record. Deletions and releases are not recorded, nor are new labels of pods, as upstream
// does not.
func (v Versions) wrotePod(ownerUID, version string) Versions {
	v = v.owned(ownerUID)
	v.Pods = later(v.Pods, version)
	return v
}

// WroteStatus returns the record after the status of the DaemonSet was written.
func (v Versions) WroteStatus(ownerUID, version string) Versions {
	v = v.owned(ownerUID)
	v.DaemonSets = later(v.DaemonSets, version)
	return v
}

func (v Versions) owned(uid string) Versions {
	if v.OwnerUID != uid {
		return Versions{OwnerUID: uid}
	}
	return v
}

// later returns the later of two versions, or the new one if they do not compare.
func later(old, version string) string {
	if c, ok := replicaset.CompareVersions(old, version); ok && c > 0 {
		return old
	}
	return version
}

// unseen returns what holds a pass back that must not be planned yet, since the caches,
// which have read so far, are older than what was written, and says so. Versions that do
// not compare never stand in the way.
//
// It mirrors the consistency store of the controller package of Kubernetes, as the
// DaemonSet controller asks it.
func (v Versions) unseen(read Versions) (kplan.Hold[Reason], error) {
	for _, r := range []struct {
		reason                  Reason
		resource, written, read string
	}{
		{ReasonStalePods, "pods", v.Pods, read.Pods},
		{ReasonStaleOwner, "daemonsets.apps", v.DaemonSets, read.DaemonSets},
	} {
		if c, ok := replicaset.CompareVersions(r.read, r.written); ok && c < 0 {
			return kplan.Hold[Reason]{Reason: r.reason, Have: versionNumber(r.read), Limit: versionNumber(r.written)},
				fmt.Errorf("read version: %s is not as new as written version: %s for group resource %s", r.read, r.written, r.resource)
		}
	}
	return kplan.Hold[Reason]{}, nil
}

// upTo returns how far a snapshot is that shows what was written to pods, whatever the cache
// had read.
func (v Versions) upTo(written Versions) Versions {
	if v.Pods != "" && written.Pods != "" {
		v.Pods = later(v.Pods, written.Pods)
	}
	return v
}

// versionNumber is a version as far as 64 bits can tell.
func versionNumber(version string) int64 {
	n, _ := strconv.ParseInt(version, 10, 64) // the greatest, if it is too large
	return n
}
