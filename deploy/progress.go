package deploy

import (
	"time"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

func (st *state) hasDeadline() bool { return st.deadline != NoLimit }

// Complete reports whether a rollout to the given number of replicas is complete
// according to a status: all pods are of the new template and available, and the
// status is about the given generation.
//
// It mirrors DeploymentComplete of the deployment util package of Kubernetes
// 1.36.3.
func Complete(s Status, replicas int32, generation int64) bool {
	return s.UpdatedReplicas == replicas && s.Replicas == replicas && s.AvailableReplicas == replicas &&
		s.ObservedGeneration >= generation
}

func (st *state) complete(s *Status) bool { return Complete(*s, st.replicas, st.d.Generation) }

// notePause reports in the condition Progressing that the Deployment has been
// paused or resumed. Resuming restarts the clock of the deadline. A missed
// deadline stays reported.
//
// It mirrors checkPausedConditions of the deployment controller of Kubernetes
// 1.36.3.
func (st *state) notePause() {
	if !st.hasDeadline() {
		return
	}
	reason := ""
	if c := findCondition(st.conditions, ConditionProgressing); c != nil {
		reason = c.Reason
	}
	switch {
	case reason == progressExceeded:
	case st.d.Paused && reason != progressPaused:
		st.setCondition(ConditionProgressing, selector.ConditionUnknown, progressPaused, "Deployment is paused")
	case !st.d.Paused && reason == progressPaused:
		st.setCondition(ConditionProgressing, selector.ConditionUnknown, progressResumed, "Deployment is resumed")
	}
}

// reportProgress sets the plan's status for a pass that drives the rollout, and
// when the progress deadline passes.
//
// It mirrors syncRolloutStatus of the deployment controller of Kubernetes 1.36.3.
func (st *state) reportProgress() {
	if st.aborted {
		st.keepStatus()
		return
	}
	st.plan.Status = st.counts()
	s, before := &st.plan.Status, findCondition(st.conditions, ConditionProgressing)
	finished := s.Replicas == s.UpdatedReplicas && before != nil && before.Reason == progressAvailable
	switch {
	case !st.hasDeadline():
		st.conditions = removeCondition(st.conditions, ConditionProgressing)
	case finished:
	case st.complete(s):
		st.setCondition(ConditionProgressing, selector.ConditionTrue, progressAvailable, st.subject(" has successfully progressed."))
	case Progressed(st.d.Status, *s):
		st.reportUpdate(before)
	case TimedOut(before, st.deadline, st.now):
		st.setCondition(ConditionProgressing, selector.ConditionFalse, progressExceeded, st.subject(" has timed out progressing."))
	}
	st.reportFailure()
	st.finishStatus()
	st.recheck()
	st.explainWait()
}

// reportUpdate reports progress. Unlike setCondition it moves the update time, the
// clock of the deadline, even if the reason stays the same.
func (st *state) reportUpdate(before *Condition) {
	c := Condition{
		Type: ConditionProgressing, Status: selector.ConditionTrue, Reason: progressUpdated,
		Message: st.subject(" is progressing."), LastUpdateTime: st.now, LastTransitionTime: st.now,
	}
	if before != nil && before.Status == selector.ConditionTrue {
		c.LastTransitionTime = before.LastTransitionTime
	}
	st.replaceCondition(c)
}

// subject returns a sentence about the new ReplicaSet, or about the Deployment if
// there is none.
func (st *state) subject(predicate string) string {
	if s := st.newSet(); s != nil {
		return quoting("ReplicaSet ", s.rs.Name, predicate)
	}
	return quoting("Deployment ", st.d.Name, predicate)
}

// Progressed reports whether a status is closer to the goal than the one before.
// It mirrors DeploymentProgressing of the deployment util package of Kubernetes
// 1.36.3.
func Progressed(before, after Status) bool {
	return after.UpdatedReplicas > before.UpdatedReplicas ||
		after.Replicas-after.UpdatedReplicas < before.Replicas-before.UpdatedReplicas ||
		after.ReadyReplicas > before.ReadyReplicas || after.AvailableReplicas > before.AvailableReplicas
}

// TimedOut reports whether a rollout has made no progress for more than deadline
// seconds at now, according to its condition Progressing, nil if absent. A rollout
// that has once completed does not time out. It mirrors DeploymentTimedOut of the
// deployment util package of Kubernetes 1.36.3.
func TimedOut(progressing *Condition, deadline int32, now time.Time) bool {
	switch {
	case deadline == NoLimit || progressing == nil || progressing.Reason == progressAvailable:
		return false
	case progressing.Reason == progressExceeded:
		return true
	}
	return deadlineOf(progressing, deadline).Before(now)
}

func deadlineOf(progressing *Condition, deadline int32) time.Time {
	return progressing.LastUpdateTime.Add(time.Duration(deadline) * time.Second)
}

// reportFailure copies the condition ReplicaFailure of the new ReplicaSet or else
// of the first that has one.
func (st *state) reportFailure() {
	failure := st.firstFailure()
	if failure == nil {
		st.conditions = removeCondition(st.conditions, ConditionReplicaFailure)
		return
	}
	if c := findCondition(st.conditions, ConditionReplicaFailure); c != nil && c.Message != failure.Message && st.opts.Repair.Has(ReplicaFailureNotRefreshed) {
		st.conditions = removeCondition(st.conditions, ConditionReplicaFailure)
	}
	st.conditions = setCondition(st.conditions, Condition{
		Type: failure.Type, Status: failure.Status, Reason: failure.Reason, Message: failure.Message,
		LastUpdateTime: failure.LastTransitionTime, LastTransitionTime: failure.LastTransitionTime,
	})
}

func (st *state) firstFailure() *replicaset.Condition {
	if s := st.newSet(); s != nil {
		if c := failureOf(s); c != nil {
			return c
		}
	}
	for _, s := range st.old {
		if c := failureOf(s); c != nil {
			return c
		}
	}
	return nil
}

func failureOf(s *set) *replicaset.Condition {
	for i := range s.rs.Status.Conditions {
		if c := &s.rs.Status.Conditions[i]; c.Type == replicaset.ConditionReplicaFailure {
			return c
		}
	}
	return nil
}

// recheck sets the first instant at which the deadline has passed.
func (st *state) recheck() {
	c := findCondition(st.conditions, ConditionProgressing)
	if !st.hasDeadline() || c == nil || c.Reason == progressAvailable || c.Reason == progressExceeded || st.complete(&st.plan.Status) {
		return
	}
	st.plan.RecheckAt = deadlineOf(c, st.deadline).Add(1).Round(0).UTC()
}
