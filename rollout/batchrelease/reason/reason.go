// SPDX-License-Identifier: Apache-2.0

// Package reason names the reasons of actions and holds in plans of BatchReleases.
package reason

import "github.com/kplan-go/kplan"

// Reasons for which a batch waits. Have and Limit of a [kplan.Hold] are the two numbers
// that the comment compares.
const (
	NotObserved     kplan.Reason = "NotObserved"     // the workload has observed generation Have of Limit
	TooFewUpdated   kplan.Reason = "TooFewUpdated"   // Have pods are updated, Limit are to be
	ReleaseOutdated kplan.Reason = "ReleaseOutdated" // the workload has another template than the one that is released
	RollbackFirst   kplan.Reason = "RollbackFirst"   // a blue-green release must be rolled back before the next one
	TooFewReady     kplan.Reason = "TooFewReady"     // Have pods are updated and ready or need not be, Limit are to be
	NoneReady       kplan.Reason = "NoneReady"       // no updated pod is ready of Limit
	TooFewLabelled  kplan.Reason = "TooFewLabelled"  // Have pods carry the label of the rollout, Limit are to
	NoControlInfo   kplan.Reason = "NoControlInfo"   // the workload does not name its BatchRelease
	MinReadySeconds kplan.Reason = "MinReadySeconds" // minReadySeconds is Have, not Limit, so new pods would count as available
	StrategyType    kplan.Reason = "StrategyType"    // the strategy is not RollingUpdate
	NoRollingUpdate kplan.Reason = "NoRollingUpdate" // the strategy has no limits
	DeadlineSeconds kplan.Reason = "DeadlineSeconds" // progressDeadlineSeconds is finite
)

// Reasons of actions of a BatchRelease.
const (
	Finalizer    kplan.Reason = "Finalizer"    // the object must not vanish before it is closed, or is closed
	Initialize   kplan.Reason = "Initialize"   // the workload is taken over
	Upgrade      kplan.Reason = "Upgrade"      // the current batch is released
	GiveBack     kplan.Reason = "GiveBack"     // the release ends
	BatchLabel   kplan.Reason = "BatchLabel"   // the pod was updated in this batch
	NoNeedUpdate kplan.Reason = "NoNeedUpdate" // the pod has the template of the rollback already
)

// Reasons for which a workload that was given back is waited for.
const (
	NotResumed   kplan.Reason = "NotResumed"   // it is still paused
	NotPromoted  kplan.Reason = "NotPromoted"  // Have pods are updated of Limit
	NotAvailable kplan.Reason = "NotAvailable" // Have pods are available, Limit have to be
)
