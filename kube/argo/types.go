// SPDX-License-Identifier: Apache-2.0

package argo

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/rollout/argo"
)

// V1alpha1 is the group and version of the API.
const V1alpha1 = "argoproj.io/v1alpha1"

// Annotations that the controller writes to ReplicaSets, Services and Rollouts.
const (
	AnnotationRevision          = "rollout.argoproj.io/revision"
	AnnotationDesiredReplicas   = "rollout.argoproj.io/desired-replicas"
	AnnotationScaleDownDeadline = "scale-down-deadline"
	AnnotationManagedBy         = "argo-rollouts.argoproj.io/managed-by-rollouts"
)

// A RolloutObject is a Rollout of argoproj.io/v1alpha1.
type RolloutObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   RolloutSpec   `json:"spec"`
	Status RolloutStatus `json:"status,omitzero"`
}

// A RolloutSpec is the spec of a [RolloutObject].
type RolloutSpec struct {
	Replicas                *int32                 `json:"replicas,omitempty"`
	Selector                *metav1.LabelSelector  `json:"selector,omitempty"`
	Template                corev1.PodTemplateSpec `json:"template,omitzero"`
	WorkloadRef             *WorkloadRef           `json:"workloadRef,omitempty"`
	MinReadySeconds         int32                  `json:"minReadySeconds,omitempty"`
	RollbackWindow          *RollbackWindow        `json:"rollbackWindow,omitempty"`
	Strategy                Strategy               `json:"strategy,omitzero"`
	RevisionHistoryLimit    *int32                 `json:"revisionHistoryLimit,omitempty"`
	Paused                  bool                   `json:"paused,omitempty"`
	ProgressDeadlineSeconds *int32                 `json:"progressDeadlineSeconds,omitempty"`
	ProgressDeadlineAbort   bool                   `json:"progressDeadlineAbort,omitempty"`
	RestartAt               *metav1.Time           `json:"restartAt,omitempty"`
	Analysis                map[string]any         `json:"analysis,omitempty"` // how many runs are kept
}

// A WorkloadRef names the workload that holds the template.
type WorkloadRef struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Name       string `json:"name,omitempty"`
	ScaleDown  string `json:"scaleDown,omitempty"`
}

// A RollbackWindow is the number of revisions that a rollback may go back without
// taking steps.
type RollbackWindow struct {
	Revisions int32 `json:"revisions,omitempty"`
}

// A Strategy is either blue-green or canary.
type Strategy struct {
	BlueGreen *BlueGreenStrategy `json:"blueGreen,omitempty"`
	Canary    *CanaryStrategy    `json:"canary,omitempty"`
}

// A BlueGreenStrategy holds the parameters of a blue-green update.
type BlueGreenStrategy struct {
	ActiveService               string              `json:"activeService"`
	PreviewService              string              `json:"previewService,omitempty"`
	PreviewReplicaCount         *int32              `json:"previewReplicaCount,omitempty"`
	AutoPromotionEnabled        *bool               `json:"autoPromotionEnabled,omitempty"`
	AutoPromotionSeconds        int32               `json:"autoPromotionSeconds,omitempty"`
	MaxUnavailable              *intstr.IntOrString `json:"maxUnavailable,omitempty"`
	ScaleDownDelaySeconds       *int32              `json:"scaleDownDelaySeconds,omitempty"`
	ScaleDownDelayRevisionLimit *int32              `json:"scaleDownDelayRevisionLimit,omitempty"`
	PrePromotionAnalysis        *Analysis           `json:"prePromotionAnalysis,omitempty"`
	AntiAffinity                map[string]any      `json:"antiAffinity,omitempty"`
	PostPromotionAnalysis       *Analysis           `json:"postPromotionAnalysis,omitempty"`
	PreviewMetadata             map[string]any      `json:"previewMetadata,omitempty"`
	ActiveMetadata              map[string]any      `json:"activeMetadata,omitempty"`
	AbortScaleDownDelaySeconds  *int32              `json:"abortScaleDownDelaySeconds,omitempty"`
}

// A CanaryStrategy holds the parameters of a canary.
type CanaryStrategy struct {
	CanaryService               string              `json:"canaryService,omitempty"`
	StableService               string              `json:"stableService,omitempty"`
	Steps                       []CanaryStep        `json:"steps,omitempty"`
	TrafficRouting              *TrafficRouting     `json:"trafficRouting,omitempty"`
	MaxUnavailable              *intstr.IntOrString `json:"maxUnavailable,omitempty"`
	MaxSurge                    *intstr.IntOrString `json:"maxSurge,omitempty"`
	Analysis                    *BackgroundAnalysis `json:"analysis,omitempty"`
	AntiAffinity                map[string]any      `json:"antiAffinity,omitempty"`
	CanaryMetadata              map[string]any      `json:"canaryMetadata,omitempty"`
	StableMetadata              map[string]any      `json:"stableMetadata,omitempty"`
	ScaleDownDelaySeconds       *int32              `json:"scaleDownDelaySeconds,omitempty"`
	ScaleDownDelayRevisionLimit *int32              `json:"scaleDownDelayRevisionLimit,omitempty"`
	AbortScaleDownDelaySeconds  *int32              `json:"abortScaleDownDelaySeconds,omitempty"`
	DynamicStableScale          bool                `json:"dynamicStableScale,omitempty"`
	PingPong                    *PingPong           `json:"pingPong,omitempty"`
	MinPodsPerReplicaSet        *int32              `json:"minPodsPerReplicaSet,omitempty"`
	ReplicaProgressThreshold    *argo.Threshold     `json:"replicaProgressThreshold,omitempty"`
}

