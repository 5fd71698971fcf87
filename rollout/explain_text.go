package rollout

import "fmt"

// holdText returns the reason of a hold as a sentence with its numbers.
func holdText(h Hold) string {
	a, b := h.Have, h.Limit
	switch h.Reason {
	case ReasonNotObserved:
		return fmt.Sprintf("generation %d is observed of %d", a, b)
	case ReasonSizeNotReached:
		return fmt.Sprintf("%d pods exist, %d are wanted", a, b)
	case ReasonTooFewUpdated:
		return fmt.Sprintf("%d pods are updated, %d have to be", a, b)
	case ReasonTooFewReady:
		return fmt.Sprintf("%d updated pods are ready or need not be, %d have to be", a, b)
	case ReasonNoneReady:
		return fmt.Sprintf("none of %d updated pods is ready", b)
	case ReasonTooFewLabelled:
		return fmt.Sprintf("%d pods carry the label of this rollout, %d have to", a, b)
	case ReasonBatchNotReady:
		return fmt.Sprintf("%d pods of the step are ready, it asks for %d", a, b)
	case ReasonApproval:
		return fmt.Sprintf("step %d of %d waits for a person", a, b)
	case ReasonInitializing, ReasonPause, ReasonGrace, ReasonDeadlineExceeded:
		return fmt.Sprintf("%d of %d seconds have passed", a, b)
	case ReasonNotPromoted:
		return fmt.Sprintf("%d pods are updated of %d", a, b)
	case ReasonNotAvailable:
		return fmt.Sprintf("%d pods are available, %d have to be", a, b)
	}
	return h.Reason.text()
}

// text returns a reason without numbers as a sentence.
func (r Reason) text() string {
	switch r {
	case ReasonNoUpdate:
		return "there is nothing to release"
	case ReasonPaused:
		return "the rollout is paused"
	case ReasonWorkloadNotFound:
		return "the workload does not exist"
	case ReasonWorkloadInconsistent:
		return "the controller of the workload has not seen its last change"
	case ReasonReleaseMissing, ReasonReleaseOutdated:
		return "the batch release is being written"
	case ReasonReleaseExists:
		return "the batch release is being deleted"
	case ReasonReleaseFinalizing, ReasonNotResumed:
		return "the workload is being given back"
	case ReasonTrafficChanged:
		return "the traffic has changed, and is verified in the next pass"
	case ReasonTrafficMissing, ReasonNoStableService:
		return "a service or a route does not exist"
	case ReasonSharedRouting:
		return "the traffic routing is in use, or is being taken"
	case ReasonRollbackFirst:
		return "another template comes in the middle of a blue-green release"
	case ReasonUnknownState:
		return "the state of the step leads nowhere"
	case ReasonRevisionUnknown:
		return "the revisions that services select are not known yet"
	case ReasonAnalysis:
		return "the analysis of the step runs"
	case ReasonAnalysisFailed:
		return "the analysis of the step has failed"
	case ReasonNoControlInfo, ReasonMinReadySeconds, ReasonStrategyType, ReasonNoRollingUpdate, ReasonDeadlineSeconds:
		return "somebody has changed the workload since it was prepared: " + string(r)
	}
	return string(r)
}

// remedy returns what ends a wait, "" if nobody has to do anything.
func (r Reason) remedy() string {
	switch r {
	case ReasonApproval:
		return "set currentStepState of the status to StepReady"
	case ReasonPaused:
		return "unset paused of the rollout"
	case ReasonWorkloadNotFound:
		return "create the workload"
	case ReasonTrafficMissing, ReasonNoStableService:
		return "create what the traffic routing names"
	case ReasonRollbackFirst:
		return "roll back to the stable template before the next release"
	case ReasonTooFewReady, ReasonNoneReady:
		return "look at the pods that are not ready, or raise the failure threshold"
	case ReasonDeadlineExceeded:
		return "roll back, or release a template that works"
	case ReasonAnalysisFailed:
		return "roll back, or set currentStepState of the status to StepReady"
	case ReasonUnknownState:
		return "set currentStepState of the status to one of the states of a step"
	case ReasonMinReadySeconds, ReasonStrategyType, ReasonNoRollingUpdate, ReasonDeadlineSeconds:
		return "undo what was changed about the workload"
	}
	return ""
}
