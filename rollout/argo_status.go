package rollout

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kplan-go/kplan/internal/condition"
	"github.com/kplan-go/kplan/internal/zero"
	"github.com/kplan-go/kplan/selector"
)

// An ArgoCondition is one observation of an object's state:
//
//	Type               string
//	Status             selector.ConditionStatus // True, False or Unknown
//	Reason             string
//	Message            string
//	LastUpdateTime     time.Time
//	LastTransitionTime time.Time
type ArgoCondition = selector.Condition

// The types of conditions of an Argo Rollout.
const (
	ArgoConditionProgressing = "Progressing"
	ArgoConditionPaused      = "Paused"
	ArgoConditionAvailable   = "Available"
	ArgoConditionHealthy     = "Healthy"
	ArgoConditionCompleted   = "Completed"
)

// argoDefaultDeadline is the progressDeadlineSeconds of a Rollout that has none.
const argoDefaultDeadline = 600

// ArgoNoDeadline is the progressDeadlineSeconds that means none.
const ArgoNoDeadline = math.MaxInt32

// The reasons of conditions of an Argo Rollout.
const (
	argoPausedReason   = "RolloutPaused"
	argoResumedReason  = "RolloutResumed"
	argoRetriedReason  = "RolloutRetry"
	argoAbortedReason  = "RolloutAborted"
	argoUpdatedReason  = "ReplicaSetUpdated"
	argoMissingReason  = "ReplicaSetNotAvailable"
	argoDoneReason     = "NewReplicaSetAvailable"
	argoTimedOutReason = "ProgressDeadlineExceeded"
)

// promoted reports whether the template is the stable one.
func (s *ArgoStatus) promoted() bool { return s.StableRS != "" && s.StableRS == s.CurrentPodHash }

// paused returns the condition of a pause, nil if there is none.
func (st *argoPass) paused(reason string) *ArgoPauseCondition {
	for i := range st.read.PauseConditions {
		if st.read.PauseConditions[i].Reason == reason {
			return &st.read.PauseConditions[i]
		}
	}
	return nil
}

// aborted reports whether the update is given up.
func (st *argoPass) aborted() bool { return !st.removeAbort && (st.addAbort || st.read.Abort) }

// available returns the available pods of all ReplicaSets.
func (st *argoPass) available() (n int32) {
	for _, set := range st.sets {
		n += set.AvailableReplicas
	}
	return n
}

// notesPause notes in the conditions that a pause has begun or ended, so that it does
// not count against the deadline. It reports whether it did: the pass ends then. What
// is promoted already is not progressing, and stays so.
func (st *argoPass) notesPause() bool {
	progress := condition.Find(st.read.Conditions, ArgoConditionProgressing)
	noted := progress != nil && progress.Reason == argoPausedReason
	aborted := progress != nil && progress.Reason == argoAbortedReason
	paused := len(st.read.PauseConditions) > 0 || st.r.Paused
	status, changed := *st.read, false
	switch {
	case st.read.promoted() && paused:
	case paused != noted && !aborted && paused:
		changed = st.set(&status, ArgoConditionProgressing, "Unknown", argoPausedReason, "Rollout is paused")
	case paused != noted && !aborted:
		changed = st.set(&status, ArgoConditionProgressing, "Unknown", argoResumedReason, "Rollout is resumed")
	}
	if aborted && !st.read.Abort {
		changed = st.set(&status, ArgoConditionProgressing, "Unknown", argoRetriedReason, "Retrying Rollout after abort")
	}
	c := condition.Find(st.read.Conditions, ArgoConditionPaused)
	if isTrue := c != nil && c.Status == "True"; paused != isTrue && !aborted {
		changed = st.set(&status, ArgoConditionPaused, truth(paused), argoPausedReason, "Rollout is paused") || changed
	}
	if changed {
		status.ObservedGeneration = st.r.Generation
		status.Phase, status.Message = st.phase(&status)
		status.CurrentStepIndex = zero.Copy(status.CurrentStepIndex)
		status.PauseConditions = slices.Clone(status.PauseConditions)
		st.p.Status = status
	}
	return changed
}

// truth returns True or False.
func truth(b bool) selector.ConditionStatus {
	if b {
		return selector.ConditionTrue
	}
	return selector.ConditionFalse
}

// set sets a condition whose status or reason changes, and reports whether it does.
func (st *argoPass) set(s *ArgoStatus, kind string, status selector.ConditionStatus, reason, message string) bool {
	old := condition.Find(s.Conditions, kind)
	if old != nil && old.Status == status && old.Reason == reason {
		return false
	}
	c := ArgoCondition{Type: kind, Status: status, Reason: reason, Message: message, LastUpdateTime: st.now, LastTransitionTime: st.now}
	if old != nil && old.Status == status {
		c.LastTransitionTime = old.LastTransitionTime
	}
	s.Conditions = append(condition.Without(s.Conditions, kind), c)
	return true
}

