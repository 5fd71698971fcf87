package replicaset

import (
	"fmt"
	"strconv"
)

// Check returns an error if the cache, which has read so far, is older than what was
// written: then do not plan, and try again later. Versions that do not compare never
// stand in the way. If all is well the record may be dropped. [Reconcile] does so with
// Snapshot.Written and Read, and [Finish] hands the error on.
//
// It mirrors the consistency store of the controller package of Kubernetes 1.37.2.
// It does not replace [Expectations]: deletions have no version.
func (v Versions) Check(read Versions) error {
	_, err := v.unseen(read)
	return err
}

// unseen returns what holds a pass back that must not be planned yet, and says so.
func (v Versions) unseen(read Versions) (Hold, error) {
	for _, r := range []struct {
		reason                  Reason
		resource, written, read string
	}{
		{ReasonStalePods, "pods", v.Pods, read.Pods},
		{ReasonStaleOwner, "replicasets.apps", v.ReplicaSets, read.ReplicaSets},
	} {
		if c, ok := CompareVersions(r.read, r.written); ok && c < 0 {
			return held(r.reason, versionNumber(r.read), versionNumber(r.written)),
				fmt.Errorf("read version: %s is not as new as written version: %s for group resource %s", r.read, r.written, r.resource)
		}
	}
	return Hold{}, nil
}

// versionNumber is a version as far as 64 bits can tell.
func versionNumber(version string) int64 {
	n, _ := strconv.ParseInt(version, 10, 64) // the greatest, if it is too large
	return n
}
