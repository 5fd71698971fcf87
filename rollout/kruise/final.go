// SPDX-License-Identifier: Apache-2.0

package kruise

import "github.com/kplan-go/kplan/rollout/workload"

// A FinalisingStep is one step of the closing of a Rollout.
type FinalisingStep string

// The closing steps, with their names in the API.
const (
	FinalRestoreStable FinalisingStep = "RestoreStableService"
	FinalRouteToStable FinalisingStep = "FinalisingStepRouteTrafficToStable"
	FinalRouteToNew    FinalisingStep = "FinalisingStepRouteTrafficToNew"
	FinalRemoveCanary  FinalisingStep = "RemoveCanaryService"
	FinalResume        FinalisingStep = "ResumeWorkload"
	FinalRelease       FinalisingStep = "ReleaseWorkloadControl"
	FinalEndless       FinalisingStep = "WaitEndless"
	FinalEnd           FinalisingStep = "END"
)

// A ClosingReason is the reason why a Rollout is closed.
type ClosingReason string

// The reasons to close.
const (
	ClosingSuccess  ClosingReason = "Success"
	ClosingRollback ClosingReason = "Rollback"
	ClosingDisabled ClosingReason = "RolloutDisabled"
	ClosingDeleting ClosingReason = "RolloutDeleting"
)

// ClosingSequence returns the closing steps, ending with [FinalEnd].
func ClosingSequence(style workload.Style, reason ClosingReason) []FinalisingStep {
	switch {
	case style == workload.BlueGreen && reason == ClosingSuccess:
		return []FinalisingStep{FinalRouteToNew, FinalRestoreStable, FinalResume, FinalRouteToStable, FinalRemoveCanary, FinalRelease, FinalEnd}
	case style == workload.BlueGreen && reason == ClosingRollback:
		return []FinalisingStep{FinalRouteToStable, FinalResume, FinalRestoreStable, FinalRemoveCanary, FinalRelease, FinalEnd}
	case reason == ClosingRollback:
		return []FinalisingStep{FinalRouteToStable, FinalResume, FinalRelease, FinalRestoreStable, FinalRemoveCanary, FinalEnd}
	}
	return []FinalisingStep{FinalRestoreStable, FinalRouteToStable, FinalRemoveCanary, FinalResume, FinalRelease, FinalEnd}
}

// following returns the closing step after step, or [FinalEnd] if the sequence does not have step.
func following(sequence []FinalisingStep, step FinalisingStep) FinalisingStep {
	for i, next := range sequence[1:] {
		if sequence[i] == step {
			return next
		}
	}
	return FinalEnd
}

// known reports whether the style has the closing step for any reason to close.
func (s FinalisingStep) known(style workload.Style) bool {
	switch s {
	case FinalRestoreStable, FinalRouteToStable, FinalRemoveCanary, FinalResume, FinalRelease:
		return true
	case FinalRouteToNew, FinalEndless:
		return style == workload.BlueGreen
	}
	return false
}
