package rollout

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/kplan-go/kplan/internal/union"
)

// A BatchRelease is the internal object through which a Rollout drives its workload:
// one batch for each step.
type BatchRelease struct {
	Name              string            `json:"name"`
	UID               string            `json:"uid,omitzero"`
	Generation        int64             `json:"generation,omitzero"`
	Annotations       map[string]string `json:"annotations,omitempty"`
	Finalizers        []string          `json:"finalizers,omitempty"`
	DeletionTimestamp time.Time         `json:"deletionTimestamp,omitzero"` // zero unless being deleted

	WorkloadRef WorkloadRef `json:"workloadRef"`
	ReleasePlan ReleasePlan `json:"releasePlan"`

	Status BatchStatus `json:"status,omitzero"`
}

// A ReleasePlan is the batches of a BatchRelease and how far it may go. Its JSON is
// that of the API, in the order of its members.
type ReleasePlan struct {
	Batches []Batch `json:"batches,omitempty"`
	// BatchPartition is the number of the last batch that may be released, from 0;
	// nil means all, and that the workload is to be given back.
	BatchPartition               *int32            `json:"batchPartition,omitempty"`
	RolloutID                    string            `json:"rolloutID,omitempty"`
	FailureThreshold             IntOrPercent      `json:"failureThreshold,omitzero"`
	FinalizingPolicy             FinalizingPolicy  `json:"finalizingPolicy,omitempty"`
	PatchPodTemplateMetadata     *TemplateMetadata `json:"patchPodTemplateMetadata,omitempty"`
	RollingStyle                 Style             `json:"rollingStyle,omitempty"`
	EnableExtraWorkloadForCanary bool              `json:"enableExtraWorkloadForCanary"`
}

// Style returns the style in which the workload is driven.
func (p ReleasePlan) Style() Style {
	if p.RollingStyle == "" && p.EnableExtraWorkloadForCanary {
		return Canary
	}
	return p.RollingStyle
}

// driver returns the driver of a workload under the plan, "" if it has none.
func (p *ReleasePlan) driver(ref WorkloadRef) Driver {
	d, err := DriverOf(ref, p.Style())
	if err != nil {
		return ""
	}
	return d
}

// A Batch is how many pods are updated once it is released.
type Batch struct {
	CanaryReplicas IntOrPercent `json:"canaryReplicas"`
}

// A FinalizingPolicy says whether giving a workload back waits for its pods.
type FinalizingPolicy string

// The policies.
const (
	WaitResume FinalizingPolicy = "WaitResume"
	Immediate  FinalizingPolicy = "Immediate"
)

// A BatchPhase is where a BatchRelease stands.
type BatchPhase string

// The phases of a BatchRelease.
const (
	BatchInitial     BatchPhase = "Initial"
	BatchPreparing   BatchPhase = "Preparing"
	BatchProgressing BatchPhase = "Progressing"
	BatchFinalizing  BatchPhase = "Finalizing"
	BatchCompleted   BatchPhase = "Completed"
)

// A BatchState is where a batch stands.
type BatchState string

// The states of a batch.
const (
	BatchUpgrading BatchState = "Upgrading"
	BatchVerifying BatchState = "Verifying"
	BatchReady     BatchState = "Ready"
)

// A BatchStatus is what a BatchRelease reports.
type BatchStatus struct {
	Conditions               []Condition  `json:"conditions,omitempty"`
	Current                  CurrentBatch `json:"canaryStatus"`
	StableRevision           string       `json:"stableRevision,omitempty"`
	UpdateRevision           string       `json:"updateRevision,omitempty"`
	ObservedGeneration       int64        `json:"observedGeneration,omitempty"`
	ObservedRolloutID        string       `json:"observedRolloutID,omitempty"`
	ObservedWorkloadReplicas int32        `json:"observedWorkloadReplicas"` // -1 if unknown
	CollisionCount           *int32       `json:"collisionCount,omitempty"`
	ObservedReleasePlanHash  string       `json:"observedReleasePlanHash,omitempty"`
	Phase                    BatchPhase   `json:"phase,omitempty"`
	Message                  string       `json:"message,omitempty"`
}

// A CurrentBatch is where a BatchRelease stands among its batches.
type CurrentBatch struct {
	BatchState           BatchState `json:"batchState,omitempty"`
	CurrentBatch         int32      `json:"currentBatch"` // from 0
	BatchReadyTime       time.Time  `json:"batchReadyTime,omitzero"`
	UpdatedReplicas      int32      `json:"updatedReplicas,omitempty"`
	UpdatedReadyReplicas int32      `json:"updatedReadyReplicas,omitempty"`
	// NoNeedUpdateReplicas are pods that have the wanted template without having
	// been updated in this release; nil unless rolling back in batches.
	NoNeedUpdateReplicas *int32 `json:"noNeedUpdateReplicas,omitempty"`
}

// Hash returns the digest of a plan by which a BatchRelease tells that it changed.
func (p ReleasePlan) Hash() string {
	digest := sha256.Sum256([]byte(p.Text()))
	return hex.EncodeToString(digest[:])
}

// Text returns the JSON that [ReleasePlan.Hash] is a digest of.
func (p ReleasePlan) Text() string { return union.Text(p) }
