// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// The groups and versions of the API of OpenKruise Rollouts.
const (
	V1beta1  = "rollouts.kruise.io/v1beta1"
	V1alpha1 = "rollouts.kruise.io/v1alpha1"
)

// A RolloutObject is a Rollout of rollouts.kruise.io/v1beta1 in the form of the API.
// The module of that API is not a dependency. It decodes the API server's objects and
// encodes objects that the API server accepts. Steps, traffic and references to
// workloads are types of package rollout, which have that form already.
type RolloutObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   RolloutSpec   `json:"spec"`
	Status RolloutStatus `json:"status,omitzero"`
}

// A RolloutSpec is the spec of a [RolloutObject].
type RolloutSpec struct {
	WorkloadRef workload.Ref    `json:"workloadRef"`
	Strategy    RolloutStrategy `json:"strategy"`
	Disabled    bool            `json:"disabled,omitzero"`
}

// A RolloutStrategy has one of two styles, and the field that pauses the Rollout.
type RolloutStrategy struct {
	Paused    bool             `json:"paused,omitzero"`
	Canary    *kruise.Strategy `json:"canary,omitempty"`
	BlueGreen *kruise.Strategy `json:"blueGreen,omitempty"`
}

// A RolloutStatus is the status of a [RolloutObject] and of a [RolloutObjectV1alpha1].
// At most one of CanaryStatus and BlueGreenStatus is set.
type RolloutStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitzero"`
	CanaryStatus       *CanaryStatus      `json:"canaryStatus,omitempty"`
	BlueGreenStatus    *BlueGreenStatus   `json:"blueGreenStatus,omitempty"`
	Conditions         []RolloutCondition `json:"conditions,omitempty"`
	Phase              kruise.Phase       `json:"phase,omitzero"`
	Message            string             `json:"message,omitzero"`
	CurrentStepIndex   int32              `json:"currentStepIndex"`
	CurrentStepState   kruise.StepState   `json:"currentStepState"`
}

// A RolloutCondition is one observation of the state of a Rollout or a BatchRelease.
type RolloutCondition struct {
	Type               string      `json:"type"`
	Status             string      `json:"status"`
	LastUpdateTime     metav1.Time `json:"lastUpdateTime,omitzero"`
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitzero"`
	Reason             string      `json:"reason"`
	Message            string      `json:"message"`
}

// StepsStatus is the position of a Rollout among its steps, for all styles.
type StepsStatus struct {
	ObservedWorkloadGeneration int64                 `json:"observedWorkloadGeneration,omitzero"`
	ObservedRolloutID          string                `json:"observedRolloutID,omitzero"`
	RolloutHash                string                `json:"rolloutHash,omitzero"`
	StableRevision             string                `json:"stableRevision,omitzero"`
	PodTemplateHash            string                `json:"podTemplateHash"`
	CurrentStepIndex           int32                 `json:"currentStepIndex"`
	NextStepIndex              int32                 `json:"nextStepIndex"`
	FinalisingStep             kruise.FinalisingStep `json:"finalisingStep"`
	CurrentStepState           kruise.StepState      `json:"currentStepState"`
	Message                    string                `json:"message,omitzero"`
	LastUpdateTime             *metav1.Time          `json:"lastUpdateTime,omitempty"`
}

// A CanaryStatus is the status of the styles Partition and Canary.
type CanaryStatus struct {
	StepsStatus         `json:",inline"`
	CanaryRevision      string `json:"canaryRevision"`
	CanaryReplicas      int32  `json:"canaryReplicas"`
	CanaryReadyReplicas int32  `json:"canaryReadyReplicas"`
}

// A BlueGreenStatus is the status of the style BlueGreen.
type BlueGreenStatus struct {
	StepsStatus          `json:",inline"`
	UpdatedRevision      string `json:"updatedRevision"`
	UpdatedReplicas      int32  `json:"updatedReplicas"`
	UpdatedReadyReplicas int32  `json:"updatedReadyReplicas"`
}

// A RolloutObjectV1alpha1 is a Rollout of rollouts.kruise.io/v1alpha1 in the form of
// the API. Its style is an annotation, and each step has a weight.
type RolloutObjectV1alpha1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   RolloutSpecV1alpha1 `json:"spec"`
	Status RolloutStatus       `json:"status,omitzero"`
}

// A RolloutSpecV1alpha1 is the spec of a [RolloutObjectV1alpha1].
type RolloutSpecV1alpha1 struct {
	ObjectRef WorkloadRefV1alpha1     `json:"objectRef"`
	Strategy  RolloutStrategyV1alpha1 `json:"strategy"`
	Disabled  bool                    `json:"disabled,omitzero"`
}

