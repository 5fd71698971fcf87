// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"maps"
	"math"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder/pausepoint"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// NewDeployments returns a world with a Deployment, which a person changes in any
// respect at any time, and controllers of Deployments and ReplicaSets.
func NewDeployments(seed uint64, faults Faults) *World {
	w := newWorld(seed, faults)
	w.weakHash = w.chance(Collision, 0.3)
	options, setOptions := w.someDeploymentOptions(), replicaset.Options{Repair: replicaset.RepairAll, Burst: w.random.Int32N(4) + 4}
	w.addDeploymentController(options)
	w.addReplicaSetController(setOptions)
	if w.chance(Overlap, 0.3) {
		w.count(TwoLeaders)
		if w.random.IntN(2) == 0 {
			w.addDeploymentController(options)
		} else {
			w.addReplicaSetController(setOptions)
		}
	}
	w.disturb = append(podDisturbances(), deploymentDisturbances()...)
	w.createDeployment()
	w.heal = append(w.heal, (*World).healDeployments)
	w.check = (*World).checkDeployments
	return w
}

// someDeploymentOptions returns options that lead to a finished rollout.
func (w *World) someDeploymentOptions() deploy.Options {
	o := deploy.Options{Repair: deploy.RepairAll}
	if w.random.IntN(3) == 0 {
		pick := w.random
		o.Terminating = []deploy.TerminatingPolicy{"", deploy.TerminationComplete, deploy.TerminationKnown}[pick.IntN(3)]
		o.Paused = []deploy.PausedPolicy{"", deploy.PausedScale, deploy.PausedFreeze}[pick.IntN(3)]
		o.Leftover = []deploy.LeftoverPolicy{"", deploy.LeftoverLargest, deploy.LeftoverNewest}[pick.IntN(3)]
		o.RolloutFirst, o.WeighByAvailable, o.StrictAvailable = pick.IntN(2) == 0, pick.IntN(2) == 0, pick.IntN(2) == 0
	}
	return o
}

func (w *World) createDeployment() {
	d := &Deployment{Deployment: deploy.Deployment{
		Name: "web", Generation: 1, Selector: selector.FromLabels(appWeb), TemplateLabels: appWeb,
		Template: revision.Template{ID: w.someTemplate()}, Replicas: ptr.To(w.random.Int32N(7)),
		ProgressDeadlineSeconds: ptr.To(int32(600)), RevisionHistoryLimit: ptr.To(int32(10)), // as the API server stores them
	}, CreatedAt: w.now}
	w.someStrategy(&d.Deployment)
	if w.random.IntN(4) == 0 {
		d.MinReadySeconds = w.random.Int32N(6)
	}
	if w.random.IntN(3) == 0 {
		d.RevisionHistoryLimit = ptr.To(w.random.Int32N(3))
	}
	create(w, &w.store.deployments, by(User), d)
}

func (w *World) someTemplate() string { return string(rune('a' + w.random.IntN(4))) }

func (w *World) someStrategy(d *deploy.Deployment) {
	limit := func() rollout.IntOrPercent {
		switch w.random.IntN(3) {
		case 0:
			return rollout.Percent(25)
		case 1:
			return rollout.Int(w.random.Int32N(4))
		}
		return rollout.Percent(w.random.Int32N(11) * 10)
	}
	d.MaxSurge, d.MaxUnavailable = limit(), limit()
	d.Strategy = deploy.RollingUpdate
	if w.random.IntN(5) == 0 {
		d.Strategy = deploy.Recreate
	}
}

