// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"maps"
	"strconv"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// observeRelease copies the counts of the BatchRelease, and gives it the id of the release.
func (st *pass) observeRelease(n outcome) outcome {
	br := n.br
	if br == nil {
		return n
	}
	c := &br.Status.Current
	n.sub.Replicas, n.sub.ReadyReplicas = c.UpdatedReplicas, c.UpdatedReadyReplicas
	n.sub.Message = "BatchRelease is at state " + string(c.BatchState) + ", rollout-id " + br.Status.ObservedRolloutID +
		", step " + strconv.Itoa(int(c.CurrentBatch)+1)
	if br.Status.Message != "" {
		n.sub.Message += ", " + br.Status.Message
	}
	if id := n.sub.ObservedRolloutID; id != br.ReleasePlan.RolloutID {
		n.writes[writeRolloutID] = PatchBatchRelease{Name: br.Name, UID: br.UID, RolloutID: &id, Reason: reason.RolloutID}
		patched := *br
		patched.ReleasePlan.RolloutID = id
		n.br = &patched
	}
	return n
}

// ReleaseOf returns the desired BatchRelease of a Rollout at a step: its spec and annotations.
func ReleaseOf(r Rollout, w workload.State, step int32, repair quirk.Set) batchrelease.Release {
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

// runBatch creates or updates the BatchRelease. The second result reports whether the batch
// of the step is ready.
func (st *pass) runBatch(n outcome, step *Step) (outcome, bool) {
	want := ReleaseOf(*st.r, *st.w, n.sub.CurrentStepIndex, st.opts.Repair)
	br := n.br
	if br == nil {
		n.writes[writeRelease] = CreateBatchRelease{
			Name: want.Name, OwnerUID: st.r.UID, Annotations: want.Annotations, WorkloadRef: want.WorkloadRef,
			ReleasePlan: want.ReleasePlan, Reason: reason.Step,
		}
		n.holdRelease(st.r.Name, reason.ReleaseMissing, 0, 0)
		return n, false
	}
	if st.ended() && st.has(quirk.EndingReleaseCounts) {
		n.holdRelease(st.r.Name, reason.ReleaseExists, 0, 0)
		return n, false
	}
	if want.WorkloadRef != br.WorkloadRef || want.ReleasePlan.Text() != br.ReleasePlan.Text() || !maps.Equal(want.Annotations, br.Annotations) {
		n.writes[writeRelease] = UpdateBatchRelease{
			Name: br.Name, UID: br.UID, Annotations: want.Annotations, WorkloadRef: want.WorkloadRef,
			ReleasePlan: want.ReleasePlan, Reason: reason.Step,
		}
		n.holdRelease(st.r.Name, reason.ReleaseOutdated, 0, 0)
		return n, false
	}
	if why, have, limit := st.unready(n, step); why != "" {
		n.holdRelease(st.r.Name, why, have, limit)
		return n, false
	}
	n.sub.PodTemplateHash = st.w.PodTemplateHash
	n.event("upgrade step(" + strconv.Itoa(int(n.sub.CurrentStepIndex)) + ") canary pods with new versions done")
	return n, true
}

// unready returns why the BatchRelease does not report that the batch of the step is ready, or "".
func (st *pass) unready(n outcome, step *Step) (why kplan.Reason, have, limit int64) {
	status, index := &n.br.Status, n.sub.CurrentStepIndex
	ready, asked := int64(status.Current.UpdatedReadyReplicas), int64(partition.BatchSize(step.Replicas, st.w.Replicas))
	switch {
	case status.ObservedGeneration < n.br.Generation:
		return reason.NotObserved, status.ObservedGeneration, n.br.Generation
	case status.ObservedGeneration > n.br.Generation || status.ObservedReleasePlanHash != n.br.ReleasePlan.Hash():
		return reason.PlanNotObserved, 0, 0
	case status.Current.CurrentBatch+1 < index:
		return reason.EarlierBatch, int64(status.Current.CurrentBatch) + 1, int64(index)
	case status.Current.BatchState == batchrelease.StateReady:
		return "", 0, 0
	case ready < asked:
		return reason.BatchNotReady, ready, asked
	}
	return reason.BatchNotVerified, 0, 0
}

// deleteRelease deletes the BatchRelease. The second result is false until it is gone.
func (st *pass) deleteRelease(n outcome) (outcome, bool) {
	br := n.br
	if br == nil {
		return n, true
	}
	if br.DeletionTimestamp.IsZero() {
		n.writes[writeRelease] = DeleteBatchRelease{Name: br.Name, UID: br.UID, Reason: reason.Closing}
	}
	n.holdRelease(st.r.Name, reason.ReleaseExists, 0, 0)
	return n, false
}

// resume gives the workload back. The second result is false until that is done.
func (st *pass) resume(n outcome, waitReady bool) (outcome, bool) {
	br := n.br
	if br == nil {
		return n, true
	}
	policy := batchrelease.Immediate
	if waitReady {
		policy = batchrelease.WaitResume
	}
	asked := br.ReleasePlan.BatchPartition == nil
	if asked && br.Status.Phase == batchrelease.PhaseCompleted {
		return n, true
	}
	if !asked || (br.ReleasePlan.FinalizingPolicy == batchrelease.WaitResume) != waitReady {
		n.writes[writeRelease] = PatchBatchRelease{Name: br.Name, UID: br.UID, Finalize: policy, Reason: reason.Closing}
	}
	n.holdRelease(st.r.Name, reason.ReleaseFinalizing, 0, 0)
	return n, false
}
