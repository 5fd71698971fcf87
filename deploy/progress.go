// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"cmp"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/replicaset"
)

// Complete reports whether a rollout to the given number of replicas is complete according
// to a status: all pods have the new template and are available, and the status has
// observed the given generation.
//
// It mirrors DeploymentComplete of the deployment util package of Kubernetes.
func Complete(s Status, replicas int32, generation int64) bool {
	return s.complete(replicas, generation)
}

func (s *Status) complete(replicas int32, generation int64) bool {
	return s.UpdatedReplicas == replicas && s.Replicas == replicas && s.AvailableReplicas == replicas &&
		s.ObservedGeneration >= generation
}

func (in *input) complete(s *Status) bool { return s.complete(in.replicas, in.d.Generation) }

// setProgress sets the condition Progressing in a pass that makes a step of the rollout.
//
// It mirrors syncRolloutStatus of the deployment controller of Kubernetes.
func (c *conditions) setProgress(in *input, s *Status) {
	before := findCondition(c.list, ConditionProgressing)
	finished := s.Replicas == s.UpdatedReplicas && before != nil && before.Reason == progressAvailable
	switch {
	case !in.hasDeadline():
		c.remove(ConditionProgressing)
	case finished:
	case in.complete(s):
		c.set(in, ConditionProgressing, kplan.ConditionTrue, progressAvailable, in.subject(before, " has successfully progressed."))
	case s.progressed(&in.d.Status):
		c.setProgressed(in, before)
	case TimedOut(before, in.deadline, in.now):
		c.set(in, ConditionProgressing, kplan.ConditionFalse, progressExceeded, in.subject(before, " has timed out progressing."))
	}
}

// setProgressed reports progress. Unlike set it moves the update time, from which the deadline
// counts, even if the reason stays the same.
func (c *conditions) setProgressed(in *input, before *kplan.Condition) {
	since, _ := transition(c.list, ConditionProgressing, kplan.ConditionTrue, progressUpdated, in.now)
	message := in.subject(before, " is progressing.")
	c.remove(ConditionProgressing)
	last := c.add(in, ConditionProgressing, kplan.ConditionTrue, progressUpdated)
	last.Message, last.LastTransitionTime = message, since
}

// subject returns a message about the new ReplicaSet, or about the Deployment if there is
// no new one. It reuses the message of the condition before if they are equal.
func (in *input) subject(before *kplan.Condition, predicate string) string {
	kind, name := cmp.Or(in.d.Kind, Kind), in.d.Name
	if s := in.newSet(); s != nil {
		kind, name = cmp.Or(in.d.ReplicaSetKind, replicaset.Kind), s.rs.Name
	}
	text := appendQuotedMessage(make([]byte, 0, 128), kind, name, predicate)
	if before != nil && string(text) == before.Message {
		return before.Message
	}
	return string(text)
}

// Progressed reports whether a status is closer to the goal than the one before.
// It mirrors DeploymentProgressing of the deployment util package of Kubernetes.
func Progressed(before, after Status) bool { return after.progressed(&before) }

func (s *Status) progressed(before *Status) bool {
	return s.UpdatedReplicas > before.UpdatedReplicas ||
		s.Replicas-s.UpdatedReplicas < before.Replicas-before.UpdatedReplicas ||
		s.ReadyReplicas > before.ReadyReplicas || s.AvailableReplicas > before.AvailableReplicas
}

// TimedOut reports whether a rollout has made no progress for more than deadline
// seconds at now, according to its condition Progressing, nil if absent. A rollout
// that has once completed does not time out. It mirrors DeploymentTimedOut of the
// deployment util package of Kubernetes.
func TimedOut(progressing *kplan.Condition, deadline int32, now time.Time) bool {
	switch {
	case deadline == NoLimit || progressing == nil || progressing.Reason == progressAvailable:
		return false
	case progressing.Reason == progressExceeded:
		return true
	}
	return deadlineOf(progressing, deadline, 0).Before(now)
}

// deadlineOf returns the time so long after the deadline.
func deadlineOf(progressing *kplan.Condition, deadline int32, after time.Duration) time.Time {
	return progressing.LastUpdateTime.Add(time.Duration(deadline)*time.Second + after)
}

// recheck returns the first instant at which the deadline has passed, one nanosecond after it: a
// rollout at its deadline is still in time. It is zero if time alone changes nothing.
func (in *input) recheck(s *Status) (at time.Time) {
	c := findCondition(s.Conditions, ConditionProgressing)
	if !in.hasDeadline() || c == nil || c.Reason == progressAvailable || c.Reason == progressExceeded || in.complete(s) {
		return time.Time{}
	}
	return deadlineOf(c, in.deadline, 1).Round(0).UTC()
}

// Stalled reports whether a Deployment that has once been complete no longer has all its
// pods available. The condition Progressing does not show this: a deadline applies to
// rollouts only (kubernetes/kubernetes#106697). A Deployment that is paused, or has not
// observed its spec, is not stalled.
func Stalled(d Deployment) bool {
	replicas := int32(1)
	if d.Replicas != nil {
		replicas = *d.Replicas
	}
	c := findCondition(d.Status.Conditions, ConditionProgressing)
	return c != nil && c.Reason == progressAvailable && !d.Paused &&
		d.Status.ObservedGeneration >= d.Generation && d.Status.AvailableReplicas < replicas
}
