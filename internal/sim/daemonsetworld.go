// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"math"
	"strconv"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// NewDaemonSets returns a world with a DaemonSet on nodes that come and go, which a
// person changes in any respect at any time.
func NewDaemonSets(seed uint64, faults Faults) *World {
	w := newWorld(seed, faults)
	w.weakHash = w.chance(Collision, 0.3)
	options := w.someDaemonSetOptions()
	w.addDaemonSetController(options)
	if w.chance(Overlap, 0.3) {
		w.count(TwoLeaders)
		w.addDaemonSetController(options)
	}
	w.disturb = append(podDisturbances(), daemonSetDisturbances()...)
	for range w.random.IntN(6) + 1 {
		w.addNode()
	}
	w.createDaemonSet()
	w.heal = append(w.heal, (*World).healNodes, (*World).healDaemonSets)
	w.check = (*World).checkDaemonSets
	return w
}

func (w *World) someDaemonSetOptions() daemonset.Options {
	pick := func() bool { return w.random.IntN(3) == 0 }
	o := daemonset.Options{Repair: daemonset.RepairAll}
	if pick() {
		o.Dialect = daemonset.OpenKruise
	}
	if pick() {
		o.Prune, o.BindDirectly, o.StrictUnavailable = pick(), pick(), pick()
		o.KeepHealthyDuplicate, o.KeepUserTolerations, o.PartitionCreatesOld = pick(), pick(), pick()
		o.SkipDeadNodes = w.random.Int32N(2)
	}
	return o
}

// setTemplate gives a DaemonSet a template.
func setTemplate(d *DaemonSet, id string) {
	d.TemplateID = id
	d.Template.Data = []byte(`{"spec":{"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"app","image":"app:` + id + `"}]}}}}`)
	d.Template.Labels = appWeb
}

func (w *World) createDaemonSet() {
	d := &DaemonSet{DaemonSet: daemonset.DaemonSet{Name: "web", Generation: 1, Selector: selector.FromLabels(appWeb)}}
	setTemplate(d, w.someTemplate())
	w.someUpdateStrategy(&d.DaemonSet)
	if w.random.IntN(4) == 0 {
		d.MinReadySeconds = w.random.Int32N(6)
	}
	if w.random.IntN(3) == 0 {
		d.RevisionHistoryLimit = ptr.To(w.random.Int32N(3))
	}
	if w.random.IntN(4) == 0 {
		d.Burst = rollout.Int(w.random.Int32N(3) + 1)
	}
	create(w, &w.store.daemonSets, by(User), d)
}

func (w *World) someUpdateStrategy(d *daemonset.DaemonSet) {
	limit := func() rollout.IntOrPercent {
		if w.random.IntN(2) == 0 {
			return rollout.Int(w.random.Int32N(4))
		}
		return rollout.Percent(w.random.Int32N(11) * 10)
	}
	d.MaxSurge, d.MaxUnavailable = rollout.IntOrPercent{}, limit()
	if w.random.IntN(3) == 0 {
		d.MaxSurge, d.MaxUnavailable = limit(), rollout.Int(0)
	}
	d.Strategy = daemonset.RollingUpdate
	if w.random.IntN(6) == 0 {
		d.Strategy = daemonset.OnDelete
	}
	types := []daemonset.RollingType{daemonset.InPlaceIfPossible, daemonset.InPlaceIfPossible, daemonset.Surging}
	d.RollingType = append(types, make([]daemonset.RollingType, 5)...)[w.random.IntN(8)]
}

func daemonSetDisturbances() []disturbance {
	return append(nodeDisturbances(), []disturbance{
		{Spec, 2, onDaemonSet(TemplateChanged, func(w *World, d *DaemonSet) { setTemplate(d, w.someTemplate()) })},
		{Spec, 0.7, onDaemonSet(StrategyChanged, func(w *World, d *DaemonSet) { w.someUpdateStrategy(&d.DaemonSet) })},
		{Spec, 0.5, onDaemonSet(PauseChanged, func(_ *World, d *DaemonSet) { d.Paused = !d.Paused })},
		{Spec, 0.7, onDaemonSet(PartitionChanged, (*World).somePartition)},
		{Spec, 0.5, onDaemonSet(StrategyChanged, (*World).someHook)},
		{PodMonkey, 0.7, onPod(PodRelabelled, (*World).hookPod)},
		{Spec, 0.3, onDaemonSet(SelectorChanged, func(w *World, d *DaemonSet) {
			d.NodeSelector = nil
			if w.random.IntN(2) == 0 {
				d.NodeSelector = selector.FromLabels(map[string]string{"zone": "a"})
			}
		})},
		{Spec, 0.3, onDaemonSet(SelectorChanged, func(w *World, d *DaemonSet) {
			d.Template.NodeSelector = nil
			if w.random.IntN(2) == 0 {
				d.Template.NodeSelector = map[string]string{"zone": "a"}
			}
		})},
		{Extremes, 0.2, onDaemonSet(SizeZero, func(_ *World, d *DaemonSet) { d.MaxUnavailable, d.MaxSurge = rollout.Int(0), rollout.Int(0) })},
		{Extremes, 0.2, onDaemonSet(SizeLargest, func(_ *World, d *DaemonSet) {
			d.MaxUnavailable, d.MaxSurge = rollout.Int(math.MaxInt32), rollout.Int(0)
		})},
		{Tampering, 0.4, (*World).editRevisionObject},
		{Ownership, 0.3, (*World).orphanRevision},
		{Ownership, 0.2, (*World).replaceDaemonSet},
		{Options, 0.5, (*World).switchDaemonSetOptions},
		{Ownership, 0.6, func(w *World) { w.collect() }},
	}...)
}

