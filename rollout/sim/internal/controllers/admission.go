// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/workload"
)

// Releases reports whether a Rollout of the same namespace releases a workload.
func (e *Env) Releases(ref workload.Ref) bool {
	for _, r := range e.Rollouts.All() {
		if r.WorkloadRef.Same(ref) && apiserver.Namespace(r.Name) == apiserver.Namespace(ref.Name) {
			return true
		}
	}
	return false
}

// Admit changes a workload as a user does, as far as the admission of Rollouts lets the change
// through. It reports whether the workload is there.
func (e *Env) Admit(ref workload.Ref, change func(*workload.Workload)) bool {
	k, v := releasedOf(ref), e.Latest()
	old, _ := k.at(e, &v, ref)
	if old == nil {
		return false
	}
	changed := *old
	change(&changed)
	changed.Template.Hash = e.Hash(changed.Template, nil)
	s := kruise.AdmitSnapshot{Old: *old, New: changed, Sets: k.look(e, &v, old, workload.Partition).Sets}
	for _, r := range e.Rollouts.All() {
		if apiserver.Namespace(r.Name) == apiserver.Namespace(ref.Name) {
			s.Rollouts = append(s.Rollouts, r.Rollout)
		}
	}
	a, err := kruise.Admit(s, e.Rollout)
	if err != nil {
		e.Fail(fmt.Errorf("admission of %s: %w", ref.Name, err))
		return false
	}
	e.Tracef("admission: %v", a.Reason)
	if a.Changed {
		changed = a.Object
	}
	return apiserver.Done == k.change(e, apiserver.By(store.User, ref.Name), ref, func(workload.Workload) workload.Workload {
		changed.Generation = old.Generation + 1
		return changed
	})
}

// Approve lets a Rollout of OpenKruise or Argo go on that waits for a user. It reports whether
// there is one.
func (e *Env) Approve() bool {
	for _, r := range e.Rollouts.All() {
		if e.waitsForPerson(r) != "" {
			return e.approve(r)
		}
	}
	for _, r := range e.ArgoRollouts.All() {
		if argoWaitsForPerson(r) != "" {
			return e.approveArgo(r)
		}
	}
	return false
}

// waitsForPerson returns the step at which a Rollout waits for a user, or "".
func (e *Env) waitsForPerson(r *store.Rollout) string {
	sub := r.Status.Sub
	if r.Status.Phase != kruise.PhaseProgressing || sub == nil || sub.CurrentStepState != kruise.StatePaused {
		return ""
	}
	if kind, _ := kruise.PauseOf(r.Rollout, sub.CurrentStepIndex, sub.LastUpdateTime, e.Rollout.Repair); kind != kruise.PauseManual {
		return ""
	}
	return fmt.Sprint(r.UID, " ", sub.Revision, " ", sub.CurrentStepIndex)
}

// approve lets a Rollout go on that waits for a user. It reports whether that is done.
func (e *Env) approve(r *store.Rollout) bool {
	q := apiserver.By(store.User, r.Name)
	q.Verb = store.UpdateStatus
	_, a := apiserver.Update(e.Server, &e.Rollouts, q, func(r *store.Rollout) {
		next := *r.Status.Sub
		next.CurrentStepState = kruise.StateReady
		r.Status.Sub, r.Status.CurrentStepState = &next, kruise.StateReady
	})
	return a == apiserver.Done
}

// DeleteRollout marks a Rollout that has finalizers, and removes others. It reports whether there is
// one.
func (e *Env) DeleteRollout(name string) bool {
	r, o := apiserver.By(store.User, name), e.Rollouts.Get(name)
	switch {
	case o == nil:
		return false
	case len(o.Finalizers) == 0:
		return apiserver.Remove(e.Server, &e.Rollouts, r) == apiserver.Done
	case !o.DeletionTimestamp.IsZero():
		return true
	}
	r.Verb = store.Delete
	_, a := apiserver.Update(e.Server, &e.Rollouts, r, func(r *store.Rollout) {
		r.DeletionTimestamp = e.Agenda.Now()
		r.Generation++
	})
	return a == apiserver.Done
}

// deleteBatchRelease marks a BatchRelease that has finalizers, and removes others.
func (e *Env) deleteBatchRelease(r apiserver.Request) apiserver.Answer {
	o := e.BatchReleases.Get(r.Name)
	switch {
	case o == nil || len(o.Finalizers) == 0:
		return apiserver.Remove(e.Server, &e.BatchReleases, r)
	case !o.DeletionTimestamp.IsZero() && (r.UID == "" || r.UID == o.UID):
		return apiserver.Done
	}
	_, a := apiserver.Update(e.Server, &e.BatchReleases, r, func(br *store.BatchRelease) {
		br.DeletionTimestamp = e.Agenda.Now()
		br.Generation++
	})
	return a
}
