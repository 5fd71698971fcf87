// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/union"
	"github.com/kplan-go/kplan/internal/base/zero"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
)

// A Snapshot is everything that [Reconcile] looks at.
//
// The least snapshot. Without one of the first three there is an error that names the
// field; without any of the others the plan uses the default below.
//
//	now                                the time of conditions and pauses
//	Rollout.TemplateHash               says which ReplicaSet is the new one
//	Active                             the Service that a blue-green update switches
//	Rollout.Replicas                   without it, it wants 1 pod
//	Rollout.Steps                      without them, a canary goes on to the end
//	Rollout.StepHash                   without it, but in the status, the steps begin again
//	Rollout.MaxSurge                   without it, it is 25%
//	Rollout.Status.StableRS            without it, there is no old version to keep
//	Rollout.Status.CurrentStepIndex    without it, the steps begin with the first
//	Sets[].Hash                        without it, it is of an old template
//	Sets[].Replicas                    without it, it wants no pod
//	Sets[].AvailableReplicas           without it, none of its pods is available
//	Sets[].ReadyReplicas               without it, none of its pods is reported as ready
//	CanaryService                      without it, only weights lead requests
type Snapshot struct {
	Rollout Rollout `json:"rollout"`
	// Sets are the ReplicaSets that the Rollout controls, in any order. Their hashes are
	// unique.
	Sets []ReplicaSet `json:"sets,omitempty"`
	// Active and Preview are the Services of a blue-green update; Preview is nil if there
	// is none.
	Active  *Service `json:"active,omitempty"`
	Preview *Service `json:"preview,omitempty"`
	// StableService and CanaryService are the Services of a canary, nil if it names none.
	StableService *Service `json:"stableService,omitempty"`
	CanaryService *Service `json:"canaryService,omitempty"`
	// Ping and Pong are the Services of a canary that take turns: one is the stable one
	// ([Status.StablePingPong]), the other one selects the pods of the next update, so that
	// no Service with requests is pointed at other pods. Both are nil if it names none.
	Ping *Service `json:"ping,omitempty"`
	Pong *Service `json:"pong,omitempty"`
	// Routes are the routes that steps have set, in the order in which they were set. Their
	// names are unique. A caller that cannot list them remembers them: see [Apply].
	Routes []Route `json:"routes,omitempty"`
	// Pods are all pods of Sets, in any order. Their names are unique. They are looked at
	// only while [Rollout.RestartAt] asks for a restart.
	Pods []Pod `json:"pods,omitempty"`
	// WeightVerified indicates whether requests follow the weights of the status now; nil if
	// weights are not verified.
	WeightVerified *bool `json:"weightVerified,omitempty"`
}

// Options adjusts [Reconcile]. The zero Options decides as Argo Rollouts does.
type Options struct {
	// Repair lists the quirks of Argo Rollouts that plans do not have.
	Repair quirk.Set `json:"repair,omitzero"`
}

// A Service is a Service that selects pods.
type Service struct {
	Name     string            `json:"name"`
	Selector map[string]string `json:"selector,omitempty"`
	// Managed means that the Service has the annotation of a Rollout. One without it
	// selects other pods only once all of these are available.
	Managed bool `json:"managed,omitzero"`
}

// HashLabel is the key of the hash of the template on pods, on ReplicaSets and in selectors
// of Services of an Argo Rollout.
const HashLabel = "rollouts-pod-template-hash"

// A Rollout is a Rollout of Argo: a blue-green update, or a canary with or without
// traffic routing.
type Rollout struct {
	Name       string `json:"name,omitzero"`
	Generation int64  `json:"generation,omitzero"`
	Revision   int64  `json:"revision,omitzero"` // as annotated
	// TemplateHash is the hash of the template, which names the new ReplicaSet.
	TemplateHash string `json:"templateHash"`

	Replicas *int32               `json:"replicas,omitzero"` // nil means 1
	MaxSurge rollout.IntOrPercent `json:"maxSurge,omitzero"` // of a canary; unset means 25%
	// MaxUnavailable is a limit of a canary, and of a restart; unset means 25%.
	MaxUnavailable rollout.IntOrPercent `json:"maxUnavailable,omitzero"`
	Steps          []Step               `json:"steps,omitempty"` // of a canary
	// StepHash is the hash of the steps. The steps begin again if the status has another
	// one.
	StepHash          string     `json:"stepHash,omitzero"`
	ProgressThreshold *Threshold `json:"progressThreshold,omitzero"`
	// Routing is set if a canary splits requests by weights.
	Routing *Routing `json:"routing,omitempty"`
	// BlueGreen is nil for a canary.
	BlueGreen *BlueGreen `json:"blueGreen,omitempty"`

	Paused                  bool   `json:"paused,omitzero"`
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitzero"` // nil means 600, [NoDeadline] none
	ProgressDeadlineAbort   bool   `json:"progressDeadlineAbort,omitzero"`
	// RestartAt asks to replace older pods; zero if no restart is asked for.
	RestartAt time.Time `json:"restartAt,omitzero"`
	// RollbackWindow is the number of revisions over which a rollback takes no step; 0
	// means none.
	RollbackWindow int32 `json:"rollbackWindow,omitzero"`

	Status Status `json:"status,omitzero"`
}

