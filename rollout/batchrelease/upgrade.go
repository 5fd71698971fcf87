// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/zero"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// UpgradePatch returns the patch that releases the batch of a context, and false if nothing has
// to be written. No partition is ever lowered. A canary shrinks only under
// [quirk.CanaryLabelsNotAwaited].
//
// A blue-green workload that is not prepared is refused: the result has the reason, and is
// empty otherwise.
func (c Context) UpgradePatch(w workload.Workload, canary *workload.Workload, repair quirk.Set) (p workload.Patch, write bool, refused kplan.Reason) {
	if k := kindOf(c.Driver); k != nil {
		return k.upgrade(&c, &w, canary, repair)
	}
	return p, false, ""
}

// NewContext returns the context of the current batch of a BatchRelease. A batch that does
// not exist updates no pod; neither does a batch of a workload that no driver knows, see
// [workload.DriverOf]. The canary is the extra Deployment of the style Canary, nil if it does
// not exist yet; other drivers ignore it.
func NewContext(br Release, w workload.Workload, canary *workload.Workload, repair quirk.Set) Context {
	var c Context
	c.fill(&br, &w, canary, kindOf(br.ReleasePlan.driver(w.Ref)), repair)
	return c
}

// fill sets the result of [NewContext] by a kind, nil if no driver knows the workload.
func (c *Context) fill(br *Release, w, canary *workload.Workload, k kind, repair quirk.Set) {
	plan, status := &br.ReleasePlan, &br.Status.Current
	*c = Context{
		Driver: plan.driver(w.Ref), RolloutID: plan.RolloutID, CurrentBatch: status.CurrentBatch,
		Replicas: w.DesiredReplicas(), NoNeedUpdate: zero.Copy(status.NoNeedUpdateReplicas), FailureThreshold: plan.FailureThreshold,
	}
	if i := int(status.CurrentBatch); i >= 0 && i < len(plan.Batches) {
		c.Batch = plan.Batches[i].CanaryReplicas
	}
	if repair.Has(quirk.FailureThresholdMisread) && c.FailureThreshold.IsZero() {
		c.FailureThreshold = w.Limits().MaxUnavailable // of no kind with a surge, see Context.surge
	}
	if k != nil {
		c.Updated, c.UpdatedReady = k.pods(w, canary)
		k.count(c, w, repair)
	} else {
		c.Updated, c.UpdatedReady = byPartition{}.pods(w, nil)
	}
}
