// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// approveArgo lets the first Rollout of Argo go on that waits for a person. It reports whether one
// did.
func (e *Env) approveArgo() bool {
	for _, r := range e.ArgoRollouts.All() {
		if !r.Status.ControllerPause || !waitsForPerson(&r.Rollout) {
			continue
		}
		request := apiserver.By(store.User, r.Name)
		request.Verb = store.UpdateStatus
		apiserver.Update(e.Server, &e.ArgoRollouts, request, func(r *cluster.ArgoRollout) { r.Status.PauseConditions = nil })
		return true
	}
	return false
}

// waitsForPerson reports whether a Rollout is paused, and no time ends that.
func waitsForPerson(r *argo.Rollout) bool {
	for _, p := range r.Status.PauseConditions {
		switch p.Reason {
		case argo.PauseStep:
			i := r.Status.CurrentStepIndex
			if i == nil || int(*i) < 0 || int(*i) >= len(r.Steps) || r.Steps[*i].Pause == nil || r.Steps[*i].Pause.Duration == nil {
				return true
			}
		case argo.PauseBlueGreen:
			if r.BlueGreen == nil || r.BlueGreen.AutoPromotionSeconds == 0 {
				return true
			}
		default:
			return true
		}
	}
	return false
}
