// SPDX-License-Identifier: Apache-2.0

package daemonsettest

import (
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/rollout/plantest"
)

// Kit returns the kit for planners of DaemonSets, such as [daemonset.Reconcile].
func Kit() plantest.Kit[daemonset.Snapshot, daemonset.Options, daemonset.Plan] {
	return plantest.Kit[daemonset.Snapshot, daemonset.Options, daemonset.Plan]{Room: &room}
}
