// SPDX-License-Identifier: Apache-2.0

package deploytest

import (
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/rollout/plantest"
)

// Kit returns the kit for planners of Deployments, such as [deploy.Reconcile].
func Kit() plantest.Kit[deploy.Snapshot, deploy.Options, deploy.Plan] {
	return plantest.Kit[deploy.Snapshot, deploy.Options, deploy.Plan]{Room: &room}
}

// Scaling draws the middle of a rollout with hundreds of pods that has just been scaled, for
// [plantest.Kit.From]. Only such a snapshot shows how replicas are shared out when a scaling is
// interrupted.
func Scaling() *rapid.Generator[deploy.Snapshot] { return properties.Drawn(scaling) }

// Partitioned draws a Deployment that is rolled by partition, as in OpenKruise, for
// [plantest.Kit.From]. The kit draws none.
func Partitioned() *rapid.Generator[deploy.Snapshot] { return properties.Drawn(partitioned) }