// A BlueGreen determines how a blue-green update is promoted, and how long the old pods stay.
type BlueGreen struct {
	AutoPromotionEnabled  *bool  `json:"autoPromotionEnabled,omitzero"` // nil means true
	AutoPromotionSeconds  int32  `json:"autoPromotionSeconds,omitzero"` // 0 means at once
	PreviewReplicaCount   *int32 `json:"previewReplicaCount,omitzero"`  // nil means all
	ScaleDownDelaySeconds *int32 `json:"scaleDownDelaySeconds,omitzero"`
	// AbortScaleDownDelaySeconds is 30 if nil. With 0 the preview stays: see [AbortDelay].
	AbortScaleDownDelaySeconds *int32 `json:"abortScaleDownDelaySeconds,omitzero"`
	// ScaleDownDelayRevisionLimit is how many old ReplicaSets wait at once; nil means all.
	ScaleDownDelayRevisionLimit *int32 `json:"scaleDownDelayRevisionLimit,omitzero"`
	// PrePromotionAnalysis and PostPromotionAnalysis mean that such analyses exist.
	PrePromotionAnalysis  bool `json:"prePromotionAnalysis,omitzero"`
	PostPromotionAnalysis bool `json:"postPromotionAnalysis,omitzero"`
}

// A Routing determines how a canary splits requests by weights, and how long the old pods stay.
type Routing struct {
	MaxTrafficWeight      int32  `json:"maxTrafficWeight,omitzero"` // 0 means 100
	DynamicStableScale    bool   `json:"dynamicStableScale,omitzero"`
	MinPodsPerReplicaSet  *int32 `json:"minPodsPerReplicaSet,omitzero"`
	ScaleDownDelaySeconds *int32 `json:"scaleDownDelaySeconds,omitzero"` // nil means 30
	// AbortScaleDownDelaySeconds is 30 if nil, and 0 is no delay: see [AbortDelay].
	AbortScaleDownDelaySeconds *int32 `json:"abortScaleDownDelaySeconds,omitzero"`
	// ScaleDownDelayRevisionLimit is how many old ReplicaSets wait at once; nil means all.
	ScaleDownDelayRevisionLimit *int32 `json:"scaleDownDelayRevisionLimit,omitzero"`
}

// A ReplicaSet is a ReplicaSet of an Argo Rollout.
type ReplicaSet struct {
	Name     string `json:"name,omitzero"`
	Hash     string `json:"hash"`
	Revision int64  `json:"revision,omitzero"` // as annotated
	Size
	ReadyReplicas     int32     `json:"readyReplicas,omitzero"`
	DesiredReplicas   *int32    `json:"desiredReplicas,omitzero"` // as annotated; nil if it is not
	ScaleDownAt       time.Time `json:"scaleDownAt,omitzero"`     // as annotated; zero if it is not
	CreationTimestamp time.Time `json:"creationTimestamp,omitzero"`
	// Conditions are the conditions of its status. Only [ConditionReplicaFailure] is read.
	Conditions []kplan.Condition `json:"conditions,omitempty"`
}

// A Phase is the summary of the state of an Argo Rollout.
type Phase string

// The phases of an Argo Rollout.
const (
	PhaseHealthy     Phase = "Healthy"
	PhaseProgressing Phase = "Progressing"
	PhasePaused      Phase = "Paused"
	PhaseDegraded    Phase = "Degraded"
)

