// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A pass is the input of one pass of a BatchRelease. It is read-only.
type pass struct {
	s      *Snapshot
	hash   string // of the release plan
	now    time.Time
	opts   Options
	driver workload.Driver
	kind   kind
	event  WorkloadEvent
}

// held returns a hold if the workload has another template than the one that the plan releases and
// [quirk.OtherTemplateReleased] is repaired. A Deployment released by partition or with a canary is
// held while it is prepared only: later, admission has stopped its controller, or the extra
// Deployment of the canary keeps its template. Preparing another kind releases no pod, so it is held
// in each batch. CloneSets and similar kinds are held only with the annotation of a release in
// progress, since a plan without a Rollout may have any rollout id.
func (st *pass) held(phase Phase) (holds []kplan.Hold) {
	reason, may := st.kind.held(phase == PhasePreparing, st.s.Workload.Annotations[workload.AnnotationInProgress] != "")
	if may && st.otherTemplate() {
		holds = []kplan.Hold{{Name: st.s.Workload.Name, Reason: reason}}
	}
	return holds
}

// otherTemplate reports whether the workload has another template than the one that the plan
// releases. It compares rollout ids: the user's or, without one, the hash of the revision at their
// end.
func (st *pass) otherTemplate() bool {
	w, released := st.s.Workload, st.s.Release.ReleasePlan.RolloutID
	if !st.opts.Repair.Has(quirk.OtherTemplateReleased) || released == "" {
		return false
	}
	id := workload.NamedRelease(w.Labels, w.Annotations, st.opts.Repair)
	if id == "" {
		id, released = workload.LastPart(w.UpdateRevision), workload.LastPart(released)
	}
	return id != "" && id != released
}

// initial is the status of a BatchRelease that begins.
func initial(generation int64) Status {
	return Status{Phase: PhasePreparing, ObservedWorkloadReplicas: -1, ObservedGeneration: generation}
}
