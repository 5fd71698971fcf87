// SPDX-License-Identifier: Apache-2.0

package kplan

import "time"

// A ConditionStatus is the status of a condition.
type ConditionStatus string

// The statuses of conditions.
const (
	ConditionTrue    ConditionStatus = "True"
	ConditionFalse   ConditionStatus = "False"
	ConditionUnknown ConditionStatus = "Unknown"
)

// A Condition is one observation of an object's state. It is the same type in all
// packages of this module.
type Condition struct {
	Type               string          `json:"type"`
	Status             ConditionStatus `json:"status"`
	Reason             string          `json:"reason,omitzero"`
	Message            string          `json:"message,omitzero"`
	LastUpdateTime     time.Time       `json:"lastUpdateTime,omitzero"` // of a ReplicaSet zero: the API has none
	LastTransitionTime time.Time       `json:"lastTransitionTime,omitzero"`
}