// A WorkloadRefV1alpha1 names a workload.
type WorkloadRefV1alpha1 struct {
	WorkloadRef *workload.Ref `json:"workloadRef,omitempty"`
}

func (r WorkloadRefV1alpha1) ref() workload.Ref {
	if r.WorkloadRef == nil {
		return workload.Ref{}
	}
	return *r.WorkloadRef
}

// A RolloutStrategyV1alpha1 has the steps, and the field that pauses the Rollout.
type RolloutStrategyV1alpha1 struct {
	Paused bool                    `json:"paused,omitzero"`
	Canary *CanaryStrategyV1alpha1 `json:"canary,omitempty"`
}

// A CanaryStrategyV1alpha1 has the steps and their options.
type CanaryStrategyV1alpha1 struct {
	Steps                    []kruise.StepV1alpha1      `json:"steps,omitempty"`
	TrafficRoutings          []traffic.Routing          `json:"trafficRoutings,omitempty"`
	FailureThreshold         rollout.IntOrPercent       `json:"failureThreshold,omitzero"`
	PatchPodTemplateMetadata *workload.TemplateMetadata `json:"patchPodTemplateMetadata,omitempty"`
}

// Rollout returns the snapshot of o. It shares maps, lists and pointers with o.
func Rollout(o *RolloutObject) kruise.Rollout {
	if o == nil {
		return kruise.Rollout{}
	}
	return kruise.Rollout{
		Name: o.Name, UID: string(o.UID), Generation: o.Generation, Annotations: o.Annotations, Finalizers: o.Finalizers,
		DeletionTimestamp: convert.TimeOrZero(o.DeletionTimestamp),
		WorkloadRef:       o.Spec.WorkloadRef, Disabled: o.Spec.Disabled,
		Paused: o.Spec.Strategy.Paused, Canary: o.Spec.Strategy.Canary, BlueGreen: o.Spec.Strategy.BlueGreen,
		Status: rolloutStatus(&o.Status),
	}
}

// RolloutV1alpha1 returns the snapshot of o; its method Convert returns the snapshot
// that the planners read. It shares maps, lists and pointers with o.
func RolloutV1alpha1(o *RolloutObjectV1alpha1) kruise.RolloutV1alpha1 {
	if o == nil {
		return kruise.RolloutV1alpha1{}
	}
	r := kruise.RolloutV1alpha1{
		Name: o.Name, UID: string(o.UID), Generation: o.Generation, Annotations: o.Annotations, Finalizers: o.Finalizers,
		DeletionTimestamp: convert.TimeOrZero(o.DeletionTimestamp),
		WorkloadRef:       o.Spec.ObjectRef.ref(), Disabled: o.Spec.Disabled, Paused: o.Spec.Strategy.Paused,
		Status: rolloutStatus(&o.Status),
	}
	if c := o.Spec.Strategy.Canary; c != nil {
		r.Steps, r.TrafficRoutings = c.Steps, c.TrafficRoutings
		r.FailureThreshold, r.PatchPodTemplateMetadata = c.FailureThreshold, c.PatchPodTemplateMetadata
	}
	return r
}

func rolloutStatus(s *RolloutStatus) kruise.Status {
	status := kruise.Status{
		ObservedGeneration: s.ObservedGeneration, Phase: s.Phase, Message: s.Message, Conditions: conditions(s.Conditions),
		CurrentStepIndex: s.CurrentStepIndex, CurrentStepState: s.CurrentStepState,
	}
	switch c, b := s.CanaryStatus, s.BlueGreenStatus; {
	case c != nil:
		status.Sub = c.sub(c.CanaryRevision, c.CanaryReplicas, c.CanaryReadyReplicas)
	case b != nil:
		status.Sub = b.sub(b.UpdatedRevision, b.UpdatedReplicas, b.UpdatedReadyReplicas)
	}
	return status
}

func (s *StepsStatus) sub(revision string, replicas, ready int32) *kruise.StepStatus {
	return &kruise.StepStatus{
		ObservedRolloutID: s.ObservedRolloutID, ObservedWorkloadGeneration: s.ObservedWorkloadGeneration, RolloutHash: s.RolloutHash,
		StableRevision: s.StableRevision, Revision: revision, PodTemplateHash: s.PodTemplateHash, Replicas: replicas, ReadyReplicas: ready,
		CurrentStepIndex: s.CurrentStepIndex, NextStepIndex: s.NextStepIndex, CurrentStepState: s.CurrentStepState,
		FinalisingStep: s.FinalisingStep, LastUpdateTime: convert.TimeOrZero(s.LastUpdateTime), Message: s.Message,
	}
}

