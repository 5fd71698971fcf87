package rollout

import "time"

// A WorkloadEvent is what a BatchRelease notices about its workload.
type WorkloadEvent string

// The events.
const (
	EventNormal          WorkloadEvent = "Normal"
	EventGone            WorkloadEvent = "Gone"             // the workload does not exist
	EventUnknown         WorkloadEvent = "Unknown"          // it could not be read
	EventReconciling     WorkloadEvent = "StillReconciling" // its controller has not seen the last change
	EventReplicasChanged WorkloadEvent = "ReplicasChanged"  // more or fewer pods are wanted than before
	EventRollbackInBatch WorkloadEvent = "RollbackInBatch"  // the template is that from before the release
	EventTemplateChanged WorkloadEvent = "PodTemplateChanged"
)

// EventOf returns what a BatchRelease notices about its workload. Nothing
// is noticed while it is being deleted.
func EventOf(s BatchSnapshot) WorkloadEvent {
	w, status := s.Workload, &s.Release.Status
	canary := s.Release.ReleasePlan.driver(s.Release.WorkloadRef) == DriverCanary
	if status.Phase == "" {
		status = &BatchStatus{ObservedWorkloadReplicas: -1}
	}
	switch {
	case !s.Release.DeletionTimestamp.IsZero():
		return EventNormal
	case s.Unreadable:
		return EventUnknown
	case w == nil:
		return EventGone
	case w.Status.ObservedGeneration < w.Generation:
		return EventReconciling
	case w.Status.Replicas == w.Status.UpdatedReplicas:
		return EventNormal // promoted
	case status.ObservedWorkloadReplicas != -1 && status.ObservedWorkloadReplicas != w.replicas():
		return EventReplicasChanged
	case status.UpdateRevision == "":
		return EventNormal
	case !canary && status.StableRevision != status.UpdateRevision && w.UpdateRevision == w.StableRevision && w.UpdateRevision == status.StableRevision:
		return EventRollbackInBatch
	case status.UpdateRevision != w.UpdateRevision:
		return EventTemplateChanged
	}
	return EventNormal
}

// special treats what comes before the phases. The first case counts.
func (st *batchPass) special() (stop bool, failure string) {
	read, s := &st.s.Release.Status, &st.p.Status
	phase := s.Phase
	plan := &st.s.Release.ReleasePlan
	progressing := phase == BatchProgressing
	w := st.s.Workload
	switch {
	case phase == BatchCompleted:
		return true, ""
	case !st.s.Release.DeletionTimestamp.IsZero() || phase == BatchFinalizing || plan.BatchPartition == nil:
		s.Phase = BatchFinalizing
	case progressing && read.ObservedReleasePlanHash != st.hash:
		st.restart()
	case progressing && int(read.Current.CurrentBatch) >= len(plan.Batches):
		*s = BatchStatus{Phase: BatchPreparing, ObservedWorkloadReplicas: -1, ObservedGeneration: s.ObservedGeneration}
	case st.event == EventUnknown:
		return true, "workload cannot be read"
	case st.event == EventGone && read.Phase != "" && phase != BatchInitial:
		s.Phase = BatchFinalizing
	case progressing && st.event == EventReplicasChanged:
		s.Current.BatchReadyTime, s.Current.BatchState = time.Time{}, BatchUpgrading
		s.ObservedWorkloadReplicas = w.replicas()
	case progressing && st.event == EventTemplateChanged:
		s.UpdateRevision = w.UpdateRevision
		return true, ""
	case st.event == EventReconciling:
		st.p.Holds = append(st.p.Holds, BatchHold{Name: w.Name, Reason: BatchReasonNotObserved, Have: w.Status.ObservedGeneration, Limit: w.Generation})
		return true, ""
	case progressing && s.Current.NoNeedUpdateReplicas == nil && st.rollback() && w != nil:
		if w.StableRevision != w.UpdateRevision || st.s.Release.Annotations[AnnotationRollbackInBatch] == "" {
			return true, ""
		}
		s.Phase, s.UpdateRevision = BatchPreparing, w.UpdateRevision
		s.Current.BatchReadyTime, s.Current.BatchState = time.Time{}, BatchUpgrading
	case progressing && st.event == EventNormal && w != nil && w.Status.Replicas == w.Status.UpdatedReplicas && st.opts.Repair.Has(TakenBackTemplateUnlabelled):
		s.UpdateRevision = w.UpdateRevision
	}
	return false, ""
}

func (st *batchPass) rollback() bool {
	return st.event == EventRollbackInBatch || st.s.Release.Annotations[AnnotationRollbackInBatch] != ""
}

// restart follows a plan that has changed: the batch is that of the plan, or the
// first under another rollout id.
func (st *batchPass) restart() {
	s, plan := &st.p.Status, &st.s.Release.ReleasePlan
	batch := int32(0)
	if s.ObservedRolloutID == plan.RolloutID {
		batch = min(*plan.BatchPartition, int32(len(plan.Batches))-1)
	}
	s.Current.BatchReadyTime, s.Current.BatchState, s.Current.CurrentBatch = time.Time{}, BatchUpgrading, batch
	s.ObservedRolloutID, s.ObservedReleasePlanHash = plan.RolloutID, st.hash
}
