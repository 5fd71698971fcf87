// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"cmp"
	"fmt"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// releasedDaemonSet keeps DaemonSets. In a world that releases them a template is known by its
// hash, which is given.
type releasedDaemonSet struct{}

func (releasedDaemonSet) reads() []Kind { return []Kind{KindDaemonSet, KindDaemon, KindRevision} }

func (releasedDaemonSet) at(w *World, view *[kinds]int64, name string) (*workload.Workload, string) {
	t := &w.store.daemonSets
	d := find(t, t.at(view[KindDaemonSet]), name)
	if d == nil {
		return nil, ""
	}
	o := w.workloadOfDaemonSet(d)
	if own := w.revisionsOf(view, d.UID); o.Group() == "apps" && len(own) > 0 {
		facts := workload.Inspect(workload.InspectSnapshot{Workload: o, Revisions: own})
		o.StableRevision, o.UpdateRevision = facts.StableRevision, facts.CanaryRevision
	}
	for _, p := range w.podsOfDaemonSet(view, d.UID) {
		if p.Ready && p.Active() && podset.RevisionOf(&p.Pod) == o.UpdateRevision {
			o.Status.UpdatedReadyReplicas++
		}
	}
	return &o, d.ResourceVersion
}

func (w *World) workloadOfDaemonSet(d *DaemonSet) workload.Workload {
	s := &d.Status
	return workload.Workload{
		Ref: workload.Ref{APIVersion: w.ref.APIVersion, Kind: w.ref.Kind, Name: d.Name}, UID: d.UID, Generation: d.Generation,
		Labels: d.Labels, Annotations: d.Annotations, Replicas: ptr.To(s.DesiredNumberScheduled), Template: revision.Template{ID: d.Template.Hash, Hash: d.Template.Hash},
		Paused: d.Paused, StrategyType: string(cmp.Or(d.Strategy, daemonset.RollingUpdate)), Partition: d.Partition, MinReadySeconds: d.MinReadySeconds,
		RollingUpdate: &partition.RollingUpdate{MaxSurge: d.MaxSurge, MaxUnavailable: d.MaxUnavailable}, UpdateRevision: s.UpdateRevision,
		Status: workload.Status{
			ObservedGeneration: s.ObservedGeneration, Replicas: s.DesiredNumberScheduled, ReadyReplicas: s.NumberReady,
			AvailableReplicas: s.NumberAvailable, UpdatedReplicas: s.UpdatedNumberScheduled,
		},
	}
}

// podsOfDaemonSet returns the pods that a DaemonSet controls.
func (w *World) podsOfDaemonSet(view *[kinds]int64, uid string) (pods []daemonset.Pod) {
	for _, p := range w.store.daemons.at(view[KindDaemon]) {
		if p.ControllerUID == uid {
			pods = append(pods, *p)
		}
	}
	return pods
}

// revisionsOf returns the revisions that a DaemonSet controls.
func (w *World) revisionsOf(view *[kinds]int64, uid string) (list []workload.DaemonSetRevision) {
	for _, r := range w.store.revisions.at(view[KindRevision]) {
		if r.ControllerUID == uid {
			list = append(list, workload.DaemonSetRevision{Revision: r.Revision, Hash: r.Labels[daemonset.LabelHash]})
		}
	}
	return list
}

func (releasedDaemonSet) template(_ *World, _, id string) revision.Template {
	return revision.Template{ID: id, Hash: id}
}

func (releasedDaemonSet) look(w *World, view *[kinds]int64, o *workload.Workload, style workload.Style) workload.InspectSnapshot {
	return workload.InspectSnapshot{Workload: *o, Style: style, Revisions: w.revisionsOf(view, o.UID)}
}

func (releasedDaemonSet) batch(w *World, view *[kinds]int64, _ *BatchRelease, s *batchrelease.Snapshot) string {
	for _, p := range w.podsOfDaemonSet(view, s.Workload.UID) {
		if !p.Finished() {
			s.Pods = append(s.Pods, workload.Pod{Name: p.Name, UID: p.UID, Labels: p.Labels, Ready: p.Ready, DeletionTimestamp: p.DeletionTimestamp})
		}
	}
	return ""
}

func (releasedDaemonSet) change(w *World, r request, f func(workload.Workload) workload.Workload) answer {
	return changeIn(w, &w.store.daemonSets, r, w.workloadOfDaemonSet, func(d *DaemonSet, o *workload.Workload) {
		if o.Template.ID != d.Template.Hash {
			d.Template = w.daemonTemplates[o.Template.ID]
		}
		d.Labels, d.Annotations, d.Generation, d.Strategy = o.Labels, o.Annotations, o.Generation, daemonset.Strategy(o.StrategyType)
		d.Paused, d.Partition, d.MinReadySeconds = o.Paused, o.Partition, o.MinReadySeconds
		l := o.Limits()
		d.MaxSurge, d.MaxUnavailable = l.MaxSurge, l.MaxUnavailable
	}, f)
}

func (releasedDaemonSet) changePod(w *World, r request, f func(*podorder.Pod)) answer {
	_, a := update(w, &w.store.daemons, r, func(d *daemonset.Pod) { f(&d.Pod) })
	return a
}

func (releasedDaemonSet) check(w *World, name string) error {
	if w.store.daemonSets.named(name) == nil {
		return fmt.Errorf("no daemon set")
	}
	return w.checkDaemonSets()
}