// base returns the status that both styles begin with.
func (st *argoPass) base() ArgoStatus {
	status := ArgoStatus{
		CurrentPodHash: st.r.TemplateHash, StableRS: st.read.StableRS, PromoteFull: st.read.PromoteFull,
		AvailableReplicas: st.available(), Conditions: slices.Clone(st.read.Conditions),
	}
	for _, set := range st.sets {
		status.Replicas += set.StatusReplicas
		status.ReadyReplicas += set.ReadyReplicas
	}
	if st.newRS != nil {
		status.UpdatedReplicas = st.newRS.StatusReplicas
	}
	return status
}

// reset begins a new update.
func (st *argoPass) reset(status *ArgoStatus) {
	st.clearPauses, st.removeAbort = true, true
	status.PromoteFull = false
	if len(st.r.Steps) > 0 {
		zero := int32(0)
		status.CurrentStepIndex = &zero
	}
}

// promote makes the new ReplicaSet the stable one.
func (st *argoPass) promote(status *ArgoStatus) {
	st.clearPauses, st.removeAbort = true, true
	status.PromoteFull, status.ScaleUpPreviewCheckPoint = false, false
	status.StableRS = status.CurrentPodHash
}

// withinWindow reports whether the template goes back so few revisions that no step is
// taken: fewer than the window were created in between.
func (st *argoPass) withinWindow() bool {
	if st.newRS == nil || st.stableRS == nil || !st.newRS.CreationTimestamp.Before(st.stableRS.CreationTimestamp) {
		return false
	}
	between := int32(0)
	for _, set := range st.sets {
		if set.CreationTimestamp.After(st.newRS.CreationTimestamp) && set.CreationTimestamp.Before(st.stableRS.CreationTimestamp) {
			between++
		}
	}
	return between < st.r.RollbackWindow
}

// conditions returns the status with its conditions.
func (st *argoPass) conditions(status ArgoStatus) ArgoStatus {
	healthy, worse := st.healthy(&status), false
	next := status
	st.pauses(&next)
	if healthy && !st.r.Paused && len(next.PauseConditions) == 0 {
		st.set(&status, ArgoConditionHealthy, "True", "RolloutHealthy", "Rollout is healthy")
	} else if condition.Find(st.read.Conditions, ArgoConditionHealthy) != nil {
		worse = st.set(&status, ArgoConditionHealthy, "False", "RolloutHealthy", "Rollout is not healthy")
	}
	if st.aborted() {
		st.set(&status, ArgoConditionProgressing, "False", argoAbortedReason, fmt.Sprintf("Rollout aborted update to revision %d", st.revision()))
	} else {
		st.progress(&status, healthy, worse)
	}
	available := st.available() >= st.replicas()
	if st.r.BlueGreen != nil {
		available = st.saturated(st.named(status.ActiveSelector))
	}
	st.set(&status, ArgoConditionAvailable, truth(available), "AvailableReason", "")
	st.set(&status, ArgoConditionCompleted, truth(status.promoted()), "RolloutCompleted", "RolloutCompleted")
	return status
}

// revision returns the number of the update: one more than all others have, unless the
// new ReplicaSet is the last one already.
func (st *argoPass) revision() int64 {
	if st.newRS == nil {
		return st.r.Revision
	}
	last := int64(0)
	for _, set := range st.sets {
		if set != st.newRS {
			last = max(last, set.Revision)
		}
	}
	return max(st.newRS.Revision, last+1)
}

// healthy reports whether all pods are updated and available, get the traffic, and no
// other pods are left.
func (st *argoPass) healthy(status *ArgoStatus) bool {
	n := st.replicas()
	if status.UpdatedReplicas != n || status.AvailableReplicas != n || st.read.ObservedGeneration != st.r.Generation {
		return false
	}
	if st.r.BlueGreen != nil {
		previewed := st.preview == nil || status.PreviewSelector == status.CurrentPodHash
		return status.ActiveSelector == status.CurrentPodHash && previewed
	}
	index := status.CurrentStepIndex
	stepped := len(st.r.Steps) == 0 || index == nil || int(*index) == len(st.r.Steps)
	return stepped && status.promoted() && status.Replicas == n
}

// progress tells whether anything moves, or has not for too long.
func (st *argoPass) progress(status *ArgoStatus, healthy, worse bool) {
	current := condition.Find(st.read.Conditions, ArgoConditionProgressing)
	switch {
	case healthy:
		st.set(status, ArgoConditionProgressing, "True", argoDoneReason, "The new ReplicaSet has successfully progressed")
	case worse || st.moved(status):
		reason := argoUpdatedReason
		if worse && status.StableRS == status.CurrentPodHash {
			reason = argoMissingReason
		}
		c := ArgoCondition{
			Type: ArgoConditionProgressing, Status: "True", Reason: reason, Message: "The new ReplicaSet is progressing", LastUpdateTime: st.now, LastTransitionTime: st.now,
		}
		if current != nil && current.Status == "True" {
			c.LastTransitionTime = current.LastTransitionTime
		}
		status.Conditions = append(condition.Without(status.Conditions, ArgoConditionProgressing), c)
	case st.timedOut(current):
		st.set(status, ArgoConditionProgressing, "False", argoTimedOutReason, "The new ReplicaSet has timed out progressing")
		if st.r.ProgressDeadlineAbort {
			st.addAbort = true
		}
	}
}