// deploymentDisturbances are what a person and others do to Deployments and ReplicaSets.
func deploymentDisturbances() []disturbance {
	return []disturbance{
		{Spec, 2, (*World).changeTemplate},
		{Spec, 1.5, (*World).changeReplicas},
		{Spec, 0.7, (*World).autoscale},
		{Spec, 0.5, onDeployment(StrategyChanged, func(w *World, d *Deployment) { w.someStrategy(&d.Deployment) })},
		{Spec, 0.7, onDeployment(PauseChanged, func(_ *World, d *Deployment) { d.Paused = !d.Paused })},
		{Spec, 0.2, onDeployment(SelectorChanged, func(_ *World, d *Deployment) {
			d.TemplateLabels = map[string]string{"app": "other"}
			d.Selector = selector.FromLabels(d.TemplateLabels)
		})},
		{Spec, 0.4, onDeployment(RolledBack, func(w *World, d *Deployment) {
			d.Generation-- // an annotation is no part of the spec
			d.Annotations = labelled(d.Annotations, revision.AnnotationRollback, strconv.Itoa(w.random.IntN(5)))
		})},
		{Extremes, 0.2, onDeployment(SizeZero, func(_ *World, d *Deployment) { d.Replicas = new(int32) })},
		{Extremes, 0.2, onDeployment(SizeOne, func(_ *World, d *Deployment) { d.Replicas = ptr.To(int32(1)) })},
		{Extremes, 0.1, (*World).growToLargest},
		{Tampering, 0.5, (*World).editRevision},
		{Tampering, 0.5, (*World).editSizes},
		{Tampering, 0.2, onDeployment(PauseEdited, func(_ *World, d *Deployment) {
			d.Generation--
			d.Annotations = labelled(d.Annotations, pausepoint.AnnotationHit, "1;b:x")
		})},
		{Ownership, 0.4, onReplicaSet(Orphaned, func(_ *World, rs *replicaSet) { rs.ControllerKind, rs.ControllerName, rs.ControllerUID = "", "", "" })},
		{Ownership, 0.1, onReplicaSet(OwnedByOther, func(_ *World, rs *replicaSet) {
			rs.ControllerKind, rs.ControllerName, rs.ControllerUID = "Thing", "thing", otherOwner
		})},
		{Ownership, 0.2, onReplicaSet(LabelEdited, func(_ *World, rs *replicaSet) {
			value := "web"
			if rs.Labels["app"] == value {
				value = "other"
			}
			rs.Labels = labelled(rs.Labels, "app", value)
		})},
		{Ownership, 0.2, (*World).replaceDeployment},
		{Options, 0.5, (*World).switchDeploymentOptions},
		{Ownership, 0.6, func(w *World) { w.collect() }},
	}
}

// editDeployment changes the wanted state of a Deployment, as a person does.
func (w *World) editDeployment(f func(*Deployment)) bool {
	rows := w.store.deployments.all()
	if len(rows) == 0 {
		return false
	}
	r := by(User)
	r.name = rows[0].Name
	update(w, &w.store.deployments, r, func(d *Deployment) { f(d); d.Generation++ })
	return true
}

func onDeployment(t Trouble, f func(*World, *Deployment)) func(*World) {
	return func(w *World) {
		if w.editDeployment(func(d *Deployment) { f(w, d) }) {
			w.count(t)
		}
	}
}

func onReplicaSet(t Trouble, f func(*World, *replicaSet)) func(*World) {
	return func(w *World) {
		rows := w.store.replicaSets.all()
		if len(rows) == 0 {
			return
		}
		w.count(t)
		r := by(Monkey)
		r.name = rows[w.random.IntN(len(rows))].Name
		update(w, &w.store.replicaSets, r, func(rs *replicaSet) { f(w, rs) })
	}
}

func (w *World) changeTemplate() {
	id := w.someTemplate()
	if w.editDeployment(func(d *Deployment) { d.Template = revision.Template{ID: id} }) {
		w.count(TemplateChanged)
	}
}

func (w *World) changeReplicas() {
	if w.editDeployment(func(d *Deployment) { d.Replicas = ptr.To(w.random.Int32N(9)) }) {
		w.count(ReplicasChanged)
	}
}

