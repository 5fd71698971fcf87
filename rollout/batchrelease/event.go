// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A WorkloadEvent is a change of the workload that a BatchRelease reacts to.
type WorkloadEvent string

// The events.
const (
	EventNormal          WorkloadEvent = "Normal"
	EventGone            WorkloadEvent = "Gone"             // the workload does not exist
	EventUnknown         WorkloadEvent = "Unknown"          // the workload could not be read
	EventReconciling     WorkloadEvent = "StillReconciling" // the controller of the workload has not observed the last change
	EventReplicasChanged WorkloadEvent = "ReplicasChanged"  // the wanted number of pods has changed
	EventRollbackInBatch WorkloadEvent = "RollbackInBatch"  // the template is the one from before the release
	EventTemplateChanged WorkloadEvent = "PodTemplateChanged"
)

// EventOf returns the event of the workload of a BatchRelease. It is EventNormal while the
// BatchRelease is being deleted.
func EventOf(s Snapshot) WorkloadEvent {
	return eventOf(&s, kindOf(s.Release.ReleasePlan.driver(s.Release.WorkloadRef)))
}

// eventOf is [EventOf] with the kind of the workload, nil if the kind is unknown.
func eventOf(s *Snapshot, k kind) WorkloadEvent {
	w, status := s.Workload, &s.Release.Status
	returns := k == nil || k.returns()
	if status.Phase == "" {
		status = &Status{ObservedWorkloadReplicas: -1}
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
	case status.ObservedWorkloadReplicas != -1 && status.ObservedWorkloadReplicas != w.DesiredReplicas():
		return EventReplicasChanged
	case status.UpdateRevision == "":
		return EventNormal
	case returns && status.StableRevision != status.UpdateRevision && w.UpdateRevision == w.StableRevision && w.UpdateRevision == status.StableRevision:
		return EventRollbackInBatch
	case status.UpdateRevision != w.UpdateRevision:
		return EventTemplateChanged
	}
	return EventNormal
}

// notice runs before the phases: it returns the status with the event recorded, and reports
// whether the pass ends there. The first case counts.
func (st *pass) notice(s Status) (n outcome, stop bool) {
	read := &st.s.Release.Status
	phase := s.Phase
	plan := &st.s.Release.ReleasePlan
	progressing := phase == PhaseProgressing
	w := st.s.Workload
	switch {
	case phase == PhaseCompleted:
		stop = true
	case !st.s.Release.DeletionTimestamp.IsZero() || phase == PhaseFinalizing || plan.BatchPartition == nil:
		s.Phase = PhaseFinalizing
	case progressing && read.ObservedReleasePlanHash != st.hash:
		s = st.restarted(s)
	case progressing && int(read.Current.CurrentBatch) >= len(plan.Batches):
		s = initial(s.ObservedGeneration)
	case st.event == EventUnknown:
		n.failure, stop = "workload cannot be read", true
	case st.event == EventGone && read.Phase != "" && phase != PhaseInitial:
		s.Phase = PhaseFinalizing
	case progressing && st.event == EventReplicasChanged:
		s.Current.BatchReadyTime, s.Current.BatchState = time.Time{}, StateUpgrading
		s.ObservedWorkloadReplicas = w.DesiredReplicas()
	case progressing && st.event == EventTemplateChanged:
		s.UpdateRevision, stop = w.UpdateRevision, true
	case st.event == EventReconciling:
		n.holds, stop = []kplan.Hold{{Name: w.Name, Reason: reason.NotObserved, Have: w.Status.ObservedGeneration, Limit: w.Generation}}, true
	case progressing && s.Current.NoNeedUpdateReplicas == nil && st.rollback() && w != nil:
		stop = w.StableRevision != w.UpdateRevision || st.s.Release.Annotations[workload.AnnotationRollbackInBatch] == ""
		if !stop {
			s.Phase, s.UpdateRevision = PhasePreparing, w.UpdateRevision
			s.Current.BatchReadyTime, s.Current.BatchState = time.Time{}, StateUpgrading
		}
	case progressing && st.event == EventNormal && w != nil && w.Status.Replicas == w.Status.UpdatedReplicas && st.opts.Repair.Has(quirk.TakenBackTemplateUnlabelled):
		s.UpdateRevision = w.UpdateRevision
	}
	n.status = s
	return n, stop
}

func (st *pass) rollback() bool {
	return st.event == EventRollbackInBatch || st.s.Release.Annotations[workload.AnnotationRollbackInBatch] != ""
}

// restarted applies a changed plan: the batch is the BatchPartition of the plan, or the first
// batch if the rollout id has changed.
func (st *pass) restarted(s Status) Status {
	plan, batch := &st.s.Release.ReleasePlan, int32(0)
	if s.ObservedRolloutID == plan.RolloutID {
		batch = min(*plan.BatchPartition, int32(len(plan.Batches))-1)
	}
	s.Current.BatchReadyTime, s.Current.BatchState, s.Current.CurrentBatch = time.Time{}, StateUpgrading, batch
	s.ObservedRolloutID, s.ObservedReleasePlanHash = plan.RolloutID, st.hash
	if st.event == EventRollbackInBatch && st.s.Release.Annotations[workload.AnnotationRollbackInBatch] == "" && st.opts.Repair.Has(quirk.TakenBackTemplateUnlabelled) {
		s.UpdateRevision = st.s.Workload.UpdateRevision // a Rollout that goes on with the plan does not go back
	}
	return s
}
