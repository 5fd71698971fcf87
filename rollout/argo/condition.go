// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"math"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/condition"
)

// The types of conditions of an Argo Rollout.
const (
	ConditionProgressing = "Progressing"
	ConditionPaused      = "Paused"
	ConditionAvailable   = "Available"
	ConditionHealthy     = "Healthy"
	ConditionCompleted   = "Completed"
	// ConditionReplicaFailure is copied from a ReplicaSet that cannot create or delete pods.
	ConditionReplicaFailure = "ReplicaFailure"
)

// defaultDeadline is the progressDeadlineSeconds of a Rollout that has none.
const defaultDeadline = 600

// NoDeadline is the progressDeadlineSeconds that disables the deadline.
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

// pauseNotes returns the conditions that record that a pause has begun or ended, so that it
// does not count against the deadline. A pass that writes such conditions does nothing
// else. A promoted update is not progressing, so its pause is not recorded there.
func (in *input) pauseNotes() (notes []kplan.Condition) {
	note := func(kind string, status kplan.ConditionStatus, reason, message string) {
		if c := in.condition(in.read.Conditions, kind, status, reason, message); differs(in.read.Conditions, c) {
			notes = append(notes, c)
		}
	}
	progress, p := condition.Find(in.read.Conditions, ConditionProgressing), condition.Find(in.read.Conditions, ConditionPaused)
	noted := progress != nil && progress.Reason == pausedReason
	aborted := progress != nil && progress.Reason == abortedReason
	paused := len(in.read.PauseConditions) > 0 || in.r.Paused
	switch {
	case aborted && !in.read.Abort:
		note(ConditionProgressing, kplan.ConditionUnknown, retriedReason, "Retrying Rollout after abort")
	case aborted || paused == noted || in.read.promoted() && paused:
	case paused:
		note(ConditionProgressing, kplan.ConditionUnknown, pausedReason, "Rollout is paused")
	default:
		note(ConditionProgressing, kplan.ConditionUnknown, resumedReason, "Rollout is resumed")
	}
	if isTrue := p != nil && p.Status == kplan.ConditionTrue; paused != isTrue && !aborted {
		note(ConditionPaused, truth(paused), pausedReason, "Rollout is paused")
	}
	return notes
}

// truth returns True or False.
func truth(b bool) kplan.ConditionStatus {
	if b {
		return kplan.ConditionTrue
	}
	return kplan.ConditionFalse
}

// condition returns a condition as it is written now.
func (in *input) condition(list []kplan.Condition, kind string, status kplan.ConditionStatus, reason, message string) kplan.Condition {
	c := kplan.Condition{Type: kind, Status: status, Reason: reason, Message: message, LastUpdateTime: in.now, LastTransitionTime: in.now}
	if old := condition.Find(list, kind); old != nil && old.Status == status {
		c.LastTransitionTime = old.LastTransitionTime
	}
	return c
}

// differs reports whether a condition has another status or reason than the one of its
// type in a list.
func differs(list []kplan.Condition, c kplan.Condition) bool {
	old := condition.Find(list, c.Type)
	return old == nil || old.Status != c.Status || old.Reason != c.Reason
}

// with returns the list with a condition at its end, in place of the one of its type.
func with(list []kplan.Condition, c kplan.Condition) []kplan.Condition {
	return append(condition.Without(list, c.Type), c)
}

// set returns the list with a condition if its status or reason changes, else the same
// list.
func (in *input) set(list []kplan.Condition, kind string, status kplan.ConditionStatus, reason, message string) []kplan.Condition {
	if c := in.condition(list, kind, status, reason, message); differs(list, c) {
		return with(list, c)
	}
	return list
}

// failure returns the list with the condition ReplicaFailure of the new ReplicaSet, else of
// the oldest that has one; without the condition if no ReplicaSet has it. As with other
// conditions, another message alone changes nothing.
//
// It mirrors getReplicaFailures of Argo Rollouts, which takes the first of its cache
// instead of the oldest.
func (c *counts) failure(list []kplan.Condition) []kplan.Condition {
	var found *kplan.Condition
	if c.fresh != nil {
		found = condition.Find(c.fresh.Conditions, ConditionReplicaFailure)
	}
	for _, set := range c.sets {
		if found == nil {
			found = condition.Find(set.Conditions, ConditionReplicaFailure)
		}
	}
	old := condition.Find(list, ConditionReplicaFailure)
	switch {
	case found == nil && old != nil:
		return condition.Without(list, ConditionReplicaFailure)
	case found == nil, !differs(list, *found):
		return list
	}
	next := *found
	next.LastUpdateTime = found.LastTransitionTime
	if old != nil && old.Status == next.Status {
		next.LastTransitionTime = old.LastTransitionTime
	}
	return with(list, next)
}
