package argo

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kplan-go/kplan/internal/condition"
	"github.com/kplan-go/kplan/selector"
)

// A Condition is one observation of an object's state:
//
//	Type               string
//	Status             selector.ConditionStatus // True, False or Unknown
//	Reason             string
//	Message            string
//	LastUpdateTime     time.Time
//	LastTransitionTime time.Time
type Condition = selector.Condition

// The types of conditions of an Argo Rollout.
const (
	ConditionProgressing = "Progressing"
	ConditionPaused      = "Paused"
	ConditionAvailable   = "Available"
	ConditionHealthy     = "Healthy"
	ConditionCompleted   = "Completed"
)

// defaultDeadline is the progressDeadlineSeconds of a Rollout that has none.
const defaultDeadline = 600

// NoDeadline is the progressDeadlineSeconds that means none.
const NoDeadline = math.MaxInt32

// The reasons of conditions of an Argo Rollout.
const (
	pausedReason   = "RolloutPaused"
	resumedReason  = "RolloutResumed"
	retriedReason  = "RolloutRetry"
	abortedReason  = "RolloutAborted"
	updatedReason  = "ReplicaSetUpdated"
	missingReason  = "ReplicaSetNotAvailable"
	doneReason     = "NewReplicaSetAvailable"
	timedOutReason = "ProgressDeadlineExceeded"
)

// promoted reports whether the template is the stable one.
func (s *Status) promoted() bool { return s.StableRS != "" && s.StableRS == s.CurrentPodHash }

// paused returns the condition of a pause, nil if there is none.
func (st *pass) paused(reason string) *PauseCondition {
	for i := range st.read.PauseConditions {
		if st.read.PauseConditions[i].Reason == reason {
			return &st.read.PauseConditions[i]
		}
	}
	return nil
}

// aborted reports whether the update is given up.
func (st *pass) aborted() bool { return !st.removeAbort && (st.addAbort || st.read.Abort) }

// available returns the available pods of all ReplicaSets.
func (st *pass) available() (n int32) {
	for _, set := range st.sets {
		n += set.AvailableReplicas
	}
	return n
}

