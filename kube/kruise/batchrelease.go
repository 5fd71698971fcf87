// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A BatchReleaseObject is a BatchRelease of rollouts.kruise.io/v1beta1 in the form of
// the API, see [RolloutObject].
type BatchReleaseObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   BatchReleaseSpec   `json:"spec"`
	Status BatchReleaseStatus `json:"status,omitzero"`
}

// A BatchReleaseSpec is the spec of a [BatchReleaseObject].
type BatchReleaseSpec struct {
	WorkloadRef workload.Ref             `json:"workloadRef"`
	ReleasePlan batchrelease.ReleasePlan `json:"releasePlan"`
}

// A BatchReleaseObjectV1alpha1 is a BatchRelease of rollouts.kruise.io/v1alpha1 in the
// form of the API. Its style is an annotation.
type BatchReleaseObjectV1alpha1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   BatchReleaseSpecV1alpha1 `json:"spec"`
	Status BatchReleaseStatus       `json:"status,omitzero"`
}

// A BatchReleaseSpecV1alpha1 is the spec of a [BatchReleaseObjectV1alpha1].
type BatchReleaseSpecV1alpha1 struct {
	TargetReference WorkloadRefV1alpha1      `json:"targetReference"`
	ReleasePlan     batchrelease.ReleasePlan `json:"releasePlan"`
}

// A BatchReleaseStatus is the status of a BatchRelease of either version.
type BatchReleaseStatus struct {
	Conditions               []RolloutCondition `json:"conditions,omitempty"`
	CanaryStatus             BatchStatus        `json:"canaryStatus,omitzero"`
	StableRevision           string             `json:"stableRevision,omitzero"`
	UpdateRevision           string             `json:"updateRevision,omitzero"`
	ObservedGeneration       int64              `json:"observedGeneration,omitzero"`
	ObservedRolloutID        string             `json:"observedRolloutID,omitzero"`
	ObservedWorkloadReplicas int32              `json:"observedWorkloadReplicas"`
	CollisionCount           *int32             `json:"collisionCount,omitempty"`
	ObservedReleasePlanHash  string             `json:"observedReleasePlanHash,omitzero"`
	Phase                    batchrelease.Phase `json:"phase,omitzero"`
	Message                  string             `json:"message,omitzero"`
}

// A BatchStatus is the position of a BatchRelease among its batches.
type BatchStatus struct {
	BatchState           batchrelease.State `json:"batchState,omitzero"`
	CurrentBatch         int32              `json:"currentBatch"`
	BatchReadyTime       *metav1.Time       `json:"batchReadyTime,omitempty"`
	UpdatedReplicas      int32              `json:"updatedReplicas,omitzero"`
	UpdatedReadyReplicas int32              `json:"updatedReadyReplicas,omitzero"`
	NoNeedUpdateReplicas *int32             `json:"noNeedUpdateReplicas,omitempty"`
}

// BatchRelease returns the snapshot of o. It shares maps, lists and pointers with o.
func BatchRelease(o *BatchReleaseObject) batchrelease.Release {
	if o == nil {
		return batchrelease.Release{}
	}
	return batchRelease(&o.ObjectMeta, o.Spec.WorkloadRef, o.Spec.ReleasePlan, &o.Status)
}

// BatchReleaseV1alpha1 returns the snapshot of o in the current version of the API: the
// style comes from the annotation [workload.AnnotationRollingStyle]. It shares maps,
// lists and pointers with o.
func BatchReleaseV1alpha1(o *BatchReleaseObjectV1alpha1) batchrelease.Release {
	if o == nil {
		return batchrelease.Release{}
	}
	plan := o.Spec.ReleasePlan
	plan.RollingStyle = ""
	for _, style := range []workload.Style{workload.Partition, workload.Canary, workload.BlueGreen} {
		if strings.EqualFold(o.Annotations[workload.AnnotationRollingStyle], string(style)) {
			plan.RollingStyle = style
		}
	}
	return batchRelease(&o.ObjectMeta, o.Spec.TargetReference.ref(), plan, &o.Status)
}

