// SPDX-License-Identifier: Apache-2.0

package kruise

// A Reason is the reason of an action, or of a change that is held back.
type Reason string

// Reasons of actions of a Rollout.
const (
	ReasonFinalizer      Reason = "Finalizer"      // the object must not vanish before it is closed, or is closed
	ReasonGiveBack       Reason = "GiveBack"       // the workload is no longer driven
	ReasonWorkloadType   Reason = "WorkloadType"   // the workload lacks the label of its type, by which admission sees it
	ReasonHash           Reason = "Hash"           // the strategy has changed
	ReasonRolloutID      Reason = "RolloutID"      // the release has another id
	ReasonStep           Reason = "Step"           // the current step asks for it
	ReasonClosing        Reason = "Closing"        // the release ends
	ReasonRestoreTraffic Reason = "RestoreTraffic" // no traffic is to be led apart
	ReasonPinTraffic     Reason = "PinTraffic"     // stable traffic must not reach new pods
	ReasonRouteTraffic   Reason = "RouteTraffic"   // the step leads traffic to new pods
)

// Reasons for which a Rollout waits. Have and Limit of a [kplan.Hold] are the two numbers that
// the comment compares.
const (
	ReasonNotObserved          Reason = "NotObserved"          // the BatchRelease has observed generation Have of Limit
	ReasonWorkloadNotFound     Reason = "WorkloadNotFound"     // the workload does not exist
	ReasonWorkloadInconsistent Reason = "WorkloadInconsistent" // its controller has not seen the last change
	ReasonNoUpdate             Reason = "NoUpdate"             // there is nothing to release
	ReasonInitializing         Reason = "Initializing"         // Have of Limit seconds have passed since the release was noticed
	ReasonSharedRouting        Reason = "SharedRouting"        // the TrafficRouting is in use, or is being taken
	ReasonPaused               Reason = "Paused"               // the Rollout is paused
	ReasonRollbackFirst        Reason = "RollbackFirst"        // a blue-green release must be rolled back before the next one
	ReasonApproval             Reason = "Approval"             // a user has to confirm step Have of Limit
	ReasonPause                Reason = "Pause"                // Have of Limit seconds of the pause have passed
	ReasonUnknownState         Reason = "UnknownState"         // the state of the step is none that leads on
	ReasonReleaseMissing       Reason = "ReleaseMissing"       // the BatchRelease is being created
	ReasonReleaseOutdated      Reason = "ReleaseOutdated"      // the BatchRelease is being updated
	ReasonReleaseExists        Reason = "ReleaseExists"        // the BatchRelease is being deleted
	ReasonReleaseFinalizing    Reason = "ReleaseFinalizing"    // the BatchRelease gives the workload back
	ReasonPlanNotObserved      Reason = "PlanNotObserved"      // the BatchRelease has observed another plan than it has
	ReasonEarlierBatch         Reason = "EarlierBatch"         // the BatchRelease is at batch Have, the step is Limit
	ReasonBatchNotVerified     Reason = "BatchNotVerified"     // the pods of the step are ready, which the BatchRelease has yet to report
	ReasonBatchNotReady        Reason = "BatchNotReady"        // Have pods of the step are ready, it asks for Limit
	ReasonDeadlineExceeded     Reason = "DeadlineExceeded"     // Have seconds have passed since the step began, Limit are allowed
	ReasonAnalysis             Reason = "Analysis"             // the analysis of the step runs
	ReasonAnalysisFailed       Reason = "AnalysisFailed"       // the analysis of the step has failed: a user has to decide
	ReasonGrace                Reason = "Grace"                // Have of Limit seconds have passed since traffic was changed
	ReasonTrafficChanged       Reason = "TrafficChanged"       // the routes are verified in the next pass
	ReasonTrafficMissing       Reason = "TrafficMissing"       // a Service or a route does not exist
	ReasonNoStableService      Reason = "NoStableService"      // the stable Service cannot be pinned
	ReasonRevisionUnknown      Reason = "RevisionUnknown"      // the revisions of the Services are not known yet
)