// PingPong names two Services that take turns as the stable Service.
type PingPong struct {
	PingService string `json:"pingService"`
	PongService string `json:"pongService"`
}

// A TrafficRouting selects the router that splits the traffic by weight. The fields of each
// router are kept as they are.
type TrafficRouting struct {
	Istio            map[string]any   `json:"istio,omitempty"`
	Nginx            map[string]any   `json:"nginx,omitempty"`
	ALB              map[string]any   `json:"alb,omitempty"`
	SMI              map[string]any   `json:"smi,omitempty"`
	Ambassador       map[string]any   `json:"ambassador,omitempty"`
	AppMesh          map[string]any   `json:"appMesh,omitempty"`
	Traefik          map[string]any   `json:"traefik,omitempty"`
	ManagedRoutes    []map[string]any `json:"managedRoutes,omitempty"`
	Apisix           map[string]any   `json:"apisix,omitempty"`
	Plugins          map[string]any   `json:"plugins,omitempty"`
	MaxTrafficWeight *int32           `json:"maxTrafficWeight,omitempty"`
}

// A RolloutStatus is the status of a [RolloutObject].
type RolloutStatus struct {
	Abort                      bool               `json:"abort,omitempty"`
	PauseConditions            []PauseCondition   `json:"pauseConditions,omitempty"`
	ControllerPause            bool               `json:"controllerPause,omitempty"`
	AbortedAt                  *metav1.Time       `json:"abortedAt,omitempty"`
	CurrentPodHash             string             `json:"currentPodHash,omitempty"`
	CurrentStepHash            string             `json:"currentStepHash,omitempty"`
	Replicas                   int32              `json:"replicas,omitempty"`
	UpdatedReplicas            int32              `json:"updatedReplicas,omitempty"`
	ReadyReplicas              int32              `json:"readyReplicas,omitempty"`
	AvailableReplicas          int32              `json:"availableReplicas,omitempty"`
	CurrentStepIndex           *int32             `json:"currentStepIndex,omitempty"`
	CollisionCount             *int32             `json:"collisionCount,omitempty"`
	ObservedGeneration         string             `json:"observedGeneration,omitempty"`
	Conditions                 []RolloutCondition `json:"conditions,omitempty"`
	Canary                     CanaryStatus       `json:"canary,omitzero"`
	BlueGreen                  BlueGreenStatus    `json:"blueGreen,omitzero"`
	HPAReplicas                int32              `json:"HPAReplicas,omitempty"`
	Selector                   string             `json:"selector,omitempty"`
	StableRS                   string             `json:"stableRS,omitempty"`
	RestartedAt                *metav1.Time       `json:"restartedAt,omitempty"`
	PromoteFull                bool               `json:"promoteFull,omitempty"`
	Phase                      argo.Phase         `json:"phase,omitempty"`
	Message                    string             `json:"message,omitempty"`
	WorkloadObservedGeneration string             `json:"workloadObservedGeneration,omitempty"`
	ALB                        map[string]any     `json:"alb,omitempty"`
	ALBs                       []map[string]any   `json:"albs,omitempty"`
}

// A PauseCondition holds the time and the reason of a pause.
type PauseCondition struct {
	Reason    string      `json:"reason"`
	StartTime metav1.Time `json:"startTime"`
}

// A RolloutCondition is one observation of the state of a Rollout.
type RolloutCondition struct {
	Type               string      `json:"type"`
	Status             string      `json:"status"`
	LastUpdateTime     metav1.Time `json:"lastUpdateTime,omitzero"`
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitzero"`
	Reason             string      `json:"reason"`
	Message            string      `json:"message"`
}

// A CanaryStatus holds the fields of the status that only a canary has.
type CanaryStatus struct {
	CurrentStepAnalysisRunStatus       *RunStatus       `json:"currentStepAnalysisRunStatus,omitempty"`
	CurrentBackgroundAnalysisRunStatus *RunStatus       `json:"currentBackgroundAnalysisRunStatus,omitempty"`
	CurrentExperiment                  string           `json:"currentExperiment,omitempty"`
	Weights                            *TrafficWeights  `json:"weights,omitempty"`
	StablePingPong                     string           `json:"stablePingPong,omitempty"`
	StepPluginStatuses                 []map[string]any `json:"stepPluginStatuses,omitempty"`
}

// A BlueGreenStatus holds the fields of the status that only a blue-green update has.
type BlueGreenStatus struct {
	PreviewSelector                string     `json:"previewSelector,omitempty"`
	ActiveSelector                 string     `json:"activeSelector,omitempty"`
	ScaleUpPreviewCheckPoint       bool       `json:"scaleUpPreviewCheckPoint,omitempty"`
	PrePromotionAnalysisRunStatus  *RunStatus `json:"prePromotionAnalysisRunStatus,omitempty"`
	PostPromotionAnalysisRunStatus *RunStatus `json:"postPromotionAnalysisRunStatus,omitempty"`
}

// A RunStatus is the state of an analysis run.
type RunStatus struct {
	Name    string        `json:"name"`
	Status  argo.RunPhase `json:"status"`
	Message string        `json:"message,omitempty"`
}

// TrafficWeights are the shares of the traffic.
type TrafficWeights struct {
	Canary     WeightDestination   `json:"canary"`
	Stable     WeightDestination   `json:"stable"`
	Additional []WeightDestination `json:"additional,omitempty"`
	Verified   *bool               `json:"verified,omitempty"`
}

// A WeightDestination receives a share of the requests.
type WeightDestination struct {
	Weight          int32  `json:"weight"`
	ServiceName     string `json:"serviceName,omitempty"`
	PodTemplateHash string `json:"podTemplateHash,omitempty"`
}
