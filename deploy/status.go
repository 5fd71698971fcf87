// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
)

// conditions are the conditions of the next status so far.
type conditions struct {
	list []kplan.Condition
	// found means that the new ReplicaSet has been found, and that there is no condition
	// Progressing yet: addFound adds it, unless another step sets it first.
	found bool
}

// storedConditions returns a copy of the conditions of the stored status.
func (in *input) storedConditions() conditions {
	return conditions{list: slices.Clone(in.d.Status.Conditions)}
}

// set reports a condition as of now, as [SetCondition] does.
func (c *conditions) set(in *input, conditionType string, status kplan.ConditionStatus, reason, message string) {
	since, same := transition(c.list, conditionType, status, reason, in.now)
	if same {
		return
	}
	c.remove(conditionType)
	last := c.add(in, conditionType, status, reason)
	last.Message, last.LastTransitionTime = message, since
}

// add appends a condition as of now, of a type that the list does not have, and returns it.
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

// setPause reports in the condition Progressing that the Deployment has been
// paused or resumed. Resuming restarts the clock of the deadline. A missed
// deadline stays reported.
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

// setFound sets, or lets addFound add, the condition Progressing for a new ReplicaSet that has been
// found: as of now if the time to the deadline begins again, and otherwise if there is none.
func (c *conditions) setFound(in *input, u *newSetUpdate) {
	switch {
	case u.restartsDeadline(in):
		c.remove(ConditionProgressing)
		c.add(in, ConditionProgressing, kplan.ConditionTrue, progressFound).Message = in.foundMessage()
	case u.upToDate && in.hasDeadline() && findCondition(c.list, ConditionProgressing) == nil:
		c.found = true
	}
}

// addFound adds the condition Progressing for a new ReplicaSet that has been found, if that is due.
func (c *conditions) addFound(in *input) {
	if c.found {
		c.found = false
		c.add(in, ConditionProgressing, kplan.ConditionTrue, progressFound).Message = in.foundMessage()
	}
}

// foundMessage returns the message of a condition about a new ReplicaSet that has been found.
func (in *input) foundMessage() string {
	return quotedMessage("Found new "+wordOfSet(in.d.setKind()), in.newSet().rs.Name, "")
}

// setCreated reports that the new ReplicaSet has been created.
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

// reportedMinAvailable returns the minimum of available pods for the condition Available.
func (in *input) reportedMinAvailable() int32 {
	n := in.replicas - in.budget.Unavailable
	if in.opts.StrictAvailable && in.replicas > 0 {
		return max(1, n)
	}
	return n
}

// setFailure copies the condition ReplicaFailure of the new ReplicaSet, or else of the oldest that
// has one, and removes it if none has. By default another message is not copied: see
// [quirk.ReplicaFailureNotRefreshed].
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

// firstFailure returns the condition that setFailure copies, or nil.
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

// finish completes the conditions for the status.
func (c *conditions) finish(in *input) {
	c.addFound(in)
	if len(c.list) == 0 {
		c.list = nil
	}
}

// storedStatus returns the stored status with other conditions, for a pass that ends before
// it has counted.
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

// count fills in everything except conditions. Like upstream it counts the ReplicaSets as they
// were before the plan, so that the number of unavailable pods lags by one pass.
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
