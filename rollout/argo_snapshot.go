package rollout

import (
	"time"

	"github.com/kplan-go/kplan/internal/union"
)

// An ArgoSnapshot is everything that [ArgoReconcile] looks at.
type ArgoSnapshot struct {
	Rollout ArgoObject `json:"rollout"`
	// Sets are the ReplicaSets that the Rollout controls, in any order. Their hashes are
	// unique.
	Sets []ArgoReplicaSet `json:"sets,omitempty"`
	// Active and Preview are the Services of a blue-green update; Preview is nil if there
	// is none.
	Active  *ArgoService `json:"active,omitempty"`
	Preview *ArgoService `json:"preview,omitempty"`
}

// ArgoOptions adjusts [ArgoReconcile]. There is nothing to adjust yet: it decides as Argo
// Rollouts does, and no quirk of that is known.
type ArgoOptions struct{}

// An ArgoService is a Service that selects pods.
type ArgoService struct {
	Name     string            `json:"name"`
	Selector map[string]string `json:"selector,omitempty"`
}

// ArgoHashLabel is the key by which pods, ReplicaSets and Services of an Argo Rollout
// tell the template.
const ArgoHashLabel = "rollouts-pod-template-hash"

// An ArgoObject is a Rollout of Argo: a blue-green update, or a canary without traffic
// routing.
type ArgoObject struct {
	Name       string `json:"name,omitzero"`
	Generation int64  `json:"generation,omitzero"`
	Revision   int64  `json:"revision,omitzero"` // as annotated
	// TemplateHash is the hash of the template, which names the new ReplicaSet.
	TemplateHash string `json:"templateHash"`

	Replicas       *int32       `json:"replicas,omitzero"`       // nil means 1
	MaxSurge       IntOrPercent `json:"maxSurge,omitzero"`       // of a canary; unset means 25%
	MaxUnavailable IntOrPercent `json:"maxUnavailable,omitzero"` // of a canary; unset means 25%
	Steps          []ArgoStep   `json:"steps,omitempty"`         // of a canary
	// StepsChanged tells that the status was written for other steps.
	StepsChanged      bool           `json:"stepsChanged,omitzero"`
	ProgressThreshold *ArgoThreshold `json:"progressThreshold,omitzero"`
	// BlueGreen is nil for a canary.
	BlueGreen *ArgoPreview `json:"blueGreen,omitempty"`

	Paused                  bool   `json:"paused,omitzero"`
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitzero"` // nil means 600, [ArgoNoDeadline] none
	ProgressDeadlineAbort   bool   `json:"progressDeadlineAbort,omitzero"`
	// RollbackWindow is how many revisions a rollback may skip so that no step is taken;
	// 0 means none.
	RollbackWindow int32 `json:"rollbackWindow,omitzero"`

	Status ArgoStatus `json:"status,omitzero"`
}

// An ArgoPreview is how a blue-green update is promoted, and what becomes of the old
// pods.
type ArgoPreview struct {
	AutoPromotionEnabled  *bool  `json:"autoPromotionEnabled,omitzero"` // nil means true
	AutoPromotionSeconds  int32  `json:"autoPromotionSeconds,omitzero"` // 0 means at once
	PreviewReplicaCount   *int32 `json:"previewReplicaCount,omitzero"`  // nil means all
	ScaleDownDelaySeconds *int32 `json:"scaleDownDelaySeconds,omitzero"`
	// AbortScaleDownDelaySeconds is 30 if nil, and never if 0.
	AbortScaleDownDelaySeconds *int32 `json:"abortScaleDownDelaySeconds,omitzero"`
	// ScaleDownDelayRevisionLimit is how many old ReplicaSets wait at once; nil means all.
	ScaleDownDelayRevisionLimit *int32 `json:"scaleDownDelayRevisionLimit,omitzero"`
}

