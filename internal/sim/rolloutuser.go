// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"slices"

	"github.com/kplan-go/kplan/internal/apply"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// changeDeployed gives the Deployment another template.
func (w *World) changeDeployed() {
	id := w.someTemplate()
	if w.admit(func(d *workload.Workload) { d.Template = revision.Template{ID: id} }) {
		w.count(TemplateChanged)
	}
}

// admit changes the workload, as far as admission lets the change through.
func (w *World) admit(f func(*workload.Workload)) bool {
	k, view := releasedOf(w.ref), w.latest()
	old, _ := k.at(w, view, w.ref.Name)
	if old == nil {
		return false
	}
	changed := *old
	f(&changed)
	changed.Template = k.template(w, old.Name, changed.Template.ID)
	snapshot := kruise.AdmitSnapshot{Old: *old, New: changed, Sets: k.look(w, view, old, workload.Partition).Sets}
	for _, r := range w.store.rollouts.all() {
		snapshot.Rollouts = append(snapshot.Rollouts, r.Rollout)
	}
	options := kruise.Options{Repair: workload.RepairAll}
	a, err := kruise.Admit(snapshot, options)
	if err != nil {
		w.fail(fmt.Errorf("admission: %w", err))
		return false
	}
	w.tracef("admission: %v", a.Reason)
	if o := w.Observer.Admission; o != nil {
		w.fail(o(Planned[kruise.AdmitSnapshot, kruise.Options, kruise.Admission]{
			By: Actor{Role: User}, Snapshot: snapshot, Now: w.now, Options: options, Plan: a, Fair: w.fair,
		}))
	}
	if a.Changed {
		changed = a.Object
	}
	if a.Reason == kruise.ReasonReleaseBegins {
		w.abandoned = false
	}
	r := by(User)
	r.name = old.Name
	k.change(w, r, func(workload.Workload) workload.Workload {
		changed.Generation = old.Generation + 1
		return changed
	})
	return true
}

// approve lets a Rollout go on that waits for a person. It reports whether there is one.
func (w *World) approve() bool {
	for _, r := range w.store.rollouts.all() {
		sub := r.Status.Sub
		if r.Status.Phase != kruise.PhaseProgressing || sub == nil || sub.CurrentStepState != kruise.StatePaused {
			continue
		}
		if kind, _ := kruise.PauseOf(r.Rollout, sub.CurrentStepIndex, sub.LastUpdateTime, workload.RepairAll); kind != kruise.PauseManual {
			continue
		}
		q := by(User)
		q.name, q.verb = r.Name, UpdateStatus
		update(w, &w.store.rollouts, q, func(r *Rollout) {
			next := *sub
			next.CurrentStepState = kruise.StateReady
			r.Status.Sub, r.Status.CurrentStepState = &next, kruise.StateReady
		})
		return true
	}
	return false
}

// resume lets a workload go on that a Rollout has left paused, or with old pods to keep,
// because it was deleted or disabled, and reports whether there is one. If no Rollout is left the mark of
// admission goes too: a Rollout that is deleted before its controller has put its
// finalizer there is gone at once, and nobody plans for what it was let in for.
func (w *World) resume() bool {
	o := w.driven()
	if o == nil || !o.Paused && o.Partition.IsZero() && !(w.letGo() && o.ControlledBy() != "") || len(w.store.batchReleases.all()) > 0 {
		return false
	}
	deserted, marked := len(w.store.rollouts.all()) == 0, o.Annotations[workload.AnnotationInProgress] != ""
	if !deserted && (marked || !w.abandoned && !w.letGo()) {
		return false
	}
	r := by(User)
	r.name = o.Name
	releasedOf(w.ref).change(w, r, func(o workload.Workload) workload.Workload {
		o.Partition = rollout.IntOrPercent{}
		o.Paused, o.Annotations = false, apply.Without(o.Annotations, workload.AnnotationInProgress)
		if podset.Known(o.Ref) {
			o.Annotations = apply.Without(o.Annotations, partition.AnnotationControlInfo)
		}
		o.Generation++
		return o
	})
	return true
}

// letGo reports whether no Rollout has anything to do with a CloneSet or a StatefulSet. It
// may still keep old pods: the status of a CloneSet that has few pods left says that the new
// revision is the stable one, and the Rollout takes that for a rollback before a batch has
// taken the set over. Or a batch that sees the past has taken over what it had given back.
func (w *World) letGo() bool {
	return podset.Known(w.ref) && !slices.ContainsFunc(w.store.rollouts.all(), func(r *Rollout) bool { return r.Status.Phase != kruise.PhaseHealthy })
}

// rollBackFirst takes back a template that came in the middle of a blue-green release,
// which the Rollout waits for. It reports whether there is one.
func (w *World) rollBackFirst() bool {
	d := w.driven()
	for _, r := range w.store.rollouts.all() {
		if sub := r.Status.Sub; d != nil && r.BlueGreen != nil && sub != nil && sub.StableRevision != "" &&
			r.Status.Phase == kruise.PhaseProgressing && d.Template.ID != sub.Revision && d.Template.ID != sub.StableRevision {
			return w.admit(func(d *workload.Workload) { d.Template = revision.Template{ID: sub.StableRevision} })
		}
	}
	return false
}