func batchRelease(meta *metav1.ObjectMeta, ref workload.Ref, plan batchrelease.ReleasePlan, s *BatchReleaseStatus) batchrelease.Release {
	c := &s.CanaryStatus
	return batchrelease.Release{
		Name: meta.Name, UID: string(meta.UID), Generation: meta.Generation, Annotations: meta.Annotations, Finalizers: meta.Finalizers,
		DeletionTimestamp: convert.TimeOrZero(meta.DeletionTimestamp), WorkloadRef: ref, ReleasePlan: plan,
		Status: batchrelease.Status{
			Conditions: conditions(s.Conditions),
			Current: batchrelease.CurrentBatch{
				BatchState: c.BatchState, CurrentBatch: c.CurrentBatch, BatchReadyTime: convert.TimeOrZero(c.BatchReadyTime),
				UpdatedReplicas: c.UpdatedReplicas, UpdatedReadyReplicas: c.UpdatedReadyReplicas, NoNeedUpdateReplicas: c.NoNeedUpdateReplicas,
			},
			StableRevision: s.StableRevision, UpdateRevision: s.UpdateRevision, ObservedGeneration: s.ObservedGeneration,
			ObservedRolloutID: s.ObservedRolloutID, ObservedWorkloadReplicas: s.ObservedWorkloadReplicas, CollisionCount: s.CollisionCount,
			ObservedReleasePlanHash: s.ObservedReleasePlanHash, Phase: s.Phase, Message: s.Message,
		},
	}
}

// ToBatchReleaseStatus returns the status of a plan in the form of the API, for the
// status subresource.
func ToBatchReleaseStatus(s batchrelease.Status) BatchReleaseStatus {
	c := &s.Current
	return BatchReleaseStatus{
		Conditions: toConditions(s.Conditions),
		CanaryStatus: BatchStatus{
			BatchState: c.BatchState, CurrentBatch: c.CurrentBatch, BatchReadyTime: timeOrNil(c.BatchReadyTime),
			UpdatedReplicas: c.UpdatedReplicas, UpdatedReadyReplicas: c.UpdatedReadyReplicas, NoNeedUpdateReplicas: convert.Clone(c.NoNeedUpdateReplicas),
		},
		StableRevision: s.StableRevision, UpdateRevision: s.UpdateRevision, ObservedGeneration: s.ObservedGeneration,
		ObservedRolloutID: s.ObservedRolloutID, ObservedWorkloadReplicas: s.ObservedWorkloadReplicas, CollisionCount: convert.Clone(s.CollisionCount),
		ObservedReleasePlanHash: s.ObservedReleasePlanHash, Phase: s.Phase, Message: s.Message,
	}
}

// ToBatchRelease returns br as an object of a namespace. It shares the plan with br.
func ToBatchRelease(namespace string, br batchrelease.Release) *BatchReleaseObject {
	return &BatchReleaseObject{
		TypeMeta:   metav1.TypeMeta{APIVersion: V1beta1, Kind: "BatchRelease"},
		ObjectMeta: toMeta(namespace, br.Name, br.UID, br.Generation, br.Annotations, br.Finalizers, br.DeletionTimestamp),
		Spec:       BatchReleaseSpec{WorkloadRef: br.WorkloadRef, ReleasePlan: br.ReleasePlan},
		Status:     ToBatchReleaseStatus(br.Status),
	}
}

// NewBatchRelease returns the object that a creates in a namespace. Its owner is the
// Rollout with the same name.
func NewBatchRelease(namespace string, a kruise.CreateBatchRelease) *BatchReleaseObject {
	o := ToBatchRelease(namespace, batchrelease.Release{
		Name: a.Name, Annotations: a.Annotations, WorkloadRef: a.WorkloadRef, ReleasePlan: a.ReleasePlan,
	})
	o.Status = BatchReleaseStatus{}
	o.OwnerReferences = []metav1.OwnerReference{rolloutOwner(a.Name, a.OwnerUID)}
	return o
}

// UpdatedBatchRelease returns a copy of o with the spec and the annotations of a. It
// keeps its resource version, so that an update fails if o has changed since. It shares
// the plan with a.
func UpdatedBatchRelease(o *BatchReleaseObject, a kruise.UpdateBatchRelease) *BatchReleaseObject {
	o = convert.Or(o)
	updated := *o
	o.ObjectMeta.DeepCopyInto(&updated.ObjectMeta)
	updated.Annotations = maps.Clone(a.Annotations)
	updated.Spec = BatchReleaseSpec{WorkloadRef: a.WorkloadRef, ReleasePlan: a.ReleasePlan}
	return &updated
}