// An ArgoReplicaSet is a ReplicaSet of an Argo Rollout.
type ArgoReplicaSet struct {
	Name     string `json:"name,omitzero"`
	Hash     string `json:"hash"`
	Revision int64  `json:"revision,omitzero"` // as annotated
	ArgoSet
	ReadyReplicas     int32     `json:"readyReplicas,omitzero"`
	DesiredReplicas   *int32    `json:"desiredReplicas,omitzero"` // as annotated; nil if it is not
	ScaleDownAt       time.Time `json:"scaleDownAt,omitzero"`     // as annotated; zero if it is not
	CreationTimestamp time.Time `json:"creationTimestamp,omitzero"`
}

// An ArgoPhase is where an Argo Rollout stands.
type ArgoPhase string

// The phases of an Argo Rollout.
const (
	ArgoHealthy     ArgoPhase = "Healthy"
	ArgoProgressing ArgoPhase = "Progressing"
	ArgoPaused      ArgoPhase = "Paused"
	ArgoDegraded    ArgoPhase = "Degraded"
)

// An ArgoPauseCondition says since when a Rollout is paused, and why. A person removes
// it to go on.
type ArgoPauseCondition struct {
	Reason    string    `json:"reason"`
	StartTime time.Time `json:"startTime"`
}

// The reasons of pauses.
const (
	ArgoPauseStep         = "CanaryPauseStep"
	ArgoPauseBlueGreen    = "BlueGreenPause"
	ArgoPauseInconclusive = "InconclusiveAnalysisRun"
)

// An ArgoStatus is what an Argo Rollout reports.
type ArgoStatus struct {
	ObservedGeneration int64     `json:"observedGeneration,omitzero"`
	Phase              ArgoPhase `json:"phase,omitzero"`
	Message            string    `json:"message,omitzero"`
	CurrentPodHash     string    `json:"currentPodHash,omitzero"`
	StableRS           string    `json:"stableRS,omitzero"`

	Abort           bool                 `json:"abort,omitzero"`
	PromoteFull     bool                 `json:"promoteFull,omitzero"`
	ControllerPause bool                 `json:"controllerPause,omitzero"`
	PauseConditions []ArgoPauseCondition `json:"pauseConditions,omitempty"`

	// CurrentStepIndex is that of a canary, from 0; nil without steps. The number of steps,
	// or one more, means that all are over.
	CurrentStepIndex *int32 `json:"currentStepIndex,omitzero"`
	// ActiveSelector, PreviewSelector and the checkpoint are those of a blue-green update.
	ActiveSelector           string `json:"activeSelector,omitzero"`
	PreviewSelector          string `json:"previewSelector,omitzero"`
	ScaleUpPreviewCheckPoint bool   `json:"scaleUpPreviewCheckPoint,omitzero"`

	Replicas          int32           `json:"replicas,omitzero"`
	UpdatedReplicas   int32           `json:"updatedReplicas,omitzero"`
	ReadyReplicas     int32           `json:"readyReplicas,omitzero"`
	AvailableReplicas int32           `json:"availableReplicas,omitzero"`
	Conditions        []ArgoCondition `json:"conditions,omitempty"`
}

// An ArgoPlan is the next step of an Argo Rollout.
type ArgoPlan struct {
	// Actions are the writes, in order: [CreateReplicaSet], [ScaleReplicaSet],
	// [DelayReplicaSet] and [ArgoSelectPods].
	Actions ArgoActions `json:"actions,omitempty"`
	// Holds are what the Rollout waits for.
	Holds []ArgoHold `json:"holds,omitempty"`
	// Status is the next status, whole. Write it if it differs.
	Status ArgoStatus `json:"status"`
	// RecheckAt is when to call again even if nothing changes; zero if time alone cannot
	// change the plan.
	RecheckAt time.Time `json:"recheckAt,omitzero"`
}

// String returns one line for each action and hold. It ends without a newline.
func (p ArgoPlan) String() string { return union.Lines(p.Actions, p.Holds) }
