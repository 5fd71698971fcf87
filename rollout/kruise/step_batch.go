package kruise

import (
	"maps"
	"strconv"

	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// observeRelease copies what the BatchRelease reports.
func (st *pass) observeRelease() {
	br := st.br
	if br == nil {
		return
	}
	c := &br.Status.Current
	st.sub.Replicas, st.sub.ReadyReplicas = c.UpdatedReplicas, c.UpdatedReadyReplicas
	st.sub.Message = "BatchRelease is at state " + string(c.BatchState) + ", rollout-id " + br.Status.ObservedRolloutID +
		", step " + strconv.Itoa(int(c.CurrentBatch)+1)
	if br.Status.Message != "" {
		st.sub.Message += ", " + br.Status.Message
	}
	if id := st.sub.ObservedRolloutID; id != br.ReleasePlan.RolloutID {
		st.add(PatchBatchRelease{Name: br.Name, UID: br.UID, RolloutID: &id, Reason: ReasonRolloutID})
		patched := *br
		patched.ReleasePlan.RolloutID = id
		st.br = &patched
	}
}

// ReleaseOf returns the BatchRelease that a Rollout wants at a step, as the
// spec and the annotations of one.
func ReleaseOf(r Rollout, w workload.State, step int32, repair workload.Quirks) batchrelease.Release {
	strategy := r.Strategy()
	br := batchrelease.Release{Name: r.Name, WorkloadRef: r.WorkloadRef}
	if strategy == nil {
		return br
	}
	last := step - 1
	br.ReleasePlan = batchrelease.ReleasePlan{
		BatchPartition: &last, RolloutID: w.RolloutID(repair), FailureThreshold: strategy.FailureThreshold, RollingStyle: r.Style(),
	}
	for i := range strategy.Steps {
		br.ReleasePlan.Batches = append(br.ReleasePlan.Batches, batchrelease.Batch{CanaryReplicas: strategy.Steps[i].Replicas})
	}
	if r.Style() != workload.BlueGreen {
		br.ReleasePlan.PatchPodTemplateMetadata = strategy.PatchPodTemplateMetadata.Clone()
		br.ReleasePlan.EnableExtraWorkloadForCanary = strategy.EnableExtraWorkloadForCanary
	}
	if w.InRollback {
		br.Annotations = map[string]string{workload.AnnotationRollbackInBatch: r.Annotations[workload.AnnotationRollbackInBatch]}
	}
	return br
}

// runBatch creates or updates the BatchRelease, and reports whether the batch of the
// current step is ready.
func (st *pass) runBatch() bool {
	want := ReleaseOf(*st.r, *st.w, st.sub.CurrentStepIndex, st.opts.Repair)
	br := st.br
	if br == nil {
		st.add(CreateBatchRelease{
			Name: want.Name, OwnerUID: st.r.UID, Annotations: want.Annotations, WorkloadRef: want.WorkloadRef,
			ReleasePlan: want.ReleasePlan, Reason: ReasonStep,
		})
		st.holdRelease(ReasonReleaseMissing, 0, 0)
		return false
	}
	if want.WorkloadRef != br.WorkloadRef || want.ReleasePlan.Text() != br.ReleasePlan.Text() || !maps.Equal(want.Annotations, br.Annotations) {
		st.add(UpdateBatchRelease{
			Name: br.Name, UID: br.UID, Annotations: want.Annotations, WorkloadRef: want.WorkloadRef,
			ReleasePlan: want.ReleasePlan, Reason: ReasonStep,
		})
		st.holdRelease(ReasonReleaseOutdated, 0, 0)
		return false
	}
	c := &br.Status.Current
	switch {
	case br.Status.ObservedReleasePlanHash != br.ReleasePlan.Hash() || br.Status.ObservedGeneration != br.Generation:
		st.holdRelease(ReasonNotObserved, br.Status.ObservedGeneration, br.Generation)
		return false
	case c.BatchState != batchrelease.StateReady || c.CurrentBatch+1 < st.sub.CurrentStepIndex:
		st.holdRelease(ReasonBatchNotReady, int64(c.UpdatedReadyReplicas), int64(partition.BatchSize(st.step().Replicas, st.w.Replicas)))
		return false
	}
	st.sub.PodTemplateHash = st.w.PodTemplateHash
	st.event("upgrade step(" + strconv.Itoa(int(st.sub.CurrentStepIndex)) + ") canary pods with new versions done")
	return true
}

func (st *pass) holdRelease(reason Reason, have, limit int64) {
	st.p.Holds = append(st.p.Holds, Hold{Name: st.r.Name, Reason: reason, Have: have, Limit: limit})
}

// deleteRelease deletes the BatchRelease, and reports whether it is gone.
func (st *pass) deleteRelease() bool {
	br := st.br
	if br == nil {
		return true
	}
	if br.DeletionTimestamp.IsZero() {
		st.add(DeleteBatchRelease{Name: br.Name, UID: br.UID, Reason: ReasonClosing})
	}
	st.holdRelease(ReasonReleaseExists, 0, 0)
	return false
}

// resume gives the workload back, and reports whether that is done.
func (st *pass) resume(waitReady bool) bool {
	br := st.br
	if br == nil {
		return true
	}
	policy := batchrelease.Immediate
	if waitReady {
		policy = batchrelease.WaitResume
	}
	if br.ReleasePlan.BatchPartition == nil {
		if br.Status.Phase == batchrelease.PhaseCompleted {
			return true
		}
		if (br.ReleasePlan.FinalizingPolicy == batchrelease.WaitResume) == waitReady {
			st.holdRelease(ReasonReleaseFinalizing, 0, 0)
			return false
		}
	}
	st.add(PatchBatchRelease{Name: br.Name, UID: br.UID, Finalize: policy, Reason: ReasonClosing})
	st.holdRelease(ReasonReleaseFinalizing, 0, 0)
	return false
}
