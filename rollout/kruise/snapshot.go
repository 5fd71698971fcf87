// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/union"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A Snapshot is the input of [Reconcile]. Reconcile does not change a Snapshot and keeps no
// part of it.
//
// These fields matter. The first five are required: without one of them there is an error that
// names the field. All other fields are optional, with these effects.
//
//	now                          the time of conditions, pauses and grace periods
//	Rollout.Name                 actions name the Rollout
//	Rollout.Canary               the strategy; or Rollout.BlueGreen
//	Rollout.Canary.Steps         the steps
//	Rollout.WorkloadRef          the kind of workload to drive
//	Rollout.Finalizers           without the Rollout's finalizer, it is added
//	Rollout.Status.Phase         without it, the Rollout counts as new
//	Rollout.Status.Sub           without it, the steps begin again
//	Rollout.Status.Conditions    without the condition Progressing, progress is unknown
//	Workload                     without it, the workload counts as deleted
//	Workload.Consistent          without it, the pass waits for the controller of the workload
//	Workload.CanaryRevision      without it, the release is over
//	BatchRelease                 without it, it is created
type Snapshot struct {
	Rollout Rollout `json:"rollout"`
	// BatchRelease is the BatchRelease of the same name, nil if it does not exist.
	BatchRelease *batchrelease.Release `json:"batchRelease,omitempty"`
	// Workload is the result of [workload.Inspect], nil if the workload does not exist.
	Workload *workload.State `json:"workload,omitempty"`
	Traffic  traffic.Objects `json:"traffic,omitzero"`
	// IngressClasses are classes of Ingress in addition to [traffic.IngressClasses]. They
	// take precedence.
	IngressClasses []traffic.IngressClass `json:"ingressClasses,omitempty"`
	// Shared is the TrafficRouting object that the annotation
	// [workload.AnnotationTrafficRouting] names, or nil.
	Shared *SharedRouting `json:"shared,omitempty"`
	// Analysis is how the analysis of the current step stands; "" without one. Only
	// [quirk.DeadlineNotReported] reads it.
	Analysis AnalysisPhase `json:"analysis,omitzero"`
	// Grace is the Grace of the last plan.
	Grace Grace `json:"grace,omitempty"`
}

// Options adjusts [Reconcile], [Admit] and [Validate]. The zero Options decides as OpenKruise
// Rollouts does, quirks included.
type Options struct {
	// Repair are the quirks to repair.
	Repair quirk.Set `json:"repair,omitzero"`
	// AppendPodSelector adds labels of the canary's pods to the selector of the canary
	// Service even if the stable one has no such label (the feature gate of that name).
	AppendPodSelector bool `json:"appendPodSelector,omitzero"`
	// PercentLimit is the largest percentage of pods for which a step with traffic may ask
	// where the workload is updated by partition; 0 means 50, and below 0 no percentage is
	// allowed. A number of pods has no limit. OpenKruise Rollouts has it as the flag
	// --partition-percent-limit. Only validation reads it: an existing Rollout continues.
	PercentLimit int32 `json:"percentLimit,omitzero"`
}

// An AnalysisPhase is how an analysis stands. Any other phase than these counts as
// [AnalysisRunning].
type AnalysisPhase string

// The phases of an analysis.
const (
	AnalysisRunning    AnalysisPhase = "Running"
	AnalysisSuccessful AnalysisPhase = "Successful"
	AnalysisFailed     AnalysisPhase = "Failed"
)

// A SharedRouting is a TrafficRouting object that several Rollouts may use.
type SharedRouting struct {
	Name       string   `json:"name"`
	UID        string   `json:"uid,omitzero"`
	Phase      string   `json:"phase,omitzero"`
	Finalizers []string `json:"finalizers,omitempty"`
}

// Grace maps each change of traffic to the time when it was last made: the caller hands
// the Grace of a plan to the next call. Losing it shortens waits.
type Grace map[string]time.Time

// A Plan is the next step of a Rollout.
type Plan struct {
	// Actions are the writes, in order. Carry them out before you write the status.
	Actions Actions `json:"actions,omitempty"`
	// Holds are the reasons why the Rollout waits.
	Holds []kplan.Hold `json:"holds,omitempty"`
	// Status is the complete next status. Write it if it differs.
	Status Status `json:"status"`
	// Failure is not empty if upstream ends the pass with an error, without writing
	// the status: call again with a growing delay.
	Failure string `json:"failure,omitzero"`
	// RecheckAt is when to call again even if nothing changes; zero if time alone
	// cannot change the plan. It is always later than now: one nanosecond after the instant
	// of a pause, at which the pause is not over.
	RecheckAt time.Time `json:"recheckAt,omitzero"`
	// Grace is the Grace of the next snapshot.
	Grace Grace `json:"grace,omitempty"`
	// Events are the Kubernetes events to record.
	Events []kplan.Event `json:"events,omitempty"`
}

// String returns one line for each action and hold. It ends without a newline.
func (p Plan) String() string { return union.Lines(p.Actions, p.Holds) }
