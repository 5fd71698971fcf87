// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/base/union"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A Workload holds the fields of a Deployment, CloneSet, StatefulSet or DaemonSet that a
// BatchRelease and admission read.
type Workload struct {
	Ref
	UID         string            `json:"uid,omitzero"`
	Generation  int64             `json:"generation,omitzero"`
	Labels      map[string]string `json:"labels,omitzero"`
	Annotations map[string]string `json:"annotations,omitzero"`

	// Replicas is the number of wanted pods; nil means 1. For a DaemonSet it is the
	// status desiredNumberScheduled.
	Replicas *int32            `json:"replicas,omitzero"`
	Template revision.Template `json:"template,omitzero"`
	Paused   bool              `json:"paused,omitzero"`
	// StrategyType is the type of the (update) strategy.
	StrategyType string `json:"strategyType,omitzero"`
	// RollingUpdate holds the limits. Nil means that the block is absent.
	RollingUpdate *partition.RollingUpdate `json:"rollingUpdate,omitempty"`
	// Partition is the number of pods that stay old; unset if absent. A Deployment has none.
	Partition rollout.IntOrPercent `json:"partition,omitzero"`
	// Unordered means that a StatefulSet of OpenKruise is updated in any order.
	Unordered               bool   `json:"unordered,omitzero"`
	MinReadySeconds         int32  `json:"minReadySeconds,omitzero"`
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitzero"` // nil means 600

	StableRevision string `json:"stableRevision,omitzero"` // before the update
	UpdateRevision string `json:"updateRevision,omitzero"` // after it

	Status Status `json:"status,omitzero"`
}

// A Status is the status of a workload.
type Status struct {
	ObservedGeneration   int64 `json:"observedGeneration,omitzero"`
	Replicas             int32 `json:"replicas,omitzero"`
	ReadyReplicas        int32 `json:"readyReplicas,omitzero"`
	AvailableReplicas    int32 `json:"availableReplicas,omitzero"`
	UpdatedReplicas      int32 `json:"updatedReplicas,omitzero"`
	UpdatedReadyReplicas int32 `json:"updatedReadyReplicas,omitzero"`
}

// DesiredReplicas returns the number of wanted pods.
func (w *Workload) DesiredReplicas() int32 {
	if w.Replicas == nil {
		return 1
	}
	return *w.Replicas
}

// Limits returns the limits of a rolling update, unset ones without a rolling update.
func (w *Workload) Limits() partition.RollingUpdate {
	if w.RollingUpdate == nil {
		return partition.RollingUpdate{}
	}
	return *w.RollingUpdate
}

// A Pod holds the fields of a pod that batches read.
type Pod struct {
	Name              string            `json:"name"`
	UID               string            `json:"uid,omitzero"`
	Labels            map[string]string `json:"labels,omitempty"`
	Ready             bool              `json:"ready,omitzero"`
	DeletionTimestamp time.Time         `json:"deletionTimestamp,omitzero"` // zero unless being deleted
	// TemplateHash is the hash of the template of the ReplicaSet that owns the pod, "" without
	// such an owner. It is read if the pod has no label controller-revision-hash.
	TemplateHash string `json:"templateHash,omitzero"`
}

// OfRevision reports whether the pod is of a revision, by its hash or by a name that ends
// with the hash.
func (p *Pod) OfRevision(rev string, repair quirk.Set) bool {
	return MatchesHash(rev, p.Labels[LabelPodTemplateHash], repair) || MatchesHash(rev, p.Labels[LabelControllerRevision], repair)
}

// MatchesHash reports whether a revision ends with a hash that is not empty. Upstream ignores
// the part before it ([quirk.HashSuffixMatches]).
func MatchesHash(rev, hash string, repair quirk.Set) bool {
	before, ends := strings.CutSuffix(rev, hash)
	return hash != "" && ends && (before == "" || strings.HasSuffix(before, "-") || !repair.Has(quirk.HashSuffixMatches))
}

// controlInfo is the annotation by which a workload names its BatchRelease.
type controlInfo struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	Name               string `json:"name"`
	UID                string `json:"uid"`
	Controller         bool   `json:"controller"`
	BlockOwnerDeletion bool   `json:"blockOwnerDeletion"`
}

// ControlInfo returns the annotation [partition.AnnotationControlInfo] of a workload driven by
// the BatchRelease with the name and the UID.
func ControlInfo(name, uid string) string {
	return union.Text(controlInfo{
		APIVersion: "rollouts.kruise.io/v1beta1", Kind: "BatchRelease", Name: name, UID: uid,
		Controller: true, BlockOwnerDeletion: true,
	})
}

// ControlledBy returns the UID of the BatchRelease that drives a workload, "" if none
// does or the annotation cannot be read.
func (w Workload) ControlledBy() string {
	var info controlInfo
	if json.Unmarshal([]byte(w.Annotations[partition.AnnotationControlInfo]), &info) != nil {
		return ""
	}
	return info.UID
}

// DrivenBy returns the name of the BatchRelease that a workload names, or "".
func (w *Workload) DrivenBy() string {
	var info controlInfo
	if json.Unmarshal([]byte(w.Annotations[partition.AnnotationControlInfo]), &info) != nil || info.Kind != "BatchRelease" {
		return ""
	}
	return info.Name
}

// UnderPartition reports whether a Deployment is under the control of a BatchRelease that
// updates it by partition.
func (w *Workload) UnderPartition() bool {
	return w.Annotations[partition.AnnotationControlInfo] != "" && w.StrategyType == "Recreate" && w.Paused
}

// An OriginalStrategy holds the fields that the annotation [AnnotationOriginalStrategy] saves
// while a workload is released blue-green, so that they can be restored.
type OriginalStrategy struct {
	MaxUnavailable          *rollout.IntOrPercent `json:"maxUnavailable,omitempty"`
	MaxSurge                *rollout.IntOrPercent `json:"maxSurge,omitempty"`
	MinReadySeconds         int32                 `json:"minReadySeconds,omitempty"`
	ProgressDeadlineSeconds *int32                `json:"progressDeadlineSeconds,omitempty"`
}

// ParseOriginal reads the annotation. An annotation that cannot be read is the zero value.
func ParseOriginal(text string) OriginalStrategy {
	var o OriginalStrategy
	if json.Unmarshal([]byte(text), &o) != nil {
		return OriginalStrategy{}
	}
	return o
}
