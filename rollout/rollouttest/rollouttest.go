// SPDX-License-Identifier: Apache-2.0

package rollouttest

import (
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/plantest"
)

// Kruise returns the kit for planners of Rollouts of OpenKruise, such as [kruise.Reconcile].
func Kruise() plantest.Kit[kruise.Snapshot, kruise.Options, kruise.Plan] {
	return plantest.Kit[kruise.Snapshot, kruise.Options, kruise.Plan]{Room: &kruiseRoom}
}

// Batches returns the kit for planners of BatchReleases, such as [batchrelease.Reconcile].
func Batches() plantest.Kit[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan] {
	return plantest.Kit[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan]{Room: &batchRoom}
}

// Argo returns the kit for planners of Rollouts of Argo, such as [argo.Reconcile].
func Argo() plantest.Kit[argo.Snapshot, argo.Options, argo.Plan] {
	return plantest.Kit[argo.Snapshot, argo.Options, argo.Plan]{Room: &argoRoom}
}

// RollingBack draws a BatchRelease that takes a template back in batches, some pods of which
// were never updated, for [plantest.Kit.From]. The kit draws none of them.
func RollingBack() *rapid.Generator[batchrelease.Snapshot] { return properties.Drawn(rollingBack) }
