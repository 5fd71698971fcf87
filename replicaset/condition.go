// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"slices"
	"strings"
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

// withFailure returns the conditions of a ReplicaSet after creating or deleting pods has failed
// with err. It adds the condition ReplicaFailure. An existing condition ReplicaFailure stays as it
// is, unless refresh is set and the failure is another one.
func withFailure(rs ReplicaSet, reason string, err error, now time.Time, refresh bool) []kplan.Condition {
	conditions := rs.Status.Conditions
	next := kplan.Condition{
		Type: ConditionReplicaFailure, Status: kplan.ConditionTrue, Reason: reason, Message: err.Error(), LastTransitionTime: now,
	}
	current, ok := GetCondition(conditions, ConditionReplicaFailure)
	switch {
	case !ok:
		return append(cloneConditions(conditions), next)
	case !refresh || current.Status == next.Status && current.Reason == reason && sameFailure(rs.Name, current.Message, next.Message):
		return cloneConditions(conditions)
	}
	if current.Status == kplan.ConditionTrue {
		next.LastTransitionTime = current.LastTransitionTime
	}
	return append(RemoveCondition(conditions, ConditionReplicaFailure), next)
}

// sameFailure reports whether two messages differ at most in the names of pods of a set. The API
// server gives each pod another name before it refuses the pod, and the message contains the name.
// A status that changed with each name would start the next pass at once: the controller would
// never wait.
func sameFailure(set, a, b string) bool {
	const longest, random = 58, 5 // of a generated name: bytes of the set's name and "-", and random characters
	prefix := set + "-"
	prefix = prefix[:min(len(prefix), longest)]
	parts, others := strings.Split(a, prefix), strings.Split(b, prefix)
	return slices.EqualFunc(parts[1:], others[1:], func(a, b string) bool {
		return a[min(len(a), random):] == b[min(len(b), random):]
	}) && parts[0] == others[0]
}
