// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"fmt"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/kruise"
)

func setNamed(s *deploy.Snapshot, name, uid string) (*replicaset.ReplicaSet, error) {
	for i := range s.ReplicaSets {
		if rs := &s.ReplicaSets[i]; rs.Name == name && rs.UID == uid {
			return rs, nil
		}
	}
	return nil, fmt.Errorf("no ReplicaSet %s with UID %q", name, uid)
}

// rolloutTarget returns the kind of the object that an action of a rollout changes, and the UID in
// its precondition.
func rolloutTarget(action kruise.Action) (kind, uid string) {
	switch a := action.(type) {
	case kruise.SetFinalizer:
		return a.Kind, a.UID
	case kruise.PatchRollout:
		return "Rollout", a.UID
	case kruise.PatchWorkload:
		return "Workload", a.UID
	case kruise.UpdateBatchRelease:
		return "BatchRelease", a.UID
	case kruise.PatchBatchRelease:
		return "BatchRelease", a.UID
	case kruise.DeleteBatchRelease:
		return "BatchRelease", a.UID
	case kruise.CreateBatchRelease:
		return "Owner", a.OwnerUID
	case kruise.CreateService:
		return "Owner", a.OwnerUID
	}
	return "", ""
}
