// SPDX-License-Identifier: Apache-2.0

package replicasettest

import (
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/plantest"
)

// Kit returns the kit for planners of ReplicaSets, such as [replicaset.Reconcile].
func Kit() plantest.Kit[replicaset.Snapshot, replicaset.Options, replicaset.Plan] {
	return plantest.Kit[replicaset.Snapshot, replicaset.Options, replicaset.Plan]{Room: &room}
}
