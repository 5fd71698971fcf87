package deploy

import (
	"slices"

	"github.com/kplan-go/kplan/replicaset"
)

// Types of a Deployment's conditions.
const (
	// ConditionAvailable is True while the minimum number of pods is available.
	ConditionAvailable = "Available"
	// ConditionProgressing tells how the rollout goes. It is absent if the
	// Deployment has no progress deadline.
	ConditionProgressing = "Progressing"
	// ConditionReplicaFailure is copied from a ReplicaSet that cannot create or
	// delete pods.
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
func findCondition(conditions []Condition, conditionType string) *Condition {
	i := slices.IndexFunc(conditions, func(c Condition) bool { return c.Type == conditionType })
	if i < 0 {
		return nil
	}
	return &conditions[i]
}

// setCondition reports a condition as of now in the status to be.
func (st *state) setCondition(conditionType string, status replicaset.ConditionStatus, reason, message string) {
	st.status = SetCondition(st.status, Condition{
		Type: conditionType, Status: status, Reason: reason, Message: message,
		LastUpdateTime: st.now, LastTransitionTime: st.now,
	})
}

// SetCondition returns the conditions with c at the end, in place of those of its
// type. With the status and reason of the present one nothing changes, not even
// the message; with its status alone, its transition time is kept. The slice that
// it is given stays as it is.
//
// It mirrors SetDeploymentCondition of the deployment util package of Kubernetes
// 1.36.3.
func SetCondition(conditions []Condition, c Condition) []Condition {
	if old := findCondition(conditions, c.Type); old != nil && old.Status == c.Status {
		if old.Reason == c.Reason {
			return conditions
		}
		c.LastTransitionTime = old.LastTransitionTime
	}
	return append(RemoveCondition(conditions, c.Type), c)
}

// RemoveCondition returns the conditions without those of a type. The slice that it
// is given stays as it is. It mirrors RemoveDeploymentCondition of the deployment
// util package of Kubernetes 1.36.3.
func RemoveCondition(conditions []Condition, conditionType string) []Condition {
	rest := make([]Condition, 0, len(conditions)+1)
	for _, c := range conditions {
		if c.Type != conditionType {
			rest = append(rest, c)
		}
	}
	return rest
}
