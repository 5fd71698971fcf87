// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"

	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// argoWaitsForPerson returns the pauses of a Rollout of Argo, "" if none of them lasts until a
// user ends it.
func argoWaitsForPerson(r *cluster.ArgoRollout) string {
	if !r.Status.ControllerPause || !slices.ContainsFunc(r.Status.PauseConditions, func(p argo.PauseCondition) bool { return endless(&r.Rollout, p) }) {
		return ""
	}
	return fmt.Sprint(r.UID, " ", r.Status.CurrentPodHash, " ", r.Status.PauseConditions)
}

// endless reports whether no time ends a pause.
func endless(r *argo.Rollout, p argo.PauseCondition) bool {
	switch p.Reason {
	case argo.PauseStep:
		i := r.Status.CurrentStepIndex
		return i == nil || int(*i) < 0 || int(*i) >= len(r.Steps) || r.Steps[*i].Pause == nil || r.Steps[*i].Pause.Duration == nil
	case argo.PauseBlueGreen:
		return r.BlueGreen == nil || r.BlueGreen.AutoPromotionSeconds == 0
	}
	return true
}

// approveArgo ends the pauses of a Rollout of Argo. It reports whether that is done.
func (e *Env) approveArgo(r *cluster.ArgoRollout) bool {
	q := apiserver.By(store.User, r.Name)
	q.Verb = store.UpdateStatus
	_, a := apiserver.Update(e.Server, &e.ArgoRollouts, q, func(r *cluster.ArgoRollout) { r.Status.PauseConditions = nil })
	return a == apiserver.Done
}
