package rollout

import "github.com/kplan-go/kplan/selector"

// A BatchReason says why a plan does, or holds back, something.
type BatchReason string

// A BatchHold is what was considered and held back:
//
//	Node   string // always ""
//	Name   string // the object it concerns; "" is the BatchRelease
//	Reason BatchReason
//	Have   int64 // the number that Reason compares
//	Limit  int64 // and what it is compared with
//
//	String() string // one line such as "held back: TooFewUpdated (1 of 2)"
type BatchHold = selector.Hold[BatchReason]

// Reasons for which a batch waits. Have and Limit of a [BatchHold] are the two numbers
// that the comment compares.
const (
	BatchReasonNotObserved     BatchReason = "NotObserved"     // the workload has observed generation Have of Limit
	BatchReasonTooFewUpdated   BatchReason = "TooFewUpdated"   // Have pods are updated, Limit are to be
	BatchReasonReleaseOutdated BatchReason = "ReleaseOutdated" // the workload has another template than the one that is released
	BatchReasonRollbackFirst   BatchReason = "RollbackFirst"   // a blue-green release must be rolled back before the next one
	ReasonTooFewReady          BatchReason = "TooFewReady"     // Have pods are updated and ready or need not be, Limit are to be
	ReasonNoneReady            BatchReason = "NoneReady"       // no updated pod is ready of Limit
	ReasonTooFewLabelled       BatchReason = "TooFewLabelled"  // Have pods carry the label of the rollout, Limit are to
	ReasonNoControlInfo        BatchReason = "NoControlInfo"   // the workload does not name its BatchRelease
	ReasonMinReadySeconds      BatchReason = "MinReadySeconds" // minReadySeconds is Have, not Limit, so new pods would count as available
	ReasonStrategyType         BatchReason = "StrategyType"    // the strategy is not RollingUpdate
	ReasonNoRollingUpdate      BatchReason = "NoRollingUpdate" // the strategy has no limits
	ReasonDeadlineSeconds      BatchReason = "DeadlineSeconds" // progressDeadlineSeconds is finite
)

// Reasons of actions of a BatchRelease.
const (
	BatchReasonFinalizer BatchReason = "Finalizer"    // the object must not vanish before it is closed, or is closed
	ReasonInitialize     BatchReason = "Initialize"   // the workload is taken over
	ReasonUpgrade        BatchReason = "Upgrade"      // the current batch is released
	BatchReasonGiveBack  BatchReason = "GiveBack"     // the release ends
	ReasonBatchLabel     BatchReason = "BatchLabel"   // the pod was updated in this batch
	ReasonNoNeedUpdate   BatchReason = "NoNeedUpdate" // the pod has the template of the rollback already
)

// Reasons for which a workload that was given back is waited for.
const (
	ReasonNotResumed   BatchReason = "NotResumed"   // it is still paused
	ReasonNotPromoted  BatchReason = "NotPromoted"  // Have pods are updated of Limit
	ReasonNotAvailable BatchReason = "NotAvailable" // Have pods are available, Limit have to be
)
