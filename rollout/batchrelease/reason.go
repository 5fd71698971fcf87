// SPDX-License-Identifier: Apache-2.0

package batchrelease

// A Reason is the reason of an action, or of a change that is held back.
type Reason string

// Reasons for which a batch waits. Have and Limit of a [kplan.Hold] are the two numbers
// that the comment compares.
const (
	ReasonNotObserved     Reason = "NotObserved"     // the workload has observed generation Have of Limit
	ReasonTooFewUpdated   Reason = "TooFewUpdated"   // Have pods are updated, Limit are to be
	ReasonReleaseOutdated Reason = "ReleaseOutdated" // the workload has another template than the one that is released
	ReasonRollbackFirst   Reason = "RollbackFirst"   // a blue-green release must be rolled back before the next one
	ReasonTooFewReady     Reason = "TooFewReady"     // Have pods are updated and ready or need not be, Limit are to be
	ReasonNoneReady       Reason = "NoneReady"       // no updated pod is ready of Limit
	ReasonTooFewLabelled  Reason = "TooFewLabelled"  // Have pods carry the label of the rollout, Limit are to
	ReasonNoControlInfo   Reason = "NoControlInfo"   // the workload does not name its BatchRelease
	ReasonMinReadySeconds Reason = "MinReadySeconds" // minReadySeconds is Have, not Limit, so new pods would count as available
	ReasonStrategyType    Reason = "StrategyType"    // the strategy is not RollingUpdate
	ReasonNoRollingUpdate Reason = "NoRollingUpdate" // the strategy has no limits
	ReasonDeadlineSeconds Reason = "DeadlineSeconds" // progressDeadlineSeconds is finite
)

// Reasons of actions of a BatchRelease.
const (
	ReasonFinalizer    Reason = "Finalizer"    // the object must not vanish before it is closed, or is closed
	ReasonInitialize   Reason = "Initialize"   // the workload is taken over
	ReasonUpgrade      Reason = "Upgrade"      // the current batch is released
	ReasonGiveBack     Reason = "GiveBack"     // the release ends
	ReasonBatchLabel   Reason = "BatchLabel"   // the pod was updated in this batch
	ReasonNoNeedUpdate Reason = "NoNeedUpdate" // the pod has the template of the rollback already
)

// Reasons for which a workload that was given back is waited for.
const (
	ReasonNotResumed   Reason = "NotResumed"   // it is still paused
	ReasonNotPromoted  Reason = "NotPromoted"  // Have pods are updated of Limit
	ReasonNotAvailable Reason = "NotAvailable" // Have pods are available, Limit have to be
)
