// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"testing"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

func FuzzReconcile(f *testing.F) {
	native := progressing(daemonSet)
	native.Release.Status.Current.BatchState = batchrelease.StateUpgrading
	canary := progressing(deployment)
	canary.Release.ReleasePlan.RollingStyle, canary.Canary = workload.Canary, &workload.Workload{Ref: deployment, Replicas: ptr.To(int32(2))}
	ended := progressing(cloneSet)
	ended.Release.ReleasePlan.BatchPartition = nil
	purity.Fuzz(f, kplan.ErrInvalid, func(s batchrelease.Snapshot) (batchrelease.Plan, error) {
		if _, err := planBatch(s, now, batchrelease.Options{}); err != nil {
			return batchrelease.Plan{}, err
		}
		return planBatch(s, now, batchrelease.Options{Repair: quirk.All})
	}, progressing(deployment), progressing(statefulSet), native, canary, ended)
}
