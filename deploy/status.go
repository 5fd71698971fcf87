// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
)

// conditions are the conditions of the next status while a pass computes them.
type conditions struct {
	list []kplan.Condition
	// found means that a new ReplicaSet exists and there is no condition Progressing: addFound
	// adds the condition with the reason FoundNewReplicaSet.
	found bool
}

// storedConditions returns a copy of the conditions in the Deployment's status.
func (in *input) storedConditions() conditions {
	return conditions{list: slices.Clone(in.d.Status.Conditions)}
}

// set sets a condition by the rules of [SetCondition], with the update time now.
func (c *conditions) set(in *input, conditionType string, status kplan.ConditionStatus, reason, message string) {
	since, same := transition(c.list, conditionType, status, reason, in.now)
	if same {
		return
	}
	c.remove(conditionType)
	last := c.add(in, conditionType, status, reason)
	last.Message, last.LastTransitionTime = message, since
}

// add appends a condition with both times now and returns it. The list must not have a condition of
// this type.
func (c *conditions) add(in *input, conditionType string, status kplan.ConditionStatus, reason string) *kplan.Condition {
	c.list = append(c.list, kplan.Condition{})
	last := &c.list[len(c.list)-1]
	last.Type, last.Status, last.Reason, last.LastUpdateTime, last.LastTransitionTime = conditionType, status, reason, in.now, in.now
	return last
}

// remove removes the conditions of a type.
func (c *conditions) remove(conditionType string) {
	c.list = removeCondition(c.list, conditionType)
}

// setPause reports in the condition Progressing that the Deployment has been paused or resumed.
// The progress deadline starts again when the Deployment is resumed. After a missed deadline the
// condition does not change.
//
// It mirrors checkPausedConditions of the deployment controller of Kubernetes.
func (c *conditions) setPause(in *input) {
	reason := ""
	if !in.hasDeadline() || in.deleting() || in.partitioned() {
		return
	}
	if p := findCondition(c.list, ConditionProgressing); p != nil {
		reason = p.Reason
	}
	switch {
	case reason == progressExceeded:
	case in.d.Paused && reason != progressPaused:
		c.set(in, ConditionProgressing, kplan.ConditionUnknown, progressPaused, in.d.withKind("Deployment is paused"))
	case !in.d.Paused && reason == progressPaused:
		c.set(in, ConditionProgressing, kplan.ConditionUnknown, progressResumed, in.d.withKind("Deployment is resumed"))
	}
}

// setFound handles the reason FoundNewReplicaSet of the condition Progressing, for a new ReplicaSet
// that exists already. If the progress deadline starts again, it replaces the condition now. If
// there is no condition, addFound adds it later.
func (c *conditions) setFound(in *input, u *newSetUpdate) {
	switch {
	case u.restartsDeadline(in):
		c.remove(ConditionProgressing)
		c.add(in, ConditionProgressing, kplan.ConditionTrue, progressFound).Message = in.foundMessage()
	case u.upToDate && in.hasDeadline() && findCondition(c.list, ConditionProgressing) == nil:
		c.found = true
	}
}

// addFound adds the condition Progressing with the reason FoundNewReplicaSet if found is set.
func (c *conditions) addFound(in *input) {
	if c.found {
		c.found = false
		c.add(in, ConditionProgressing, kplan.ConditionTrue, progressFound).Message = in.foundMessage()
	}
}

// foundMessage returns the message of a condition with the reason FoundNewReplicaSet.
func (in *input) foundMessage() string {
	return quotedMessage("Found new "+wordOfSet(in.d.setKind()), in.newSet().rs.Name, "")
}

// setCreated sets the condition Progressing to NewReplicaSetCreated.
func (c *conditions) setCreated(in *input, name string) {
	if in.hasDeadline() {
		c.set(in, ConditionProgressing, kplan.ConditionTrue, progressCreated, quotedMessage("Created new "+wordOfSet(in.d.setKind()), name, ""))
	}
}