func (w *World) somePartition(d *DaemonSet) {
	d.Partition, d.Progressive = rollout.Int(w.random.Int32N(5)), w.random.IntN(3) == 0
	if w.random.IntN(3) == 0 {
		d.Partition = rollout.Percent(w.random.Int32N(101))
	}
}

// labelHold is what a hook looks for.
const labelHold = "hold"

// someHook lets a hook hold back deletions, or ends that.
func (w *World) someHook(d *DaemonSet) {
	if d.PreDelete != nil {
		d.PreDelete = nil
		return
	}
	d.PreDelete = &daemonset.PreDelete{Labels: map[string]string{labelHold: "yes"}}
}

// hookPod lets a hook hold a pod, or let go of it.
func (w *World) hookPod(p podRef) bool {
	if !p.daemon {
		return false
	}
	value := "yes"
	if p.Labels[labelHold] == value {
		value = "no"
	}
	w.changePod(p, by(Monkey), func(p *podorder.Pod) { p.Labels = labelled(p.Labels, labelHold, value) })
	return true
}

func onDaemonSet(t Trouble, f func(*World, *DaemonSet)) func(*World) {
	return func(w *World) {
		rows := w.store.daemonSets.all()
		if len(rows) == 0 {
			return
		}
		w.count(t)
		r := by(User)
		r.name = rows[0].Name
		update(w, &w.store.daemonSets, r, func(d *DaemonSet) { f(w, d); d.Generation++ })
	}
}

// editRevisionObject changes the number or the label of a revision.
func (w *World) editRevisionObject() {
	rows := w.store.revisions.all()
	if len(rows) == 0 {
		return
	}
	w.count(RevisionEdited)
	r := by(Monkey)
	r.name = rows[w.random.IntN(len(rows))].Name
	update(w, &w.store.revisions, r, func(o *revision.ControllerRevision) {
		if w.random.IntN(2) == 0 {
			o.Revision = w.random.Int64N(9)
		} else {
			o.Labels = labelled(o.Labels, daemonset.LabelHash, strconv.Itoa(w.random.IntN(3)))
		}
	})
}

func (w *World) orphanRevision() {
	rows := w.store.revisions.all()
	if len(rows) == 0 {
		return
	}
	w.count(Orphaned)
	r := by(Monkey)
	r.name = rows[w.random.IntN(len(rows))].Name
	update(w, &w.store.revisions, r, func(o *revision.ControllerRevision) { o.ControllerKind, o.ControllerName, o.ControllerUID = "", "", "" })
}

// replaceDaemonSet deletes the DaemonSet and creates one with the same name.
func (w *World) replaceDaemonSet() {
	rows := w.store.daemonSets.all()
	if len(rows) == 0 {
		return
	}
	w.count(RecreatedWithName)
	if w.random.IntN(2) == 0 {
		w.orphanDependents(rows[0].UID)
	}
	r := by(User)
	r.name = rows[0].Name
	remove(w, &w.store.daemonSets, r)
	w.createDaemonSet()
}

func (w *World) switchDaemonSetOptions() {
	w.count(OptionsSwitched)
	o := w.someDaemonSetOptions()
	if w.random.IntN(2) != 0 {
		o.Repair = 0
	}
	w.setDaemonSetOptions(o)
}

func (w *World) setDaemonSetOptions(o daemonset.Options) {
	for _, c := range w.controllers {
		if d, ok := c.worker.(*daemonSetController); ok {
			d.options = o
		}
	}
}

// healDaemonSets makes the wanted state one that can be reached.
func (w *World) healDaemonSets() {
	w.setDaemonSetOptions(w.someDaemonSetOptions())
	if len(w.store.daemonSets.all()) == 0 {
		w.createDaemonSet()
	}
	for _, p := range w.store.allPods() {
		if p.Labels[labelHold] == "yes" {
			w.hookPod(p)
		}
	}
	onDaemonSet(FairPhase, func(w *World, d *DaemonSet) {
		d.Paused, d.Partition, d.NodeSelector, d.Strategy = false, rollout.IntOrPercent{}, nil, daemonset.RollingUpdate
	})(w)
}
