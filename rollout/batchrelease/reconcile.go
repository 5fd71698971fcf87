// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/quirkset"
	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// Reconcile returns the next step of the BatchRelease in s at the time now. It performs nothing.
// The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError] for each invalid field.
func Reconcile(s Snapshot, now time.Time, opts Options) (Plan, error) {
	if err := admit(&s, now, opts); err != nil {
		return Plan{}, err
	}
	st := &pass{s: &s, hash: s.Release.ReleasePlan.Hash(), now: now.Round(0).UTC(), opts: opts}
	st.driver = s.Release.ReleasePlan.driver(s.Release.WorkloadRef)
	st.kind = kindOf(st.driver)
	st.event = eventOf(&s, st.kind)
	next := st.next()
	return next.plan(st.now), nil
}

// next returns the result of the pass. If an event or the current numbers change the status, the
// pass only writes the status: the phase runs in the next pass.
func (st *pass) next() outcome {
	br := &st.s.Release
	finalizer := st.finalizer()
	status := br.Status.clone()
	status.ObservedGeneration = br.Generation
	if !br.DeletionTimestamp.IsZero() && status.Phase == PhaseCompleted {
		return outcome{status: status, writes: writes{finalizer: finalizer}}
	}
	if status.Phase == "" {
		status = initial(br.Generation)
	}
	n, stop := st.notice(status)
	n.status = st.reported(n.status)
	switch {
	case n.failure != "":
	case !sameStatus(&br.Status, &n.status):
		n.again = true
	case !stop:
		n = st.act(n.status)
	}
	n.writes.finalizer = finalizer
	return n
}

func admit(s *Snapshot, now time.Time, opts Options) error {
	var es kplan.FieldErrors
	quirkset.Check(&es, uint64(opts.Repair), uint64(quirk.All))
	if now.IsZero() {
		es.Add("now", now, "must be set")
	}
	if s.Release.Name == "" {
		es.Add("Release.Name", "", "must be set")
	}
	if s.Release.ReleasePlan.driver(s.Release.WorkloadRef) == "" {
		es.Add("Release.WorkloadRef", s.Release.WorkloadRef.GroupKind(), workload.KnownKinds)
	}
	if w := s.Workload; w != nil {
		if s.Release.ReleasePlan.driver(w.Ref) == "" {
			es.Add("Workload.WorkloadRef", w.Ref.GroupKind(), workload.KnownKinds)
		}
		es.NotNegative("Workload.Replicas", w.DesiredReplicas())
	}
	if w := s.Canary; w != nil {
		es.NotNegative("Canary.Replicas", w.DesiredReplicas())
	}
	return es.Join()
}

// finalizer returns the action that sets the finalizer, or removes it at the end, or nil.
func (st *pass) finalizer() Action {
	br := &st.s.Release
	ended := !br.DeletionTimestamp.IsZero() && br.Status.Phase == PhaseCompleted
	if slices.Contains(br.Finalizers, workload.FinalizerBatchRelease) != ended {
		return nil
	}
	return SetFinalizer{Kind: "BatchRelease", Name: br.Name, UID: br.UID, Finalizer: workload.FinalizerBatchRelease, Remove: ended, Reason: reason.Finalizer}
}

// sameStatus reports whether nothing but the generation differs.
func sameStatus(a, b *Status) bool {
	x := *a
	x.ObservedGeneration = b.ObservedGeneration
	return x.equal(b)
}

// reported returns a status with the counts of the workload.
func (st *pass) reported(s Status) Status {
	if w := st.s.Workload; w != nil && !st.s.Unreadable && st.s.Release.DeletionTimestamp.IsZero() && st.event != EventGone {
		s.Current.UpdatedReplicas, s.Current.UpdatedReadyReplicas = st.kind.pods(w, st.s.Canary)
	}
	if s.ObservedReleasePlanHash == "" {
		s.ObservedReleasePlanHash = st.hash
	}
	s.ObservedRolloutID = st.s.Release.ReleasePlan.RolloutID
	return s
}

// act runs the phase.
func (st *pass) act(s Status) outcome {
	switch s.Phase {
	case PhaseProgressing:
		return st.progress(s)
	case PhaseFinalizing:
		return st.giveBack(s)
	case PhaseCompleted:
		return outcome{status: s}
	}
	s.Phase = PhasePreparing
	return st.initialize(s)
}
