// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/reason"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// endWaits lets a function end the waits of objects of a table some time after their beginning.
// An object waits as long as another function returns the same text, and for nothing if that is "".
func endWaits[T any](e *Env, t *store.Table[T], after cluster.Spread, wait func(*T) string, end func(*T)) {
	begun := map[string]int{} // how many waits each name has begun
	t.Watch(func(old, o *T) {
		if o == nil || wait(o) == "" || old != nil && wait(old) == wait(o) {
			return
		}
		name := *t.Meta(o).Name
		begun[name]++
		n := begun[name]
		e.Agenda.After(after.At(e.Trouble.Float64()), agenda.Caller, func() {
			if o := t.Get(name); o != nil && begun[name] == n && wait(o) != "" {
				end(o)
			}
		})
	})
}

// attend lets a user approve, and analyses end, as configured. It has to watch all objects
// from the first on.
func (e *Env) attend() {
	if len(e.ApproveAfter) > 0 {
		endWaits(e, &e.Rollouts, e.ApproveAfter, e.waitsForPerson, func(r *store.Rollout) { e.approve(r) })
		endWaits(e, &e.ArgoRollouts, e.ApproveAfter, argoWaitsForPerson, func(r *cluster.ArgoRollout) { e.approveArgo(r) })
	}
	if e.passesAnalyses() || e.Analysis.Ends == argo.RunRunning {
		return
	}
	judged := map[string]bool{} // the Rollouts with an analysis that was inconclusive
	endWaits(e, &e.ArgoRollouts, e.Analysis.Takes, waitsForAnalysis, func(r *cluster.ArgoRollout) {
		phase := cmp.Or(e.Analysis.Ends, argo.RunSuccessful)
		if phase == argo.RunInconclusive {
			if judged[r.Name] {
				phase = argo.RunSuccessful
			}
			judged[r.Name] = true
		}
		q := apiserver.By(store.AnalysisController, r.Name)
		q.Verb = store.UpdateStatus
		apiserver.Update(e.Server, &e.ArgoRollouts, q, func(r *cluster.ArgoRollout) { runOf(r, &r.Status).Phase = phase })
	})
}

// runOf returns the analysis in a status that its step or promotion has, nil if it has none.
func runOf(r *cluster.ArgoRollout, s *argo.Status) *argo.Run {
	switch b := r.BlueGreen; {
	case b != nil && s.ActiveSelector == r.TemplateHash:
		return ifAny(b.PostPromotionAnalysis, &s.Runs.PostPromotion)
	case b != nil:
		return ifAny(b.PrePromotionAnalysis, &s.Runs.PrePromotion)
	}
	i := s.CurrentStepIndex
	return ifAny(i != nil && int(*i) >= 0 && int(*i) < len(r.Steps) && r.Steps[*i].Other != "", &s.Runs.Step)
}

func ifAny(there bool, run *argo.Run) *argo.Run {
	if !there {
		return nil
	}
	return run
}

// passesAnalyses reports whether analyses succeed at once, and need not be begun.
func (e *Env) passesAnalyses() bool {
	return len(e.Analysis.Takes) == 0 && (e.Analysis.Ends == "" || e.Analysis.Ends == argo.RunSuccessful)
}

// unended reports whether an analysis has not ended.
func unended(r argo.Run) bool {
	return r.Phase == "" || r.Phase == argo.RunPending || r.Phase == argo.RunRunning
}

// waitsForAnalysis returns the running analysis of a Rollout, or "".
func waitsForAnalysis(r *cluster.ArgoRollout) string {
	run := runOf(r, &r.Status)
	if run == nil || run.Phase == "" || !unended(*run) {
		return ""
	}
	step := int32(0)
	if i := r.Status.CurrentStepIndex; i != nil {
		step = *i
	}
	return fmt.Sprint(r.UID, " ", r.Status.CurrentPodHash, " ", step, " ", r.Status.ActiveSelector)
}

// begun returns a plan that begins the analysis for which it waits, as upstream's controller does
// outside of the plan.
func begun(r *cluster.ArgoRollout, p argo.Plan) argo.Plan {
	run := runOf(r, &p.Status)
	if run != nil && run.Phase == "" && slices.ContainsFunc(p.Holds, func(h kplan.Hold) bool { return h.Reason == reason.Analysis }) {
		run.Phase = argo.RunRunning
	}
	return p
}
