// SPDX-License-Identifier: Apache-2.0

package argo

// A Preview holds the numbers from which the size of the preview of an Argo blue-green
// update follows.
type Preview struct {
	Replicas                 int32  `json:"replicas"`
	PreviewReplicaCount      *int32 `json:"previewReplicaCount,omitzero"` // nil means all
	HasPauseConditions       bool   `json:"hasPauseConditions,omitzero"`
	PromoteFull              bool   `json:"promoteFull,omitzero"`
	ScaleUpPreviewCheckPoint bool   `json:"scaleUpPreviewCheckPoint,omitzero"`
	ActiveSelector           string `json:"activeSelector,omitzero"`
	CurrentPodHash           string `json:"currentPodHash,omitzero"`
	NewHash                  string `json:"newHash,omitzero"`
	// ActiveExists means that the ReplicaSet of ActiveSelector exists.
	ActiveExists bool `json:"activeExists,omitzero"`
}

// PreviewSize returns the size of the new ReplicaSet: the size of the preview until it is
// promoted, then the size of the Rollout.
//
// It mirrors NewRSNewReplicas of Argo Rollouts for blue-green.
func (b Preview) PreviewSize() int32 {
	if b.PreviewReplicaCount == nil {
		return b.Replicas
	}
	switch {
	case b.PromoteFull, b.ActiveSelector == "", !b.ActiveExists:
		return b.Replicas
	case b.NewHash == b.ActiveSelector:
		return b.Replicas
	case b.CurrentPodHash != b.NewHash:
		return *b.PreviewReplicaCount
	case b.ScaleUpPreviewCheckPoint && !b.HasPauseConditions:
		return b.Replicas
	}
	return *b.PreviewReplicaCount
}

// A Style is the way in which an Argo Rollout updates its pods.
type Style string

// The styles of an Argo Rollout.
const (
	StyleCanary    Style = "canary"
	StyleRouted    Style = "canaryWithTraffic"
	StyleBlueGreen Style = "blueGreen"
)

// ScaleDownDelay returns for how many seconds the old ReplicaSet keeps its pods after the
// promotion: 30 by default, and 0 in a canary without traffic routing.
func ScaleDownDelay(style Style, configured *int32) int32 {
	switch {
	case style == StyleCanary:
		return 0
	case configured == nil:
		return 30
	}
	return *configured
}
