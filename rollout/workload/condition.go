// SPDX-License-Identifier: Apache-2.0

package workload

import "github.com/kplan-go/kplan/selector"

// The types of conditions of a Rollout and a BatchRelease.
const (
	ConditionProgressing = "Progressing"
	ConditionSucceeded   = "Succeeded"
	ConditionTerminating = "Terminating"
	ConditionStalled     = "Stalled" // only with [DeadlineNotReported]
)

// A Condition is one observation of an object's state:
//
//	Type               string
//	Status             selector.ConditionStatus // True, False or, of Argo Rollouts, Unknown
//	Reason             string
//	Message            string
//	LastUpdateTime     time.Time
//	LastTransitionTime time.Time
type Condition = selector.Condition
