// SPDX-License-Identifier: Apache-2.0

// Package reason names the reasons of actions and holds in plans of Rollouts of OpenKruise.
package reason

import "github.com/kplan-go/kplan"

// Reasons of actions of a Rollout.
const (
	Finalizer      kplan.Reason = "Finalizer"      // the object must not vanish before its release is closed, or its release is closed
	GiveBack       kplan.Reason = "GiveBack"       // the workload is no longer driven
	WorkloadType   kplan.Reason = "WorkloadType"   // the workload lacks the label of its type, by which admission sees it
	Hash           kplan.Reason = "Hash"           // the strategy has changed
	RolloutID      kplan.Reason = "RolloutID"      // the release has another id
	Step           kplan.Reason = "Step"           // the current step asks for it
	Closing        kplan.Reason = "Closing"        // the release ends
	RestoreTraffic kplan.Reason = "RestoreTraffic" // traffic no longer has to be split
	PinTraffic     kplan.Reason = "PinTraffic"     // stable traffic must not reach new pods
	RouteTraffic   kplan.Reason = "RouteTraffic"   // the step leads traffic to new pods
)

// Reasons for which a Rollout waits. Have and Limit of a [kplan.Hold] are the two numbers that
// the comment compares.
const (
	NotObserved          kplan.Reason = "NotObserved"          // the BatchRelease has observed generation Have of Limit
	WorkloadNotFound     kplan.Reason = "WorkloadNotFound"     // the workload does not exist
	WorkloadInconsistent kplan.Reason = "WorkloadInconsistent" // its controller has not seen the last change
	NoUpdate             kplan.Reason = "NoUpdate"             // there is nothing to release
	Initializing         kplan.Reason = "Initializing"         // Have of Limit seconds have passed since the release was noticed
	SharedRouting        kplan.Reason = "SharedRouting"        // the TrafficRouting is being finalized, deleted, or gets the finalizer of this Rollout
	Paused               kplan.Reason = "Paused"               // the Rollout is paused
	RollbackFirst        kplan.Reason = "RollbackFirst"        // a blue-green release must be rolled back before the next one
	Approval             kplan.Reason = "Approval"             // a user has to confirm step Have of Limit
	Pause                kplan.Reason = "Pause"                // Have of Limit seconds of the pause have passed
	UnknownState         kplan.Reason = "UnknownState"         // this package does not know the state of the step
	ReleaseMissing       kplan.Reason = "ReleaseMissing"       // the BatchRelease is being created
	ReleaseOutdated      kplan.Reason = "ReleaseOutdated"      // the BatchRelease is being updated
	ReleaseExists        kplan.Reason = "ReleaseExists"        // the BatchRelease is being deleted
	ReleaseFinalizing    kplan.Reason = "ReleaseFinalizing"    // the BatchRelease gives the workload back
	PlanNotObserved      kplan.Reason = "PlanNotObserved"      // the BatchRelease has observed another plan than it has
	EarlierBatch         kplan.Reason = "EarlierBatch"         // the BatchRelease is at batch Have, the step is Limit
	BatchNotVerified     kplan.Reason = "BatchNotVerified"     // the pods of the step are ready, which the BatchRelease has yet to report
	BatchNotReady        kplan.Reason = "BatchNotReady"        // Have pods of the step are ready, it asks for Limit
	DeadlineExceeded     kplan.Reason = "DeadlineExceeded"     // Have seconds have passed since the upgrade of the step began, Limit are allowed
	Analysis             kplan.Reason = "Analysis"             // the analysis of the step runs
	AnalysisFailed       kplan.Reason = "AnalysisFailed"       // the analysis of the step has failed: a user has to decide
	Grace                kplan.Reason = "Grace"                // Have of Limit seconds have passed since traffic was changed, or the batch was ready
	TrafficChanged       kplan.Reason = "TrafficChanged"       // the routes are verified in the next pass
	TrafficMissing       kplan.Reason = "TrafficMissing"       // a Service, a route, an Ingress or its class does not exist
	NoStableService      kplan.Reason = "NoStableService"      // the stable Service to pin does not exist
	RevisionUnknown      kplan.Reason = "RevisionUnknown"      // the revisions of the Services are not known yet
)

// Reasons of admissions.
const (
	ReleaseBegins     kplan.Reason = "ReleaseBegins"     // the update enters a rollout
	ReleaseContinues  kplan.Reason = "ReleaseContinues"  // the workload is in a rollout and kept under control
	NoRollout         kplan.Reason = "NoRollout"         // no Rollout that is enabled and not being deleted names the workload
	NoStrategy        kplan.Reason = "NoStrategy"        // the Rollout has no strategy
	NoReplicas        kplan.Reason = "NoReplicas"        // no pods are wanted
	TemplateUnchanged kplan.Reason = "TemplateUnchanged" // the template is unchanged, and the update has no rollout ID
	SameRolloutID     kplan.Reason = "SameRolloutID"     // the same rollout ID means the same release
	NoPods            kplan.Reason = "NoPods"            // no ReplicaSet wants pods
	TwoVersions       kplan.Reason = "TwoVersions"       // traffic cannot be split while several versions run
	OtherStrategy     kplan.Reason = "OtherStrategy"     // the update strategy leaves pods alone
	NothingToChange   kplan.Reason = "NothingToChange"   // the workload is in a rollout, and as it has to be
)