// autoscale is an autoscaler that follows a load.
func (w *World) autoscale() {
	for range w.random.IntN(3) + 1 {
		by := w.random.Int32N(3) - 1
		if w.editDeployment(func(d *Deployment) { d.Replicas = ptr.To(min(8, max(1, *d.Replicas+by))) }) {
			w.count(Autoscaled)
		}
	}
}

// growToLargest wants more pods than there can be; a quota keeps most of them away.
func (w *World) growToLargest() {
	if w.editDeployment(func(d *Deployment) { d.Replicas = ptr.To(int32(math.MaxInt32)) }) {
		w.count(SizeLargest)
		w.podLimit = len(w.store.pods.all()) + 2
	}
}

func (w *World) editRevision() {
	values := []string{"", "x", "7", "-1", "9223372036854775807"}
	value := values[w.random.IntN(len(values))]
	edit := func(a map[string]string) map[string]string {
		if w.random.IntN(4) == 0 {
			a = maps.Clone(a)
			delete(a, revision.AnnotationRevision)
			return a
		}
		return labelled(a, revision.AnnotationRevision, value)
	}
	if w.random.IntN(3) == 0 {
		onDeployment(RevisionEdited, func(_ *World, d *Deployment) {
			d.Generation--
			d.Annotations = edit(d.Annotations)
		})(w)
		return
	}
	onReplicaSet(RevisionEdited, func(_ *World, rs *replicaSet) { rs.Annotations = edit(rs.Annotations) })(w)
}

func (w *World) editSizes() {
	values := []string{"", "x", "0", "3", "2147483647", "-4"}
	key := []string{revision.AnnotationDesired, revision.AnnotationMax}[w.random.IntN(2)]
	value := values[w.random.IntN(len(values))]
	onReplicaSet(SizesEdited, func(_ *World, rs *replicaSet) { rs.Annotations = labelled(rs.Annotations, key, value) })(w)
}

// replaceDeployment deletes the Deployment and creates one with the same name.
func (w *World) replaceDeployment() {
	rows := w.store.deployments.all()
	if len(rows) == 0 || !rows[0].DeletionTimestamp.IsZero() {
		return
	}
	w.count(RecreatedWithName)
	if w.deleteDeployment(rows[0]) {
		w.createDeployment()
		return
	}
	w.schedule(w.now.Add(w.delay(w.pace.end)), remake, errand{name: rows[0].Name})
}

// recreateWanted creates what a person wants back, as soon as it is gone.
func (w *World) recreateWanted(name string) {
	if w.store.deployments.named(name) != nil {
		w.schedule(w.now.Add(time.Second), remake, errand{name: name})
		w.collect()
		return
	}
	w.createDeployment()
}

// switchDeploymentOptions changes the options of the controllers, as an upgrade does.
func (w *World) switchDeploymentOptions() {
	w.count(OptionsSwitched)
	o := w.someDeploymentOptions()
	o.Repair = deploy.Quirks(w.random.IntN(2)) * deploy.RepairAll
	for _, c := range w.controllers {
		if d, ok := c.worker.(*deploymentController); ok {
			d.options = o
		}
	}
}

// healDeployments makes the wanted state one that can be reached.
func (w *World) healDeployments() {
	o := w.someDeploymentOptions()
	for _, c := range w.controllers {
		if d, ok := c.worker.(*deploymentController); ok {
			d.options = o
		}
	}
	w.editDeployment(func(d *Deployment) {
		d.Paused, d.Selector, d.TemplateLabels = false, selector.FromLabels(appWeb), appWeb
		d.Replicas = ptr.To(min(*d.Replicas, 8))
	})
	for _, rs := range w.store.replicaSets.all() { // one that has no Deployment would try forever
		if r := by(User); sizeOf(rs) > 8 {
			r.name = rs.Name
			update(w, &w.store.replicaSets, r, func(rs *replicaSet) { rs.Replicas = ptr.To(int32(8)); rs.Generation++ })
		}
	}
}