// moved reports whether the status shows progress.
func (st *argoPass) moved(status *ArgoStatus) bool {
	old := st.read
	if st.r.BlueGreen != nil {
		if old.ActiveSelector != status.ActiveSelector || old.PreviewSelector != status.PreviewSelector {
			return true
		}
	} else {
		a, b := old.CurrentStepIndex, status.CurrentStepIndex
		if old.StableRS != status.StableRS || a != nil && b != nil && *a != *b || st.restarted {
			return true
		}
	}
	return old.UpdatedReplicas != status.UpdatedReplicas || status.ReadyReplicas > old.ReadyReplicas || status.AvailableReplicas > old.AvailableReplicas ||
		int64(status.Replicas)-int64(status.UpdatedReplicas) < int64(old.Replicas)-int64(old.UpdatedReplicas)
}

// timedOut reports whether nothing has moved within the deadline. Steps that may take
// as long as they like do not count.
func (st *argoPass) timedOut(current *ArgoCondition) bool {
	if step := st.step(); current == nil || current.Reason == argoAbortedReason || step != nil && (step.Pause != nil || step.Other != "") {
		return false
	}
	deadline := int32(argoDefaultDeadline)
	if st.r.ProgressDeadlineSeconds != nil {
		deadline = *st.r.ProgressDeadlineSeconds
	}
	due := current.LastUpdateTime.Add(time.Duration(deadline) * time.Second)
	switch {
	case current.Reason == argoTimedOutReason || due.Before(st.now):
		return true
	case deadline != ArgoNoDeadline && !st.r.Paused && len(st.read.PauseConditions) == 0:
		st.recheck(due.Add(1)) // it is exceeded strictly behind its instant
	}
	return false
}

// persist completes the status with pauses and the phase.
func (st *argoPass) persist(status ArgoStatus) {
	status.ObservedGeneration = st.r.Generation
	st.pauses(&status)
	status.Phase, status.Message = st.phase(&status)
	status.CurrentStepIndex = zero.Copy(status.CurrentStepIndex)
	status.Conditions, status.PauseConditions = slices.Clone(status.Conditions), slices.Clone(status.PauseConditions)
	st.p.Status = status
}

// pauses adds and removes pauses. Aborted updates have none.
func (st *argoPass) pauses(status *ArgoStatus) {
	status.Abort = st.aborted()
	if status.Abort || st.clearPauses {
		return
	}
	var kept []ArgoPauseCondition
	for _, c := range st.read.PauseConditions {
		if c.Reason != st.removePause {
			kept = append(kept, c)
		}
	}
	pause := st.read.ControllerPause
	if st.addPause != "" && st.paused(st.addPause) == nil {
		kept, pause = append(kept, ArgoPauseCondition{Reason: st.addPause, StartTime: st.now}), true
	}
	if len(kept) > 0 {
		status.ControllerPause, status.PauseConditions = pause, kept
	}
}

// phase returns the phase of a status, and what it waits for.
func (st *argoPass) phase(status *ArgoStatus) (ArgoPhase, string) {
	for _, c := range status.Conditions {
		if c.Reason == argoAbortedReason || c.Reason == argoTimedOutReason {
			return ArgoDegraded, c.Reason + ": " + c.Message
		}
	}
	promoted := status.promoted()
	switch {
	case st.r.Paused:
		return ArgoPaused, "manually paused"
	case len(status.PauseConditions) > 0:
		return ArgoPaused, status.PauseConditions[0].Reason
	case status.UpdatedReplicas < st.replicas():
		return ArgoProgressing, "more replicas need to be updated"
	case status.AvailableReplicas < status.UpdatedReplicas:
		return ArgoProgressing, "updated replicas are still becoming available"
	case st.r.BlueGreen != nil && (status.ActiveSelector == "" || status.ActiveSelector != status.CurrentPodHash):
		return ArgoProgressing, "active service cutover pending"
	case st.r.BlueGreen != nil && !promoted:
		return ArgoProgressing, "waiting for post-promotion verification to complete"
	case st.r.BlueGreen == nil && status.Replicas > status.UpdatedReplicas:
		return ArgoProgressing, "old replicas are pending termination"
	case st.r.BlueGreen == nil && !promoted:
		return ArgoProgressing, "waiting for all steps to complete"
	}
	return ArgoHealthy, ""
}
