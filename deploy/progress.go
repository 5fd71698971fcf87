// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"cmp"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/replicaset"
)

// Complete reports whether a rollout is complete according to a status: there are as many pods as
// replicas, all have the new template and are available, and the observed generation is at least
// the given one.
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

// setProgress sets the condition Progressing for the next status s, in a pass that makes a step of
// a rollout. Without a progress deadline it removes the condition.
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

// setProgressed sets the condition Progressing to ReplicaSetUpdated. Unlike [conditions.set] it
// sets the update time, from which the deadline counts, to now even if the reason is the same.
func (c *conditions) setProgressed(in *input, before *kplan.Condition) {
	since, _ := transition(c.list, ConditionProgressing, kplan.ConditionTrue, progressUpdated, in.now)
	message := in.subject(before, " is progressing.")
	c.remove(ConditionProgressing)
	last := c.add(in, ConditionProgressing, kplan.ConditionTrue, progressUpdated)
	last.Message, last.LastTransitionTime = message, since
}

// subject returns a message about the new ReplicaSet, or about the Deployment if there is no new
// ReplicaSet, such as: ReplicaSet "web-1" is progressing. If the condition before, which may be nil, has an equal message,
// it returns that string, to save memory.
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

// Progressed reports whether a rollout has progressed between two statuses: there are more
// updated, ready or available pods, or fewer old pods.
//
// It mirrors DeploymentProgressing of the deployment util package of Kubernetes.
func Progressed(before, after Status) bool { return after.progressed(&before) }

func (s *Status) progressed(before *Status) bool {
	return s.UpdatedReplicas > before.UpdatedReplicas ||
		s.Replicas-s.UpdatedReplicas < before.Replicas-before.UpdatedReplicas ||
		s.ReadyReplicas > before.ReadyReplicas || s.AvailableReplicas > before.AvailableReplicas
}

// TimedOut reports whether, as of now, a rollout has made no progress for more than deadline seconds,
// or the condition already reports this. It reads the condition Progressing; without one (nil), and with
// the deadline [NoLimit], it returns false. A rollout that has completed does not time out.
//
// It mirrors DeploymentTimedOut of the deployment util package of Kubernetes.
func TimedOut(progressing *kplan.Condition, deadline int32, now time.Time) bool {
	switch {
	case deadline == NoLimit || progressing == nil || progressing.Reason == progressAvailable:
		return false
	case progressing.Reason == progressExceeded:
		return true
	}
	return deadlineOf(progressing, deadline, 0).Before(now)
}

// deadlineOf returns the instant at which the deadline expires, plus extra. deadline is in seconds, and
// counts from the update time of the condition.
func deadlineOf(progressing *kplan.Condition, deadline int32, extra time.Duration) time.Time {
	return progressing.LastUpdateTime.Add(time.Duration(deadline)*time.Second + extra)
}

// recheck returns the first instant at which [TimedOut] returns true for the status s: one
// nanosecond after the deadline. It returns zero if the counts show a complete rollout, if the condition
// reports that the rollout has completed or timed out, and without a deadline or condition.
func (in *input) recheck(s *Status) (at time.Time) {
	c := findCondition(s.Conditions, ConditionProgressing)
	if !in.hasDeadline() || c == nil || c.Reason == progressAvailable || c.Reason == progressExceeded || in.complete(s) {
		return time.Time{}
	}
	return deadlineOf(c, in.deadline, 1).Round(0).UTC()
}

// Stalled reports whether fewer than spec.replicas pods are available after the rollout has
// completed. The condition Progressing does not show this, since the progress deadline applies to
// rollouts only (kubernetes/kubernetes#106697). Stalled returns false for a paused Deployment, while
// the observed generation lags behind, and without a condition Progressing, which a
// Deployment without a progress deadline does not have.
func Stalled(d Deployment) bool {
	replicas := int32(1)
	if d.Replicas != nil {
		replicas = *d.Replicas
	}
	c := findCondition(d.Status.Conditions, ConditionProgressing)
	return c != nil && c.Reason == progressAvailable && !d.Paused &&
		d.Status.ObservedGeneration >= d.Generation && d.Status.AvailableReplicas < replicas
}
