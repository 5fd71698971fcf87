// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/condition"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
)

// base returns the status that both styles begin with.
func (c *counts) base(weights *TrafficWeights, runs Runs, restarted time.Time) Status {
	status := Status{
		CurrentPodHash: c.r.TemplateHash, StableRS: c.read.StableRS, PromoteFull: c.read.PromoteFull,
		AvailableReplicas: c.available, Conditions: c.read.Conditions, Weights: weights, Runs: runs, StablePingPong: c.read.StablePingPong, RestartedAt: restarted,
	}
	for _, set := range c.sets {
		status.Replicas += set.StatusReplicas
		status.ReadyReplicas += set.ReadyReplicas
	}
	if c.fresh != nil {
		status.UpdatedReplicas = c.fresh.StatusReplicas
	}
	return status
}

// anew returns the status and the turn at the start of a new update.
func (in *input) anew(status Status) (Status, turn) {
	status.Runs, status.PromoteFull, status.RestartedAt = Runs{}, false, in.r.RestartAt // all pods will be newer
	if len(in.r.Steps) > 0 {
		status.CurrentStepIndex = ptr.To(int32(0))
	}
	return status, turn{clear: true, resume: true}
}

// promote returns the status in which the new ReplicaSet is the stable one. Two Services
// that take turns change places.
func (in *input) promote(status Status, t turn) (Status, turn) {
	t.clear, t.resume = true, true
	if in.s.Ping != nil && status.StableRS != status.CurrentPodHash {
		status.StablePingPong = Ping
		if in.read.StablePingPong == Ping {
			status.StablePingPong = Pong
		}
	}
	status.PromoteFull, status.ScaleUpPreviewCheckPoint = false, false
	status.StableRS = status.CurrentPodHash
	return status, t
}

// finish returns a status with its conditions, pauses and phase, and when its deadline
// ends.
func (c *counts) finish(status Status, t *turn) (Status, waiting) {
	conditions, late, w := c.conditions(&status, t)
	last := *t
	last.abort = t.abort || late && c.r.ProgressDeadlineAbort
	status.Conditions, status.ObservedGeneration = conditions, c.r.Generation
	status = c.pauses(status, &last)
	status.Phase, status.Message = c.phase(&status)
	return status, w
}

// conditions returns the conditions of a status, and whether its deadline is exceeded.
func (c *counts) conditions(status *Status, t *turn) (list []kplan.Condition, late bool, w waiting) {
	list = status.Conditions
	healthy, worse := c.healthy(status), false
	if healthy && !c.r.Paused && len(c.pauses(*status, t).PauseConditions) == 0 {
		list = c.set(list, ConditionHealthy, kplan.ConditionTrue, "RolloutHealthy", "Rollout is healthy")
	} else if h := condition.Find(c.read.Conditions, ConditionHealthy); h != nil {
		worse = h.Status != kplan.ConditionFalse || h.Reason != "RolloutHealthy"
		list = c.set(list, ConditionHealthy, kplan.ConditionFalse, "RolloutHealthy", "Rollout is not healthy")
	}
	if c.aborted(t) {
		list = c.set(list, ConditionProgressing, kplan.ConditionFalse, abortedReason, c.abortText(t.why))
	} else {
		list, late, w = c.progress(list, status, healthy, worse)
	}
	available := c.available >= c.replicas()
	if c.r.BlueGreen != nil {
		available = c.saturated(c.named(status.ActiveSelector))
	}
	list = c.failure(c.set(list, ConditionAvailable, truth(available), "AvailableReason", ""))
	return c.set(list, ConditionCompleted, truth(status.promoted()), "RolloutCompleted", "RolloutCompleted"), late, w
}

// abortText returns the message of an aborted update, with the reason.
func (c *counts) abortText(why string) string {
	text := fmt.Sprintf("Rollout aborted update to revision %d", c.revision())
	if why != "" {
		text += ": " + why
	}
	return text
}

// healthy reports whether all pods are updated and available and get the traffic, and no
// other pods are left.
func (c *counts) healthy(status *Status) bool {
	n := c.replicas()
	if status.UpdatedReplicas != n || status.AvailableReplicas != n || c.read.ObservedGeneration != c.r.Generation {
		return false
	}
	if c.r.BlueGreen != nil {
		previewed := c.s.Preview == nil || status.PreviewSelector == status.CurrentPodHash
		return status.ActiveSelector == status.CurrentPodHash && previewed
	}
	index := status.CurrentStepIndex
	stepped := len(c.r.Steps) == 0 || index == nil || int(*index) == len(c.r.Steps)
	return stepped && status.promoted() && status.Replicas == n
}

