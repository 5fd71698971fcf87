// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"reflect"

	"github.com/kplan-go/kplan/rollout/argo"
)

// PutArgoRollout makes r the wanted state. Of the status it takes over what people say there:
// to give up, to promote in full, and how analyses went.
func (f *Fleet) PutArgoRollout(r ArgoRollout) error {
	f.wants(ArgoController)
	f.wants(ReplicaSetController)
	r.Generation = max(r.Generation, 1)
	return put(f, &f.w.store.argos, &r, func(old *ArgoRollout) {
		said := r.Status
		r.UID, r.Status, r.Routes, r.Generation = old.UID, old.Status, old.Routes, old.Generation
		r.ResourceVersion = old.ResourceVersion
		if !reflect.DeepEqual(r, *old) {
			r.Generation++
		}
		r.Status.Abort, r.Status.PromoteFull = r.Status.Abort || said.Abort, r.Status.PromoteFull || said.PromoteFull
		if said.Runs != (argo.Runs{}) {
			r.Status.Runs = said.Runs
		}
	})
}

// approveArgo lets a Rollout of Argo go on that waits for a person.
func (f *Fleet) approveArgo() bool {
	t := &f.w.store.argos
	for _, r := range t.all() {
		if !r.Status.ControllerPause || !waitsForPerson(&r.Rollout) {
			continue
		}
		q := by(User)
		q.name, q.verb = r.Name, UpdateStatus
		update(f.w, t, q, func(r *ArgoRollout) { r.Status.PauseConditions = nil })
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

// ArgoRollouts returns all of them.
func (v View) ArgoRollouts() []*ArgoRollout { return rows(&v, &v.w.store.argos) }