// setAvailable sets the condition Available for n available pods.
func (c *conditions) setAvailable(in *input, n int32) {
	if n >= in.reportedMinAvailable() {
		c.set(in, ConditionAvailable, kplan.ConditionTrue, availableEnough, in.d.withKind("Deployment has minimum availability."))
	} else {
		c.set(in, ConditionAvailable, kplan.ConditionFalse, availableTooFew, in.d.withKind("Deployment does not have minimum availability."))
	}
}

// reportedMinAvailable returns how many pods must be available for the condition Available to be
// True.
func (in *input) reportedMinAvailable() int32 {
	n := in.replicas - in.budget.Unavailable
	if in.opts.StrictAvailable && in.replicas > 0 {
		return max(1, n)
	}
	return n
}

// setFailure copies the condition ReplicaFailure of the new ReplicaSet or, if that has none, of the
// oldest ReplicaSet that has one. If no ReplicaSet has one, it removes the condition. By default a
// change of the message alone is not copied: see [quirk.ReplicaFailureNotRefreshed].
func (c *conditions) setFailure(in *input, n *counts) {
	var failure *kplan.Condition
	if n.hasConditions {
		failure = in.firstFailure()
	}
	before := findCondition(c.list, ConditionReplicaFailure)
	if before != nil && (failure == nil || before.Message != failure.Message && in.opts.Repair.Has(quirk.ReplicaFailureNotRefreshed)) {
		c.remove(ConditionReplicaFailure)
	}
	if failure == nil {
		return
	}
	c.list = setCondition(c.list, &kplan.Condition{
		Type: failure.Type, Status: failure.Status, Reason: failure.Reason, Message: failure.Message,
		LastUpdateTime: failure.LastTransitionTime, LastTransitionTime: failure.LastTransitionTime,
	})
}

// firstFailure returns the condition that [conditions.setFailure] copies, or nil.
func (in *input) firstFailure() *kplan.Condition {
	if s := in.newSet(); s != nil {
		if c := failureOf(s); c != nil {
			return c
		}
	}
	for _, s := range in.old {
		if c := failureOf(s); c != nil {
			return c
		}
	}
	return nil
}

// failureOf returns the condition ReplicaFailure of a set, or nil.
func failureOf(s *set) *kplan.Condition {
	for i := range s.rs.Status.Conditions {
		if c := &s.rs.Status.Conditions[i]; c.Type == replicaset.ConditionReplicaFailure {
			return c
		}
	}
	return nil
}

// finish adds a condition that is still due, and makes an empty list nil.
func (c *conditions) finish(in *input) {
	c.addFound(in)
	if len(c.list) == 0 {
		c.list = nil
	}
}

// storedStatus returns a copy of the Deployment's status with other conditions, for a pass that
// ends before it counts pods.
func (in *input) storedStatus(conditions []kplan.Condition) Status {
	status := in.d.Status
	status.Conditions = conditions
	if status.CollisionCount != nil {
		status.CollisionCount = ptr.To(*status.CollisionCount)
	}
	if status.TerminatingReplicas != nil {
		status.TerminatingReplicas = ptr.To(*status.TerminatingReplicas)
	}
	return status
}

// count sets everything except the conditions. Like upstream it counts the ReplicaSets as they are
// before the plan. The argument wanted is the number of wanted pods for UnavailableReplicas.
//
// It mirrors calculateStatus of the deployment controller of Kubernetes.
func (s *Status) count(in *input, c *counts, wanted int64) {
	s.ObservedGeneration, s.Replicas = in.d.Generation, in.policy.Size(c.replicas)
	s.ReadyReplicas, s.AvailableReplicas = in.policy.Size(c.ready), in.policy.Size(c.available)
	if c.terminatingKnown {
		s.TerminatingReplicas = ptr.To(in.policy.Size(c.terminating))
	}
	if n := in.d.Status.CollisionCount; n != nil {
		s.CollisionCount = ptr.To(*n)
	}
	if n := in.newSet(); n != nil {
		s.UpdatedReplicas = n.status().Replicas
	}
	s.UnavailableReplicas = max(0, in.policy.Size(wanted)-s.AvailableReplicas)
}
