// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan"
)

func equalConditions(c, d kplan.Condition) bool {
	return c.Type == d.Type && c.Status == d.Status && c.Reason == d.Reason && c.Message == d.Message &&
		c.LastTransitionTime.Equal(d.LastTransitionTime)
}

// GetCondition returns the first condition of a type, and whether there is one.
func GetCondition(conditions []kplan.Condition, conditionType string) (kplan.Condition, bool) {
	for _, c := range conditions {
		if c.Type == conditionType {
			return c, true
		}
	}
	return kplan.Condition{}, false
}

// SetCondition returns the conditions with c at the end, without other conditions of the type
// of c. If the first condition of this type has the status and reason of c, SetCondition
// returns a copy of conditions.
//
// It mirrors SetCondition of the replicaset package of Kubernetes.
func SetCondition(conditions []kplan.Condition, c kplan.Condition) []kplan.Condition {
	if current, ok := GetCondition(conditions, c.Type); ok && current.Status == c.Status && current.Reason == c.Reason {
		return cloneConditions(conditions)
	}
	return append(RemoveCondition(conditions, c.Type), c)
}

// RemoveCondition returns the conditions of other types, or nil if there are none.
func RemoveCondition(conditions []kplan.Condition, conditionType string) []kplan.Condition {
	rest := slices.DeleteFunc(slices.Clone(conditions), func(c kplan.Condition) bool { return c.Type == conditionType })
	if len(rest) == 0 {
		return nil
	}
	return rest
}

// cloneConditions returns a copy, or nil if there are no conditions.
func cloneConditions(conditions []kplan.Condition) []kplan.Condition {
	if len(conditions) == 0 {
		return nil
	}
	return slices.Clone(conditions)
}

// withFailure returns the conditions after creating or deleting pods has failed with err. It
// adds the condition ReplicaFailure. An existing condition ReplicaFailure stays as it is, unless
// refresh is set.
func withFailure(conditions []kplan.Condition, reason string, err error, now time.Time, refresh bool) []kplan.Condition {
	next := kplan.Condition{
		Type: ConditionReplicaFailure, Status: kplan.ConditionTrue, Reason: reason, Message: err.Error(), LastTransitionTime: now,
	}
	current, ok := GetCondition(conditions, ConditionReplicaFailure)
	switch {
	case !ok:
		return append(cloneConditions(conditions), next)
	case !refresh:
		return cloneConditions(conditions)
	}
	if current.Status == kplan.ConditionTrue {
		next.LastTransitionTime = current.LastTransitionTime
	}
	if equalConditions(current, next) {
		return cloneConditions(conditions)
	}
	return append(RemoveCondition(conditions, ConditionReplicaFailure), next)
}
