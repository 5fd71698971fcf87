// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"encoding/json"
	"slices"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A daemonHelper deletes pods of a DaemonSet of Kubernetes as far as a batch has released
// them.
type daemonHelper struct{ *controller }

func (w *World) addDaemonHelper() {
	c := &daemonHelper{&controller{}}
	w.store.daemons.tell = append(w.store.daemons.tell, func(_, _ *daemonset.Pod) { c.resync() })
	w.addController(c.controller, c, DaemonHelper, KindDaemonSet, KindDaemon)
}

func (c *daemonHelper) forget() {}

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
	return func() bool {
		for _, victim := range victims {
			answer := c.ask(func() answer {
				p := w.store.podNamed(victim, true) // as it is when the request arrives
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
