// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"fmt"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A Context holds the demands of a batch, the numbers that the workload must reach, and the
// current numbers of its workload.
type Context struct {
	Driver       workload.Driver      `json:"driver"`
	RolloutID    string               `json:"rolloutID,omitzero"`
	Batch        rollout.IntOrPercent `json:"batch"`
	CurrentBatch int32                `json:"currentBatch"`
	Replicas     int32                `json:"replicas"`
	Updated      int32                `json:"updated"`
	UpdatedReady int32                `json:"updatedReady"`
	// NoNeedUpdate is the number of pods that had the template before this release began. It is
	// nil except in a rollback in batches.
	NoNeedUpdate *int32 `json:"noNeedUpdate,omitempty"`
	// Planned is the number of pods that this batch and all earlier batches update. Desired is
	// the number of pods that must have the new template after the batch.
	Planned int32 `json:"planned"`
	Desired int32 `json:"desired"`
	// A partition counts old pods; for a Deployment it counts new pods.
	CurrentPartition rollout.IntOrPercent `json:"currentPartition,omitzero"`
	DesiredPartition rollout.IntOrPercent `json:"desiredPartition,omitzero"`
	CurrentSurge     rollout.IntOrPercent `json:"currentSurge,omitzero"`
	DesiredSurge     rollout.IntOrPercent `json:"desiredSurge,omitzero"`
	// FailureThreshold is how many updated pods need not be ready; unset means 0.
	FailureThreshold rollout.IntOrPercent `json:"failureThreshold,omitzero"`
	// Labelled is the number of listed pods with the label of the rollout id, and PodCount the
	// number of all listed pods.
	Labelled int32 `json:"labelled,omitzero"`
	PodCount int32 `json:"podCount,omitzero"`
}

func orZero(v rollout.IntOrPercent) rollout.IntOrPercent {
	if v.IsZero() {
		return rollout.Int(0)
	}
	return v
}

// surge sets the demands of a blue-green batch.
func (c *Context) surge(w *workload.Workload, planned int32) {
	c.Planned, c.Desired = planned, planned
	c.CurrentSurge, c.DesiredSurge = orZero(w.Limits().MaxSurge), c.Batch
	c.FailureThreshold = rollout.IntOrPercent{}
	c.NoNeedUpdate = nil
	if c.CurrentSurge == rollout.Int(1) { // what preparing wrote
		c.CurrentSurge = rollout.Int(0)
	}
}

// partition sets the demands of a batch that keeps a partition of old pods.
func (c *Context) partition(w *workload.Workload, ordered bool) {
	c.Planned = partition.BatchSize(c.Batch, c.Replicas)
	stable := c.Replicas - c.Planned
	if n := c.NoNeedUpdate; n != nil && *n > 0 {
		rest := c.Replicas - *n
		stable = rest - partition.BatchSize(c.Batch, rest)
		if ordered {
			stable += *n
		}
	}
	c.Desired = c.Replicas - stable
	if n := c.NoNeedUpdate; n != nil && ordered {
		c.Desired += *n
	}
	c.CurrentPartition, c.DesiredPartition = orZero(w.Partition), rollout.Int(stable)
}

// Waiting returns the first demand that the workload does not meet. The second result is false if
// the batch is ready.
func (c Context) Waiting(repair quirk.Set) (kplan.Hold, bool) {
	base := c.Updated
	if repair.Has(quirk.FailureThresholdMisread) {
		base = c.Desired
	}
	ready := c.FailureThreshold.OfUp64(base) + int64(c.UpdatedReady)
	switch {
	case c.Updated < c.Desired:
		return kplan.Hold{Reason: reason.TooFewUpdated, Have: int64(c.Updated), Limit: int64(c.Desired)}, true
	case ready < int64(c.Desired):
		return kplan.Hold{Reason: reason.TooFewReady, Have: ready, Limit: int64(c.Desired)}, true
	case c.Desired > 0 && c.UpdatedReady == 0:
		return kplan.Hold{Reason: reason.NoneReady, Limit: int64(c.Desired)}, true
	case c.RolloutID != "" && c.PodCount > 0 && c.Labelled < c.Planned:
		return kplan.Hold{Reason: reason.TooFewLabelled, Have: int64(c.Labelled), Limit: int64(c.Planned)}, true
	}
	return kplan.Hold{}, false
}

// Text returns the message of OpenKruise Rollouts for a hold of [Context.Waiting].
func (c Context) Text(h kplan.Hold) string {
	const prefix = "current batch not ready: "
	switch h.Reason {
	case reason.TooFewUpdated:
		return fmt.Sprintf(prefix+"updated replicas not satisfied, UpdatedReplicas %d < DesiredUpdatedReplicas %d", h.Have, h.Limit)
	case reason.TooFewReady:
		return fmt.Sprintf(prefix+"updated ready replicas not satisfied, allowedUnavailable + UpdatedReadyReplicas %d < DesiredUpdatedReplicas %d", h.Have, h.Limit)
	case reason.NoneReady:
		return fmt.Sprintf(prefix+"no updated ready replicas, DesiredUpdatedReplicas %d > 0 and UpdatedReadyReplicas 0 = 0", h.Limit)
	}
	return fmt.Sprintf(prefix+"pods with batch label not satisfied, RolloutID %s, PlannedUpdatedReplicas %d", c.RolloutID, h.Limit)
}
