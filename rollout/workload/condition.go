// SPDX-License-Identifier: Apache-2.0

package workload

// The types of conditions of a Rollout and a BatchRelease.
const (
	ConditionProgressing = "Progressing"
	ConditionSucceeded   = "Succeeded"
	ConditionTerminating = "Terminating"
	ConditionStalled     = "Stalled" // only with [quirk.DeadlineNotReported]
)