// notesPause notes in the conditions that a pause has begun or ended, so that it does
// not count against the deadline. It reports whether it did: the pass ends then. What
// is promoted already is not progressing, and stays so.
func (st *pass) notesPause() bool {
	progress := condition.Find(st.read.Conditions, ConditionProgressing)
	noted := progress != nil && progress.Reason == pausedReason
	aborted := progress != nil && progress.Reason == abortedReason
	paused := len(st.read.PauseConditions) > 0 || st.r.Paused
	status, changed := *st.read, false
	switch {
	case st.read.promoted() && paused:
	case paused != noted && !aborted && paused:
		changed = st.set(&status, ConditionProgressing, "Unknown", pausedReason, "Rollout is paused")
	case paused != noted && !aborted:
		changed = st.set(&status, ConditionProgressing, "Unknown", resumedReason, "Rollout is resumed")
	}
	if aborted && !st.read.Abort {
		changed = st.set(&status, ConditionProgressing, "Unknown", retriedReason, "Retrying Rollout after abort")
	}
	c := condition.Find(st.read.Conditions, ConditionPaused)
	if isTrue := c != nil && c.Status == "True"; paused != isTrue && !aborted {
		changed = st.set(&status, ConditionPaused, truth(paused), pausedReason, "Rollout is paused") || changed
	}
	if changed {
		status.ObservedGeneration = st.r.Generation
		status.Phase, status.Message = st.phase(&status)
		st.p.Status = status.clone()
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
func (st *pass) set(s *Status, kind string, status selector.ConditionStatus, reason, message string) bool {
	old := condition.Find(s.Conditions, kind)
	if old != nil && old.Status == status && old.Reason == reason {
		return false
	}
	c := Condition{Type: kind, Status: status, Reason: reason, Message: message, LastUpdateTime: st.now, LastTransitionTime: st.now}
	if old != nil && old.Status == status {
		c.LastTransitionTime = old.LastTransitionTime
	}
	s.Conditions = append(condition.Without(s.Conditions, kind), c)
	return true
}

// base returns the status that both styles begin with.
func (st *pass) base() Status {
	status := Status{
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
func (st *pass) reset(status *Status) {
	st.clearPauses, st.removeAbort, st.runs = true, true, Runs{}
	status.PromoteFull = false
	if len(st.r.Steps) > 0 {
		zero := int32(0)
		status.CurrentStepIndex = &zero
	}
}

// promote makes the new ReplicaSet the stable one.
func (st *pass) promote(status *Status) {
	st.clearPauses, st.removeAbort = true, true
	status.PromoteFull, status.ScaleUpPreviewCheckPoint = false, false
	status.StableRS = status.CurrentPodHash
}

// withinWindow reports whether the template goes back so few revisions that no step is
// taken: fewer than the window were created in between.
func (st *pass) withinWindow() bool {
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
func (st *pass) conditions(status Status) Status {
	healthy, worse := st.healthy(&status), false
	next := status
	st.pauses(&next)
	if healthy && !st.r.Paused && len(next.PauseConditions) == 0 {
		st.set(&status, ConditionHealthy, "True", "RolloutHealthy", "Rollout is healthy")
	} else if condition.Find(st.read.Conditions, ConditionHealthy) != nil {
		worse = st.set(&status, ConditionHealthy, "False", "RolloutHealthy", "Rollout is not healthy")
	}
	if st.aborted() {
		st.set(&status, ConditionProgressing, "False", abortedReason, st.abortText())
	} else {
		st.progress(&status, healthy, worse)
	}
	available := st.available() >= st.replicas()
	if st.r.BlueGreen != nil {
		available = st.saturated(st.named(status.ActiveSelector))
	}
	st.set(&status, ConditionAvailable, truth(available), "AvailableReason", "")
	st.set(&status, ConditionCompleted, truth(status.promoted()), "RolloutCompleted", "RolloutCompleted")
	return status
}

// abortText says that the update is given up, and why.
func (st *pass) abortText() string {
	text := fmt.Sprintf("Rollout aborted update to revision %d", st.revision())
	if st.abortMessage != "" {
		text += ": " + st.abortMessage
	}
	return text
}

// revision returns the number of the update: one more than all others have, unless the
// new ReplicaSet is the last one already.
func (st *pass) revision() int64 {
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
func (st *pass) healthy(status *Status) bool {
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
func (st *pass) progress(status *Status, healthy, worse bool) {
	current := condition.Find(st.read.Conditions, ConditionProgressing)
	switch {
	case healthy:
		st.set(status, ConditionProgressing, "True", doneReason, "The new ReplicaSet has successfully progressed")
	case worse || st.moved(status):
		reason := updatedReason
		if worse && status.StableRS == status.CurrentPodHash {
			reason = missingReason
		}
		c := Condition{
			Type: ConditionProgressing, Status: "True", Reason: reason, Message: "The new ReplicaSet is progressing", LastUpdateTime: st.now, LastTransitionTime: st.now,
		}
		if current != nil && current.Status == "True" {
			c.LastTransitionTime = current.LastTransitionTime
		}
		status.Conditions = append(condition.Without(status.Conditions, ConditionProgressing), c)
	case st.timedOut(current):
		st.set(status, ConditionProgressing, "False", timedOutReason, "The new ReplicaSet has timed out progressing")
		if st.r.ProgressDeadlineAbort {
			st.addAbort = true
		}
	}
}

// moved reports whether the status shows progress.
func (st *pass) moved(status *Status) bool {
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
func (st *pass) timedOut(current *Condition) bool {
	if step := st.step(); current == nil || current.Reason == abortedReason || step != nil && (step.Pause != nil || step.Other != "") {
		return false
	}
	deadline := int32(defaultDeadline)
	if st.r.ProgressDeadlineSeconds != nil {
		deadline = *st.r.ProgressDeadlineSeconds
	}
	due := current.LastUpdateTime.Add(time.Duration(deadline) * time.Second)
	switch {
	case current.Reason == timedOutReason || due.Before(st.now):
		return true
	case deadline != NoDeadline && !st.r.Paused && len(st.read.PauseConditions) == 0:
		st.recheck(due.Add(1)) // it is exceeded strictly behind its instant
	}
	return false
}

// persist completes the status with pauses and the phase.
func (st *pass) persist(status Status) {
	status.ObservedGeneration, status.Weights, status.Runs = st.r.Generation, st.weights, st.runs
	st.pauses(&status)
	status.Phase, status.Message = st.phase(&status)
	st.p.Status = status.clone()
}

// pauses adds and removes pauses. Aborted updates have none.
func (st *pass) pauses(status *Status) {
	status.Abort = st.aborted()
	if status.Abort || st.clearPauses {
		return
	}
	var kept []PauseCondition
	for _, c := range st.read.PauseConditions {
		if c.Reason != st.removePause {
			kept = append(kept, c)
		}
	}
	pause := st.read.ControllerPause
	for _, reason := range st.addPauses {
		if st.paused(reason) == nil {
			kept, pause = append(kept, PauseCondition{Reason: reason, StartTime: st.now}), true
		}
	}
	if len(kept) > 0 {
		status.ControllerPause, status.PauseConditions = pause, kept
	}
}

// phase returns the phase of a status, and what it waits for.
func (st *pass) phase(status *Status) (Phase, string) {
	for _, c := range status.Conditions {
		if c.Reason == abortedReason || c.Reason == timedOutReason {
			return PhaseDegraded, c.Reason + ": " + c.Message
		}
	}
	promoted := status.promoted()
	switch {
	case st.r.Paused:
		return PhasePaused, "manually paused"
	case len(status.PauseConditions) > 0:
		return PhasePaused, status.PauseConditions[0].Reason
	case status.UpdatedReplicas < st.replicas():
		return PhaseProgressing, "more replicas need to be updated"
	case status.AvailableReplicas < status.UpdatedReplicas:
		return PhaseProgressing, "updated replicas are still becoming available"
	case st.r.BlueGreen != nil && (status.ActiveSelector == "" || status.ActiveSelector != status.CurrentPodHash):
		return PhaseProgressing, "active service cutover pending"
	case st.r.BlueGreen != nil && !promoted:
		return PhaseProgressing, "waiting for post-promotion verification to complete"
	case st.r.BlueGreen == nil && st.r.Routing == nil && status.Replicas > status.UpdatedReplicas:
		return PhaseProgressing, "old replicas are pending termination"
	case st.r.BlueGreen == nil && !promoted:
		return PhaseProgressing, "waiting for all steps to complete"
	}
	return PhaseHealthy, ""
}
