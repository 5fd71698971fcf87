// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"
	"strconv"
	"time"

	"github.com/kplan-go/kplan"
)

// Types of a Deployment's conditions.
const (
	// ConditionAvailable is True while at least replicas - maxUnavailable pods are available.
	ConditionAvailable = "Available"
	// ConditionProgressing is True while the rollout makes progress and after it is complete,
	// False after a missed progress deadline or a failed creation, and Unknown while the
	// Deployment is paused or after it is resumed. Without a progress deadline there is none.
	ConditionProgressing = "Progressing"
	// ConditionReplicaFailure is copied from a ReplicaSet that cannot create or delete pods.
	ConditionReplicaFailure = "ReplicaFailure"
)

// Reasons of conditions.
const (
	availableEnough = "MinimumReplicasAvailable"
	availableTooFew = "MinimumReplicasUnavailable"

	progressCreated   = "NewReplicaSetCreated"
	progressFound     = "FoundNewReplicaSet"
	progressUpdated   = "ReplicaSetUpdated"
	progressAvailable = "NewReplicaSetAvailable"
	progressFailed    = "ReplicaSetCreateError"
	progressExceeded  = "ProgressDeadlineExceeded"
	progressPaused    = "DeploymentPaused"
	progressResumed   = "DeploymentResumed"
)

// findCondition returns the first condition of a type, or nil.
func findCondition(conditions []kplan.Condition, conditionType string) *kplan.Condition {
	for i := range conditions {
		if c := &conditions[i]; c.Type == conditionType {
			return c
		}
	}
	return nil
}

// quotedMessage returns before, a blank, the quoted name, and after.
func quotedMessage(before, name, after string) string {
	return string(appendQuotedMessage(make([]byte, 0, 128), before, name, after)) // on the stack
}

// appendQuotedMessage appends the text of [quotedMessage]. Names that Kubernetes allows need no
// escapes.
func appendQuotedMessage(text []byte, before, name, after string) []byte {
	text = append(append(text, before...), ' ')
	for i := range len(name) {
		if c := name[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return append(strconv.AppendQuote(text, name), after...)
		}
	}
	text = append(append(append(text, '"'), name...), '"')
	return append(text, after...)
}

// GetCondition returns the first condition of a type, and whether there is one.
//
// It mirrors GetDeploymentCondition of the deployment util package of Kubernetes.
func GetCondition(conditions []kplan.Condition, conditionType string) (kplan.Condition, bool) {
	if c := findCondition(conditions, conditionType); c != nil {
		return *c, true
	}
	return kplan.Condition{}, false
}

// SetCondition returns a copy of the conditions in which c replaces all conditions of its type, at
// the end of the list. If the first condition of this type has the same status and reason, the
// conditions are returned unchanged, even if the message differs. If only the status is the same,
// its transition time is kept.
//
// It mirrors SetDeploymentCondition of the deployment util package of Kubernetes.
func SetCondition(conditions []kplan.Condition, c kplan.Condition) []kplan.Condition {
	return setCondition(slices.Clone(conditions), &c)
}

// setCondition is [SetCondition] in place.
func setCondition(conditions []kplan.Condition, c *kplan.Condition) []kplan.Condition {
	since, same := transition(conditions, c.Type, c.Status, c.Reason, c.LastTransitionTime)
	if same {
		return conditions
	}
	conditions = append(removeCondition(conditions, c.Type), *c)
	conditions[len(conditions)-1].LastTransitionTime = since
	return conditions
}

// transition returns the transition time of a condition that is set now, and whether the first
// condition of its type has the same status and reason.
func transition(conditions []kplan.Condition, conditionType string, status kplan.ConditionStatus, reason string, now time.Time) (since time.Time, same bool) {
	old := findCondition(conditions, conditionType)
	if old == nil || old.Status != status {
		return now, false
	}
	return old.LastTransitionTime, old.Reason == reason
}

// RemoveCondition returns a copy of the conditions without the conditions of a type.
//
// It mirrors RemoveDeploymentCondition of the deployment util package of Kubernetes.
func RemoveCondition(conditions []kplan.Condition, conditionType string) []kplan.Condition {
	return removeCondition(slices.Clone(conditions), conditionType)
}

// removeCondition is [RemoveCondition] in place.
func removeCondition(conditions []kplan.Condition, conditionType string) []kplan.Condition {
	kept := conditions[:0]
	for i := range conditions {
		if c := &conditions[i]; c.Type != conditionType {
			if len(kept) < i {
				conditions[len(kept)] = *c
			}
			kept = conditions[:len(kept)+1]
		}
	}
	clear(conditions[len(kept):])
	return kept
}
