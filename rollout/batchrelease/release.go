// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/union"
	"github.com/kplan-go/kplan/internal/base/zero"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A Release is a BatchRelease: the object with which a Rollout of OpenKruise updates its workload,
// with one batch for each step.
type Release struct {
	Name              string            `json:"name"`
	UID               string            `json:"uid,omitzero"`
	Generation        int64             `json:"generation,omitzero"`
	Annotations       map[string]string `json:"annotations,omitempty"`
	Finalizers        []string          `json:"finalizers,omitempty"`
	DeletionTimestamp time.Time         `json:"deletionTimestamp,omitzero"` // zero unless being deleted

	WorkloadRef workload.Ref `json:"workloadRef"`
	ReleasePlan ReleasePlan  `json:"releasePlan"`

	Status Status `json:"status,omitzero"`
}

// A ReleasePlan holds the batches of a BatchRelease and the last one that may be released. Its
// JSON has the names and the order of the upstream type, so that Hash returns upstream's hash.
type ReleasePlan struct {
	Batches []Batch `json:"batches,omitempty"`
	// BatchPartition is the number of the last batch that may be released, from 0;
	// nil means all, and that the workload is to be given back.
	BatchPartition               *int32                     `json:"batchPartition,omitempty"`
	RolloutID                    string                     `json:"rolloutID,omitempty"`
	FailureThreshold             rollout.IntOrPercent       `json:"failureThreshold,omitzero"`
	FinalizingPolicy             FinalizingPolicy           `json:"finalizingPolicy,omitempty"`
	PatchPodTemplateMetadata     *workload.TemplateMetadata `json:"patchPodTemplateMetadata,omitempty"`
	RollingStyle                 workload.Style             `json:"rollingStyle,omitempty"`
	EnableExtraWorkloadForCanary bool                       `json:"enableExtraWorkloadForCanary"`
}

// Clone returns a plan that shares no memory with p.
func (p ReleasePlan) Clone() ReleasePlan {
	p.Batches, p.BatchPartition, p.PatchPodTemplateMetadata = slices.Clone(p.Batches), zero.Copy(p.BatchPartition), p.PatchPodTemplateMetadata.Clone()
	return p
}

// Style returns the style of the release.
func (p ReleasePlan) Style() workload.Style {
	if p.RollingStyle == "" && p.EnableExtraWorkloadForCanary {
		return workload.Canary
	}
	return p.RollingStyle
}

// driver returns the driver of a workload in the style of the plan, "" if there is none.
func (p *ReleasePlan) driver(ref workload.Ref) workload.Driver {
	d, err := workload.DriverOf(ref, p.Style())
	if err != nil {
		return ""
	}
	return d
}

// A Batch holds the number of pods that are updated after it and all earlier batches.
type Batch struct {
	CanaryReplicas rollout.IntOrPercent `json:"canaryReplicas"`
}

// A FinalizingPolicy determines whether a release that ends waits until the Deployment has updated
// all its pods. "" is Immediate. Canary releases read it, and partitioned Deployments with
// quirk.LastStepNotAwaited repaired.
type FinalizingPolicy string

// The policies.
const (
	WaitResume FinalizingPolicy = "WaitResume" // wait
	Immediate  FinalizingPolicy = "Immediate"  // do not wait
)

// A Phase is the phase of a BatchRelease.
type Phase string

// The phases of a BatchRelease.
const (
	PhaseInitial     Phase = "Initial"
	PhasePreparing   Phase = "Preparing"
	PhaseProgressing Phase = "Progressing"
	PhaseFinalizing  Phase = "Finalizing"
	PhaseCompleted   Phase = "Completed"
)

// A State is the state of the current batch.
type State string

// The states of a batch.
const (
	StateUpgrading State = "Upgrading"
	StateVerifying State = "Verifying"
	StateReady     State = "Ready"
)

// A Status is the status of a BatchRelease.
type Status struct {
	Conditions               []kplan.Condition `json:"conditions,omitempty"`
	Current                  CurrentBatch      `json:"canaryStatus"`
	StableRevision           string            `json:"stableRevision,omitempty"`
	UpdateRevision           string            `json:"updateRevision,omitempty"`
	ObservedGeneration       int64             `json:"observedGeneration,omitempty"`
	ObservedRolloutID        string            `json:"observedRolloutID,omitempty"`
	ObservedWorkloadReplicas int32             `json:"observedWorkloadReplicas"` // -1 if unknown
	CollisionCount           *int32            `json:"collisionCount,omitempty"`
	ObservedReleasePlanHash  string            `json:"observedReleasePlanHash,omitempty"`
	Phase                    Phase             `json:"phase,omitempty"`
	Message                  string            `json:"message,omitempty"`
}

// A CurrentBatch is the part of the status about the current batch.
type CurrentBatch struct {
	BatchState           State     `json:"batchState,omitempty"`
	CurrentBatch         int32     `json:"currentBatch"` // from 0
	BatchReadyTime       time.Time `json:"batchReadyTime,omitzero"`
	UpdatedReplicas      int32     `json:"updatedReplicas,omitempty"`
	UpdatedReadyReplicas int32     `json:"updatedReadyReplicas,omitempty"`
	// NoNeedUpdateReplicas are pods that have the wanted template without having
	// been updated in this release; nil unless rolling back in batches.
	NoNeedUpdateReplicas *int32 `json:"noNeedUpdateReplicas,omitempty"`
}

// Hash returns the digest of a plan, by which a BatchRelease detects changes.
func (p ReleasePlan) Hash() string {
	digest := sha256.Sum256([]byte(p.Text()))
	return hex.EncodeToString(digest[:])
}

// Text returns the JSON that [ReleasePlan.Hash] is a digest of.
func (p ReleasePlan) Text() string { return union.Text(p) }