// A PauseCondition is the start time and the reason of a pause. A user removes
// it to go on.
type PauseCondition struct {
	Reason    string    `json:"reason"`
	StartTime time.Time `json:"startTime"`
}

// The reasons of pauses.
const (
	PauseStep         = "CanaryPauseStep"
	PauseBlueGreen    = "BlueGreenPause"
	PauseInconclusive = "InconclusiveAnalysisRun"
)

// A PingPong is one of two Services that take turns.
type PingPong string

// The two Services.
const (
	Ping PingPong = "ping"
	Pong PingPong = "pong"
)

// A Status is the status of an Argo Rollout.
type Status struct {
	ObservedGeneration int64  `json:"observedGeneration,omitzero"`
	Phase              Phase  `json:"phase,omitzero"`
	Message            string `json:"message,omitzero"`
	CurrentPodHash     string `json:"currentPodHash,omitzero"`
	CurrentStepHash    string `json:"currentStepHash,omitzero"` // "" if none is known
	StableRS           string `json:"stableRS,omitzero"`

	Abort           bool             `json:"abort,omitzero"`
	PromoteFull     bool             `json:"promoteFull,omitzero"`
	ControllerPause bool             `json:"controllerPause,omitzero"`
	PauseConditions []PauseCondition `json:"pauseConditions,omitempty"`

	// CurrentStepIndex is the step of a canary, from 0; nil without steps. The number of
	// steps, or one more, means that all are over.
	CurrentStepIndex *int32 `json:"currentStepIndex,omitzero"`
	// Weights are the weights by which a canary with traffic routing splits requests.
	Weights *TrafficWeights `json:"weights,omitempty"`
	// StablePingPong determines which of the ping-pong Services is the stable one: [Ping]
	// or [Pong]. Without it the stable one is [Pong].
	StablePingPong PingPong `json:"stablePingPong,omitzero"`
	Runs           Runs     `json:"runs,omitzero"`
	// RestartedAt is the [Rollout.RestartAt] that all pods have reached.
	RestartedAt time.Time `json:"restartedAt,omitzero"`
	// ActiveSelector, PreviewSelector and the checkpoint belong to a blue-green update.
	ActiveSelector           string `json:"activeSelector,omitzero"`
	PreviewSelector          string `json:"previewSelector,omitzero"`
	ScaleUpPreviewCheckPoint bool   `json:"scaleUpPreviewCheckPoint,omitzero"`

	Replicas          int32             `json:"replicas,omitzero"`
	UpdatedReplicas   int32             `json:"updatedReplicas,omitzero"`
	ReadyReplicas     int32             `json:"readyReplicas,omitzero"`
	AvailableReplicas int32             `json:"availableReplicas,omitzero"`
	Conditions        []kplan.Condition `json:"conditions,omitempty"`
}

// clone returns a copy that shares nothing with s.
func (s Status) clone() Status {
	s.CurrentStepIndex, s.Weights = zero.Copy(s.CurrentStepIndex), s.Weights.clone()
	s.Conditions, s.PauseConditions = slices.Clone(s.Conditions), slices.Clone(s.PauseConditions)
	return s
}

// A Plan is the next step of an Argo Rollout.
type Plan struct {
	// Actions are the writes, in order: [CreateReplicaSet], [EvictPod], [SelectPods],
	// [RemoveRoute], [SetRoute], [SetWeight], [ScaleReplicaSet] and [DelayReplicaSet].
	Actions Actions `json:"actions,omitempty"`
	// Holds are the reasons for which the Rollout waits.
	Holds []kplan.Hold `json:"holds,omitempty"`
	// Status is the next status, whole. Write it if it differs.
	Status Status `json:"status"`
	// RecheckAt is when to call again even if nothing changes; zero if time alone cannot
	// change the plan.
	RecheckAt time.Time `json:"recheckAt,omitzero"`
}

// String returns one line for each action and hold. It ends without a newline.
func (p Plan) String() string { return union.Lines(p.Actions, p.Holds) }

// A Pod is a pod of a ReplicaSet of an Argo Rollout, with the fields that a restart reads.
type Pod struct {
	Name              string    `json:"name"`
	CreationTimestamp time.Time `json:"creationTimestamp,omitzero"`
	Available         bool      `json:"available,omitzero"`
	Deleting          bool      `json:"deleting,omitzero"` // it has a deletion timestamp
}
