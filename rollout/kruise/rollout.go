// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/condition"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A Rollout names a workload and the steps and traffic of its updates. Status is the last
// written status.
type Rollout struct {
	Name              string            `json:"name"`
	UID               string            `json:"uid,omitzero"`
	Generation        int64             `json:"generation,omitzero"`
	Annotations       map[string]string `json:"annotations,omitempty"`
	Finalizers        []string          `json:"finalizers,omitempty"`
	DeletionTimestamp time.Time         `json:"deletionTimestamp,omitzero"` // zero unless being deleted

	WorkloadRef workload.Ref `json:"workloadRef"`
	Disabled    bool         `json:"disabled,omitzero"`
	Paused      bool         `json:"paused,omitzero"`
	Canary      *Strategy    `json:"canary,omitempty"`    // nil if BlueGreen is set
	BlueGreen   *Strategy    `json:"blueGreen,omitempty"` // nil if Canary is set

	Status Status `json:"status,omitzero"`
}

// Style returns the style that the strategy means. A Rollout without a
// strategy is of style Partition and never acts.
func (r Rollout) Style() workload.Style {
	switch {
	case r.BlueGreen != nil:
		return workload.BlueGreen
	case r.Canary != nil && r.Canary.EnableExtraWorkloadForCanary:
		return workload.Canary
	}
	return workload.Partition
}

// RealPartition reports whether the workload is updated by partition: an extra
// Deployment exists only for a Deployment of apps/v1.
func (r Rollout) RealPartition() bool {
	switch r.Style() {
	case workload.Partition:
		return true
	case workload.Canary:
		return !r.WorkloadRef.Traits().ExtraCanary
	}
	return false
}

// Strategy returns the strategy of either style, or nil if neither is set.
func (r Rollout) Strategy() *Strategy {
	if r.BlueGreen != nil {
		return r.BlueGreen
	}
	return r.Canary
}

// A Strategy holds the steps of a Rollout and their settings. Its JSON has the names of the
// API, in the order of its members.
type Strategy struct {
	Steps           []Step            `json:"steps,omitempty"`
	TrafficRoutings []traffic.Routing `json:"trafficRoutings,omitempty"` // only the first counts
	// FailureThreshold is how many pods of a batch need not be ready; unset means 0.
	FailureThreshold         rollout.IntOrPercent       `json:"failureThreshold,omitzero"`
	PatchPodTemplateMetadata *workload.TemplateMetadata `json:"patchPodTemplateMetadata,omitempty"`
	// EnableExtraWorkloadForCanary asks for an extra Deployment; not for blue-green.
	EnableExtraWorkloadForCanary bool   `json:"enableExtraWorkloadForCanary,omitempty"`
	TrafficRoutingRef            string `json:"trafficRoutingRef,omitempty"`
	DisableGenerateCanaryService bool   `json:"disableGenerateCanaryService,omitempty"`
}

// A Step sets the number of new pods and the share of traffic, then pauses.
type Step struct {
	Traffic               rollout.IntOrPercent    `json:"traffic,omitzero"` // a percentage; unset means none
	RequestHeaderModifier *traffic.HeaderModifier `json:"requestHeaderModifier,omitempty"`
	Matches               []traffic.Match         `json:"matches,omitempty"`
	Replicas              rollout.IntOrPercent    `json:"replicas,omitzero"`
	Pause                 Pause                   `json:"pause"`
}

// routed reports whether the step sets traffic.
func (s *Step) routed() bool { return !s.Traffic.IsZero() || len(s.Matches) > 0 }

// strategy returns how the step leads traffic.
func (s *Step) strategy() traffic.Strategy {
	return traffic.Strategy{Traffic: s.Traffic, RequestHeaderModifier: s.RequestHeaderModifier, Matches: s.Matches}
}

// A Pause ends a step.
type Pause struct {
	Duration *int32 `json:"duration,omitempty"` // seconds; nil waits until a user confirms
}

// A Phase is the phase of a Rollout.
type Phase string

// The phases of a Rollout.
const (
	PhaseInitial     Phase = "Initial"
	PhaseHealthy     Phase = "Healthy"
	PhaseProgressing Phase = "Progressing"
	PhaseTerminating Phase = "Terminating"
	PhaseDisabling   Phase = "Disabling"
	PhaseDisabled    Phase = "Disabled"
)

// A StepState is where a step stands.
type StepState string

// The states of a step, in the order in which they are passed.
const (
	StateBeforeUpgrade   StepState = "BeforeStepUpgrade"
	StateUpgrade         StepState = "StepUpgrade"
	StateTrafficRouting  StepState = "StepTrafficRouting"
	StateMetricsAnalysis StepState = "StepMetricsAnalysis"
	StatePaused          StepState = "StepPaused"
	StateReady           StepState = "StepReady"
	StateCompleted       StepState = "Completed"
)

// A Status is the status of a Rollout.
type Status struct {
	ObservedGeneration int64             `json:"observedGeneration,omitzero"`
	Phase              Phase             `json:"phase,omitzero"`
	Message            string            `json:"message,omitzero"`
	Conditions         []kplan.Condition `json:"conditions,omitempty"`
	// Sub is the status of the steps, canaryStatus or blueGreenStatus in the API. It is nil until
	// a pass has read the workload.
	Sub *StepStatus `json:"sub,omitempty"`
	// CurrentStepIndex and CurrentStepState repeat the fields of Sub.
	CurrentStepIndex int32     `json:"currentStepIndex"`
	CurrentStepState StepState `json:"currentStepState"`
}

// ProgressingReason returns the reason of the condition Progressing, which is the phase
// within [PhaseProgressing], such as [ProgressInRolling]; "" without that condition.
func (s Status) ProgressingReason() string {
	if c := condition.Find(s.Conditions, workload.ConditionProgressing); c != nil {
		return c.Reason
	}
	return ""
}

// A StepStatus is the status of the steps of a Rollout.
type StepStatus struct {
	ObservedRolloutID          string         `json:"observedRolloutID,omitzero"`
	ObservedWorkloadGeneration int64          `json:"observedWorkloadGeneration,omitzero"`
	RolloutHash                string         `json:"rolloutHash,omitzero"`
	StableRevision             string         `json:"stableRevision,omitzero"`
	Revision                   string         `json:"revision,omitzero"` // of the update
	PodTemplateHash            string         `json:"podTemplateHash,omitzero"`
	Replicas                   int32          `json:"replicas,omitzero"`      // updated pods
	ReadyReplicas              int32          `json:"readyReplicas,omitzero"` // of these, ready
	CurrentStepIndex           int32          `json:"currentStepIndex"`       // from 1
	NextStepIndex              int32          `json:"nextStepIndex"`          // -1 after the last
	CurrentStepState           StepState      `json:"currentStepState"`
	FinalisingStep             FinalisingStep `json:"finalisingStep"`
	LastUpdateTime             time.Time      `json:"lastUpdateTime,omitzero"`
	Message                    string         `json:"message,omitzero"`
}

// Reasons of the condition Progressing of a Rollout, which are its phases within
// [PhaseProgressing], and reasons of the condition Terminating.
const (
	ProgressInitializing = "Initializing"
	ProgressInRolling    = "InRolling"
	ProgressPaused       = "Paused"
	ProgressFinalising   = "Finalising"
	ProgressCancelling   = "Cancelling"
	ProgressCompleted    = "Completed"
	ProgressTerminating  = "InTerminating"
)
