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

// held holds a workload back that has another template than the one that the plan releases
// ([quirk.OtherTemplateReleased]). A Deployment by partition or with a canary is held before it is taken over: then
// admission stops its controller itself, and a canary keeps its template. Taking the others
// over releases no pod, so they are held in each batch; by partition only while they have
// the mark of a release, since a plan that no Rollout has made may name any id.
func (st *pass) held(phase Phase) (holds []kplan.Hold) {
	reason, may := st.kind.held(phase == PhasePreparing, st.s.Workload.Annotations[workload.AnnotationInProgress] != "")
	if may && st.otherTemplate() {
		holds = []kplan.Hold{{Name: st.s.Workload.Name, Reason: reason}}
	}
	return holds
}

// otherTemplate reports whether the workload has another template than the one that the plan
// releases, by the rollout id. That is the one that a user has given, or else one that ends
// with the hash of the revision, for every kind and also for a release that goes back.
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
