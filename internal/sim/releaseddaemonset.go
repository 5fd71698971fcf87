// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

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
		Ref: w.refOfDaemonSet(d.Name), UID: d.UID, Generation: d.Generation,
		Labels: d.Labels, Annotations: d.Annotations, Replicas: ptr.To(s.DesiredNumberScheduled), Template: revision.Template{ID: d.Template.Hash, Hash: d.Template.Hash},
		Paused: d.Paused, StrategyType: string(cmp.Or(d.Strategy, daemonset.RollingUpdate)), Partition: d.Partition, MinReadySeconds: d.MinReadySeconds,
		RollingUpdate: &partition.RollingUpdate{MaxSurge: d.MaxSurge, MaxUnavailable: d.MaxUnavailable}, UpdateRevision: s.UpdateRevision,
		Status: workload.Status{
			ObservedGeneration: s.ObservedGeneration, Replicas: s.DesiredNumberScheduled, ReadyReplicas: s.NumberReady,
			AvailableReplicas: s.NumberAvailable, UpdatedReplicas: s.UpdatedNumberScheduled,
		},
	}
}

// refOfDaemonSet names a DaemonSet as the Rollout does that releases it. Without one it is of
// Kubernetes.
func (w *World) refOfDaemonSet(name string) workload.Ref {
	if w.fleet == nil {
		return workload.Ref{APIVersion: w.ref.APIVersion, Kind: w.ref.Kind, Name: name}
	}
	for _, r := range w.store.rollouts.all() {
		if ref := r.WorkloadRef; ref.Kind == daemonset.Kind && ref.Name == name {
			return ref
		}
	}
	return workload.Ref{APIVersion: "apps/v1", Kind: daemonset.Kind, Name: name}
}

// podsOfDaemonSet returns the pods that a DaemonSet controls.
func (w *World) podsOfDaemonSet(view *[kinds]int64, uid string) (pods []daemonset.Pod) {
	if w.fleet != nil {
		return w.store.daemons.appendOf(nil, uid, view[KindDaemon])
	}
	for _, p := range w.store.daemons.at(view[KindDaemon]) {
		if p.ControllerUID == uid {
			pods = append(pods, *p)
		}
	}
	return pods
}

// daemonTemplate is the key of a template of a DaemonSet. Of several in a fleet each has its
// own.
func (w *World) daemonTemplate(name, hash string) string {
	if w.fleet == nil {
		return hash
	}
	return name + "/" + hash
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
			d.Template = w.daemonTemplates[w.daemonTemplate(d.Name, o.Template.ID)]
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

// A daemonHelper deletes pods of a DaemonSet of Kubernetes as far as a batch has released
// them. In a fleet it does so once in two seconds for each, as upstream waits so long to see what
// it has deleted: it takes pods of a template that came in the middle for old ones, and where no
// write takes time it would delete them as fast as they come.
type daemonHelper struct {
	*controller
	next map[string]time.Time
}

// helpEvery is how long a daemonHelper waits in a fleet.
const helpEvery = 2 * time.Second

func (w *World) addDaemonHelper() {
	c := &daemonHelper{&controller{}, map[string]time.Time{}}
	w.store.daemons.tell = append(w.store.daemons.tell, func(_, _ *daemonset.Pod) { c.resync() })
	w.addController(c.controller, c, DaemonHelper, KindDaemonSet, KindDaemon)
}

func (c *daemonHelper) forget() { clear(c.next) }

func (c *daemonHelper) keys() (names []string) {
	for _, d := range c.w.store.daemonSets.at(c.view[KindDaemonSet]) {
		names = append(names, d.Name)
	}
	return names
}

func (c *daemonHelper) watch(_ *[kinds]int64, _ bool) { c.resync() }

func (c *daemonHelper) begin(name string) func() bool {
	w, s := c.w, c.w.store
	d := find(&s.daemonSets, s.daemonSets.at(c.view[KindDaemonSet]), name)
	if d == nil || d.Annotations[workload.AnnotationDaemonSetControl] == "" {
		return nil
	}
	if next := c.next[name]; w.fleet != nil && w.now.Before(next) {
		c.wakeAt(next.Add(c.skew), name)
		return nil
	}
	var control batchrelease.DaemonSetControl
	w.fail(json.Unmarshal([]byte(d.Annotations[workload.AnnotationDaemonSetControl]), &control))
	batch := batchrelease.NativeBatch{
		Partition: control.Partition, Revision: control.BatchRevision, MaxUnavailable: d.MaxUnavailable, DesiredNumberScheduled: d.Status.DesiredNumberScheduled,
	}
	for _, p := range w.podsOfDaemonSet(&c.view, d.UID) {
		batch.Pods = append(batch.Pods, batchrelease.DaemonSetPod{
			Name: p.Name, UID: p.UID, Revision: podset.RevisionOf(&p.Pod), Ready: p.Ready, Pending: p.Phase == podorder.Pending,
			CreationTimestamp: p.CreationTimestamp, DeletionTimestamp: p.DeletionTimestamp,
		})
	}
	victims, err := batch.Victims(workload.RepairAll)
	w.Plans++
	w.fail(err)
	slices.Sort(victims)
	if len(victims) == 0 {
		return nil
	}
	c.next[name] = w.now.Add(helpEvery)
	return func() bool {
		for _, victim := range victims {
			answer := c.ask(func() answer {
				p := w.podNamed(victim, true) // as it is when the request arrives
				if p.Pod == nil {
					return w.answered(notFound)
				}
				return w.deletePod(p, c.request(Delete, victim, precondition{uid: p.UID}, nil))
			})
			if answer != done && answer != notFound {
				c.retry(name)
			}
		}
		return false
	}
}
