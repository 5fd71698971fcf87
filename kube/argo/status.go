// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/rollout/argo"
)

// ToStatus returns the status of o after a plan, for the status subresource. Fields that
// plans do not know stay unchanged, such as the names of runs that are still watched. The
// caller sets abortedAt, the time of an abort.
func ToStatus(o *RolloutObject, s argo.Status) RolloutStatus {
	status := RolloutStatus{}
	if o != nil {
		status = o.Status
	}
	if same(&status, s) {
		return status
	}
	status.Abort, status.ControllerPause, status.PromoteFull = s.Abort, s.ControllerPause, s.PromoteFull
	status.CurrentPodHash, status.CurrentStepHash, status.StableRS = s.CurrentPodHash, s.CurrentStepHash, s.StableRS
	status.Replicas, status.UpdatedReplicas, status.ReadyReplicas = s.Replicas, s.UpdatedReplicas, s.ReadyReplicas
	status.AvailableReplicas, status.Phase, status.Message = s.AvailableReplicas, s.Phase, s.Message
	status.CurrentStepIndex, status.ObservedGeneration = convert.Clone(s.CurrentStepIndex), ""
	if s.ObservedGeneration != 0 {
		status.ObservedGeneration = strconv.FormatInt(s.ObservedGeneration, 10)
	}
	status.RestartedAt = nil
	if at := metav1.NewTime(s.RestartedAt); !at.IsZero() {
		status.RestartedAt = &at
	}
	if !s.Abort {
		status.AbortedAt = nil
	}
	status.PauseConditions, status.Conditions = nil, nil
	for _, c := range s.PauseConditions {
		status.PauseConditions = append(status.PauseConditions, PauseCondition{c.Reason, metav1.NewTime(c.StartTime)})
	}
	for _, c := range s.Conditions {
		status.Conditions = append(status.Conditions, RolloutCondition{
			Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message,
			LastUpdateTime: metav1.NewTime(c.LastUpdateTime), LastTransitionTime: metav1.NewTime(c.LastTransitionTime),
		})
	}
	canary, green := &status.Canary, &status.BlueGreen
	green.ActiveSelector, green.PreviewSelector, green.ScaleUpPreviewCheckPoint = s.ActiveSelector, s.PreviewSelector, s.ScaleUpPreviewCheckPoint
	canary.CurrentStepAnalysisRunStatus = toRun(canary.CurrentStepAnalysisRunStatus, s.Runs.Step)
	canary.CurrentBackgroundAnalysisRunStatus = toRun(canary.CurrentBackgroundAnalysisRunStatus, s.Runs.Background)
	green.PrePromotionAnalysisRunStatus = toRun(green.PrePromotionAnalysisRunStatus, s.Runs.PrePromotion)
	green.PostPromotionAnalysisRunStatus = toRun(green.PostPromotionAnalysisRunStatus, s.Runs.PostPromotion)
	canary.Weights = toWeights(canary.Weights, s.Weights)
	canary.StablePingPong = string(s.StablePingPong)
	return status
}

// toRun returns the status of a run, with its name unchanged.
func toRun(o *RunStatus, r argo.Run) *RunStatus {
	if r == (argo.Run{}) {
		return nil
	}
	next := RunStatus{Status: r.Phase, Message: r.Message}
	if o != nil {
		next.Name = o.Name
	}
	return &next
}

// toWeights returns the weights, with the destinations of experiments unchanged.
func toWeights(o *TrafficWeights, w *argo.TrafficWeights) *TrafficWeights {
	if w == nil {
		return nil
	}
	next := TrafficWeights{Canary: toDestination(w.Canary), Stable: toDestination(w.Stable)}
	if o != nil {
		next.Additional = slices.Clone(o.Additional)
	}
	if w.Verified != nil {
		next.Verified = ptr.To(*w.Verified)
	}
	return &next
}

func toDestination(d argo.WeightDestination) WeightDestination {
	return WeightDestination{Weight: d.Weight, ServiceName: d.Service, PodTemplateHash: d.Hash}
}
