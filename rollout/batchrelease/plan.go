// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/union"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A Snapshot is the input of [Reconcile].
//
// These fields matter. The first four are required: without one of them there is an error that
// names the field. All other fields are optional, with these effects.
//
//	now                                        the time of conditions and batches
//	Release.Name                               actions name the BatchRelease
//	Release.WorkloadRef                        the kind of workload to drive
//	Workload.Ref                               the kind of the existing workload
//	Release.Finalizers                         without the BatchRelease's finalizer, it is added
//	Release.ReleasePlan.Batches                without them, nothing is released
//	Release.ReleasePlan.BatchPartition         without it, the workload is given back
//	Release.Status.Phase                       without it, the release begins
//	Release.Status.ObservedReleasePlanHash     without it, the plan counts as changed
//	Release.Status.ObservedWorkloadReplicas    without it, the workload counts as scaled
//	Workload                                   without it, the workload counts as deleted
//	Workload.Replicas                          without it, the workload wants 1 pod
//	Workload.Annotations                       without them, a Deployment is not under control
//	Workload.UpdateRevision                    without it, another template is to be released
//	Workload.Status                            without it, no pod is updated
type Snapshot struct {
	Release  Release            `json:"release"`
	Workload *workload.Workload `json:"workload,omitempty"` // nil if it is gone
	// Unreadable means that the workload could not be read. Workload is then ignored.
	Unreadable bool `json:"unreadable,omitzero"`
	// Canary is the extra Deployment of style Canary, or nil. Its
	// UpdateRevision is the hash of its pods; [quirk.CanaryLabelsNotAwaited] reads it.
	Canary *workload.Workload `json:"canary,omitempty"`
	// Pods are the pods of the workload that have not finished, in the order of the
	// list: labels are given from its end.
	Pods []workload.Pod `json:"pods,omitempty"`
	// StableSet names the oldest ReplicaSet with pods of a blue-green Deployment, or is "".
	StableSet string `json:"stableSet,omitzero"`
	// Autoscaler is the HorizontalPodAutoscaler that targets the workload, nil if none
	// does. Only blue-green changes it.
	Autoscaler *Autoscaler `json:"autoscaler,omitempty"`
}

// An Autoscaler is a HorizontalPodAutoscaler.
type Autoscaler struct {
	Name       string `json:"name"`
	TargetName string `json:"targetName"`
}

// AutoscalerSuffix is appended to the target name of an autoscaler, so that it
// leaves the workload alone.
const AutoscalerSuffix = "-DisableByRollout"

// Options adjusts [Reconcile]. The zero Options decides as OpenKruise
// Rollouts does, quirks included.
type Options struct {
	// Repair are the quirks to repair.
	Repair quirk.Set `json:"repair,omitzero"`
	// KeepPaused leaves a workload paused that a Rollout gives back before it is done
	// (the feature gate KeepWorkloadPausedOnRolloutDeletion).
	KeepPaused bool `json:"keepPaused,omitzero"`
}

// A Plan is the next step of a BatchRelease.
type Plan struct {
	// Actions are the writes, in order.
	Actions Actions `json:"actions,omitempty"`
	// Holds are the reasons why the batch waits.
	Holds []kplan.Hold `json:"holds,omitempty"`
	// Status is the complete next status.
	Status Status `json:"status"`
	// Failure is not empty if upstream ends the pass with an error: call again with a
	// growing delay.
	Failure string `json:"failure,omitzero"`
	// RecheckAt is when to call again even if nothing changes; zero if time alone
	// cannot change the plan.
	RecheckAt time.Time `json:"recheckAt,omitzero"`
	// Context holds the demands of the current batch and the current counts, nil if the pass
	// did not look.
	Context *Context `json:"context,omitempty"`
}

// String returns one line for each action and hold, without a newline at the end.
func (p Plan) String() string { return union.Lines(p.Actions, p.Holds) }

// String returns one line with the phase, the batch and its numbers of pods.
func (s Status) String() string {
	return fmt.Sprintf("%s, batch %d %s, %d updated, %d ready", s.Phase, s.Current.CurrentBatch+1, s.Current.BatchState,
		s.Current.UpdatedReplicas, s.Current.UpdatedReadyReplicas)
}