func conditions(list []RolloutCondition) []kplan.Condition {
	var converted []kplan.Condition
	for i := range list {
		c := &list[i]
		converted = append(converted, kplan.Condition{
			Type: c.Type, Status: kplan.ConditionStatus(c.Status), Reason: c.Reason, Message: c.Message,
			LastUpdateTime: convert.TimeOrZero(&c.LastUpdateTime), LastTransitionTime: convert.TimeOrZero(&c.LastTransitionTime),
		})
	}
	return converted
}

// ToRolloutStatus returns the status of a plan in the form of the API, for the status
// subresource. The style is the Rollout's.
func ToRolloutStatus(s kruise.Status, style workload.Style) RolloutStatus {
	status := RolloutStatus{
		ObservedGeneration: s.ObservedGeneration, Phase: s.Phase, Message: s.Message, Conditions: toConditions(s.Conditions),
		CurrentStepIndex: s.CurrentStepIndex, CurrentStepState: s.CurrentStepState,
	}
	switch sub := s.Sub; {
	case sub == nil:
	case style == workload.BlueGreen:
		status.BlueGreenStatus = &BlueGreenStatus{stepsStatus(sub), sub.Revision, sub.Replicas, sub.ReadyReplicas}
	default:
		status.CanaryStatus = &CanaryStatus{stepsStatus(sub), sub.Revision, sub.Replicas, sub.ReadyReplicas}
	}
	return status
}

func stepsStatus(s *kruise.StepStatus) StepsStatus {
	return StepsStatus{
		ObservedWorkloadGeneration: s.ObservedWorkloadGeneration, ObservedRolloutID: s.ObservedRolloutID, RolloutHash: s.RolloutHash,
		StableRevision: s.StableRevision, PodTemplateHash: s.PodTemplateHash, CurrentStepIndex: s.CurrentStepIndex,
		NextStepIndex: s.NextStepIndex, FinalisingStep: s.FinalisingStep, CurrentStepState: s.CurrentStepState,
		Message: s.Message, LastUpdateTime: timeOrNil(s.LastUpdateTime),
	}
}

func toConditions(list []kplan.Condition) []RolloutCondition {
	var converted []RolloutCondition
	for _, c := range list {
		converted = append(converted, RolloutCondition{
			Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message,
			LastUpdateTime: metav1.NewTime(c.LastUpdateTime), LastTransitionTime: metav1.NewTime(c.LastTransitionTime),
		})
	}
	return converted
}

// ToRollout returns r as an object of a namespace. It shares the strategy and the
// status of its steps with r.
func ToRollout(namespace string, r kruise.Rollout) *RolloutObject {
	return &RolloutObject{
		TypeMeta:   metav1.TypeMeta{APIVersion: V1beta1, Kind: "Rollout"},
		ObjectMeta: toMeta(namespace, r.Name, r.UID, r.Generation, r.Annotations, r.Finalizers, r.DeletionTimestamp),
		Spec: RolloutSpec{
			WorkloadRef: r.WorkloadRef, Disabled: r.Disabled,
			Strategy: RolloutStrategy{Paused: r.Paused, Canary: r.Canary, BlueGreen: r.BlueGreen},
		},
		Status: ToRolloutStatus(r.Status, r.Style()),
	}
}

// ToRolloutV1alpha1 returns r as an object of a namespace. It shares the steps and the
// routings with r.
func ToRolloutV1alpha1(namespace string, r kruise.RolloutV1alpha1) *RolloutObjectV1alpha1 {
	o := &RolloutObjectV1alpha1{
		TypeMeta:   metav1.TypeMeta{APIVersion: V1alpha1, Kind: "Rollout"},
		ObjectMeta: toMeta(namespace, r.Name, r.UID, r.Generation, r.Annotations, r.Finalizers, r.DeletionTimestamp),
		Status:     ToRolloutStatus(r.Status, workload.Partition),
	}
	o.Spec = RolloutSpecV1alpha1{ObjectRef: WorkloadRefV1alpha1{&r.WorkloadRef}, Disabled: r.Disabled}
	o.Spec.Strategy.Paused = r.Paused
	o.Spec.Strategy.Canary = &CanaryStrategyV1alpha1{r.Steps, r.TrafficRoutings, r.FailureThreshold, r.PatchPodTemplateMetadata}
	return o
}

func toMeta(namespace, name, uid string, generation int64, annotations map[string]string, finalizers []string, deletion time.Time) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: namespace, Name: name, UID: types.UID(uid), Generation: generation,
		Annotations: maps.Clone(annotations), Finalizers: slices.Clone(finalizers), DeletionTimestamp: timeOrNil(deletion),
	}
}

// timeOrNil is the inverse of convert.TimeOrZero.
func timeOrNil(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	return ptr.To(metav1.NewTime(t))
}