// progress returns the list with the condition Progressing, and whether the deadline is
// exceeded without progress.
func (c *counts) progress(list []kplan.Condition, status *Status, healthy, worse bool) (next []kplan.Condition, late bool, w waiting) {
	current := condition.Find(c.read.Conditions, ConditionProgressing)
	switch {
	case healthy:
		return c.set(list, ConditionProgressing, kplan.ConditionTrue, doneReason, "The new ReplicaSet has successfully progressed"), false, w
	case worse || c.moved(status):
		reason := updatedReason
		if worse && status.StableRS == status.CurrentPodHash {
			reason = missingReason
		}
		return with(list, c.condition(list, ConditionProgressing, kplan.ConditionTrue, reason, "The new ReplicaSet is progressing")), false, w
	}
	if late, w = c.timedOut(current); late {
		list = c.set(list, ConditionProgressing, kplan.ConditionFalse, timedOutReason, "The new ReplicaSet has timed out progressing")
	}
	return list, late, w
}

// moved reports whether the status shows progress.
func (c *counts) moved(status *Status) bool {
	old := c.read
	if c.r.BlueGreen != nil {
		if old.ActiveSelector != status.ActiveSelector || old.PreviewSelector != status.PreviewSelector {
			return true
		}
	} else {
		a, b := old.CurrentStepIndex, status.CurrentStepIndex
		if old.StableRS != status.StableRS || a != nil && b != nil && *a != *b || c.kind == begins && c.stepsChanged() {
			return true
		}
	}
	return old.UpdatedReplicas != status.UpdatedReplicas || status.ReadyReplicas > old.ReadyReplicas || status.AvailableReplicas > old.AvailableReplicas ||
		int64(status.Replicas)-int64(status.UpdatedReplicas) < int64(old.Replicas)-int64(old.UpdatedReplicas)
}

// timedOut reports whether nothing has moved within the deadline, or else when it is
// exceeded. Pauses and steps such as analyses do not count.
func (in *input) timedOut(current *kplan.Condition) (late bool, w waiting) {
	if step := in.step(); current == nil || current.Reason == abortedReason || step != nil && (step.Pause != nil || step.Other != "") {
		return false, w
	}
	deadline := int32(defaultDeadline)
	if in.r.ProgressDeadlineSeconds != nil {
		deadline = *in.r.ProgressDeadlineSeconds
	}
	due := current.LastUpdateTime.Add(time.Duration(deadline) * time.Second)
	switch {
	case current.Reason == timedOutReason || due.Before(in.now):
		return true, w
	case deadline != NoDeadline && !in.r.Paused && len(in.read.PauseConditions) == 0:
		return false, until(due.Add(1)) // it is exceeded strictly after this time
	}
	return false, w
}

// pauses returns the status with the pauses that begin added and the others removed. An
// aborted update has none.
func (in *input) pauses(status Status, t *turn) Status {
	status.Abort = in.aborted(t)
	if status.Abort || t.clear {
		return status
	}
	var kept []PauseCondition
	for _, c := range in.read.PauseConditions {
		if c.Reason != t.end {
			kept = append(kept, c)
		}
	}
	pause := in.read.ControllerPause
	for i, reason := range t.begin {
		if in.repair.Has(quirk.PausedTwice) && slices.Contains(t.begin[:i], reason) {
			continue
		}
		if in.paused(reason) == nil {
			kept, pause = append(kept, PauseCondition{Reason: reason, StartTime: in.now}), true
		}
	}
	if len(kept) > 0 {
		status.ControllerPause, status.PauseConditions = pause, kept
	}
	return status
}

// phase returns the phase of a status, with its message.
func (in *input) phase(status *Status) (Phase, string) {
	for _, c := range status.Conditions {
		if c.Reason == abortedReason || c.Reason == timedOutReason {
			return PhaseDegraded, c.Reason + ": " + c.Message
		}
	}
	promoted := status.promoted()
	switch {
	case in.r.Paused:
		return PhasePaused, "manually paused"
	case len(status.PauseConditions) > 0:
		return PhasePaused, status.PauseConditions[0].Reason
	case status.UpdatedReplicas < in.replicas():
		return PhaseProgressing, "more replicas need to be updated"
	case status.AvailableReplicas < status.UpdatedReplicas:
		return PhaseProgressing, "updated replicas are still becoming available"
	case in.r.BlueGreen != nil && (status.ActiveSelector == "" || status.ActiveSelector != status.CurrentPodHash):
		return PhaseProgressing, "active service cutover pending"
	case in.r.BlueGreen != nil && !promoted:
		return PhaseProgressing, "waiting for post-promotion verification to complete"
	case in.r.BlueGreen == nil && in.r.Routing == nil && status.Replicas > status.UpdatedReplicas:
		return PhaseProgressing, "old replicas are pending termination"
	case in.r.BlueGreen == nil && !promoted:
		return PhaseProgressing, "waiting for all steps to complete"
	}
	return PhaseHealthy, ""
}
