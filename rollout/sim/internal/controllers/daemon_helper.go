// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/podset"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A daemonHelper deletes old pods of a DaemonSet of Kubernetes as far as a batch has released them.
// It does so once in two seconds for each, as upstream waits so long to see its deletions: it takes
// pods of a template that came in the middle for old ones, and would delete them as fast as they come.
type daemonHelper struct {
	*control.Controller
	next map[string]time.Time // when it may delete again, by DaemonSet
}

// helpEvery is how long a daemonHelper waits.
const helpEvery = 2 * time.Second

// newDaemonHelper returns a helper for the DaemonSets that Rollouts release.
func newDaemonHelper(env *Env, instance int) *control.Controller {
	c := &daemonHelper{next: map[string]time.Time{}}
	c.Controller = control.New(env.Server, c, store.DaemonHelper, instance, store.KindDaemonSet, store.KindPod)
	return c.Controller
}

// Forget implements control.Worker.
func (c *daemonHelper) Forget() { clear(c.next) }

// Keys implements control.Worker.
func (c *daemonHelper) Keys() []string { return names(c.Controller, &c.DaemonSets) }

// Watch enters the changed DaemonSets, and the DaemonSets of changed pods.
func (c *daemonHelper) Watch() {
	control.EachTold(c.Controller, &c.DaemonSets, func(_, d *store.DaemonSet) {
		if d != nil {
			c.Enter(d.Name)
		}
	})
	control.EachTold(c.Controller, &c.Server.Pods, func(old, p *store.Pod) {
		for _, p := range [...]*store.Pod{old, p} {
			if p != nil && p.ControllerKind == daemonset.Kind {
				c.Enter(p.ControllerName)
			}
		}
	})
}

// Begin implements control.Worker.
func (c *daemonHelper) Begin(name string) control.Pass {
	d := control.See(c.Controller, &c.DaemonSets, name)
	if d == nil {
		delete(c.next, name)
		return nil
	}
	if d.Annotations[workload.AnnotationDaemonSetControl] == "" {
		return nil
	}
	now := c.Now()
	if next := c.next[name]; now.Before(next) {
		c.WakeAt(next, name)
		return nil
	}
	victims, err := c.victims(d)
	c.Plans++
	if err != nil {
		c.Fail(fmt.Errorf("daemon set %s: %w", name, err))
		return nil
	}
	if len(victims) == 0 {
		c.Succeeded(name)
		return nil
	}
	c.next[name] = now.Add(helpEvery)
	return c.deletes(name, victims)
}

// victims returns the names of the pods that are to go.
func (c *daemonHelper) victims(d *store.DaemonSet) ([]string, error) {
	var of batchrelease.DaemonSetControl
	if err := json.Unmarshal([]byte(d.Annotations[workload.AnnotationDaemonSetControl]), &of); err != nil {
		return nil, err
	}
	batch := batchrelease.NativeBatch{
		Partition: of.Partition, Revision: of.BatchRevision, MaxUnavailable: d.MaxUnavailable,
		DesiredNumberScheduled: d.Status.DesiredNumberScheduled,
	}
	for _, p := range control.Of(c.Controller, &c.Server.Pods, d.UID) {
		batch.Pods = append(batch.Pods, batchrelease.DaemonSetPod{
			Name: p.Name, UID: p.UID, Revision: podset.RevisionOf(p.Plain()), Ready: p.Ready, Pending: p.Phase == podorder.Pending,
			CreationTimestamp: p.CreationTimestamp, DeletionTimestamp: p.DeletionTimestamp,
		})
	}
	victims, err := batch.Victims(quirk.All)
	slices.Sort(victims)
	return victims, err
}

// deletes returns the pass that deletes pods, as they are when the request arrives.
func (c *daemonHelper) deletes(name string, victims []string) control.Pass {
	failed := false
	return func() bool {
		r := c.Request(store.Delete, victims[0], nil)
		answer := c.Ask(func() apiserver.Answer { return c.DeletePod(r) })
		failed = failed || answer.OrGone() != apiserver.Done
		if victims = victims[1:]; len(victims) > 0 {
			return true
		}
		if failed {
			c.Retry(name)
		} else {
			c.Succeeded(name)
		}
		return false
	}
}
