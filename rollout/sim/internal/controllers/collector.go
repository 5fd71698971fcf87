// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// A Collector deletes the objects of removed owners, and owners that were to go last. It sees all
// objects.
type Collector struct {
	*Env
	lost    []string // UIDs of owners that are gone
	leaving []string // Deployments and DaemonSets that are being deleted
}

// NewCollector returns a collector, which the store calls after each write.
func NewCollector(env *Env) *Collector {
	c := &Collector{Env: env}
	env.Observe(func(e store.Write) {
		if e.Verb == store.Remove && e.Kind != store.KindPod && e.UID != "" {
			c.lost = append(c.lost, e.UID)
		}
	})
	for _, t := range env.ReplicaTables() {
		late(c, t, func(o *replicaset.ReplicaSet) string { return o.ControllerUID })
	}
	late(c, &env.Server.Pods, func(o *store.Pod) string { return o.ControllerUID })
	late(c, &env.Revisions, func(o *revision.ControllerRevision) string { return o.ControllerUID })
	late(c, &env.Objects, func(o *cluster.Object) string { return o.ControllerUID })
	late(c, &env.Services, func(o *store.Service) string { return o.OwnerUID })
	late(c, &env.BatchReleases, func(o *store.BatchRelease) string { return o.OwnerUID })
	late(c, &env.Deployments, func(o *store.Deployment) string { return o.OwnerUID })
	env.Deployments.Watch(func(_, d *store.Deployment) {
		if d != nil && !d.DeletionTimestamp.IsZero() {
			c.leaving = append(c.leaving, d.Name)
		}
	})
	env.DaemonSets.Watch(func(_, d *store.DaemonSet) {
		if d != nil && !d.DeletionTimestamp.IsZero() {
			c.leaving = append(c.leaving, d.Name)
		}
	})
	env.Nodes.Watch(c.nodeChanged)
	return c
}

// late notes the owners that were gone before their objects were created.
func late[T any](c *Collector, t *store.Table[T], owner func(*T) string) {
	t.Watch(func(old, o *T) {
		if old == nil && o != nil && c.Lost(owner(o)) {
			c.lost = append(c.lost, owner(o))
		}
	})
}

// Busy reports whether there is something to collect.
func (c *Collector) Busy() bool { return len(c.lost)+len(c.leaving) > 0 }

// Step deletes all that is to be deleted now. It reports whether there was anything.
func (c *Collector) Step() bool {
	lost, leaving := c.lost, c.leaving
	c.lost, c.leaving = nil, nil
	for _, uid := range lost {
		c.collect(uid)
	}
	slices.Sort(leaving)
	for _, name := range slices.Compact(leaving) {
		c.leave(name)
	}
	return len(lost)+len(leaving) > 0
}

// collect deletes the objects of an owner.
func (c *Collector) collect(uid string) {
	for _, t := range c.ReplicaTables() {
		for _, rs := range slices.Clone(t.Of(uid)) {
			apiserver.Remove(c.Server, t, apiserver.By(store.Collector, rs.Name))
		}
	}
	for _, p := range slices.Clone(c.Server.Pods.Of(uid)) {
		if p.DeletionTimestamp.IsZero() {
			c.DeletePod(apiserver.By(store.Collector, p.Name))
		}
	}
	for _, o := range slices.Clone(c.Revisions.Of(uid)) {
		apiserver.Remove(c.Server, &c.Revisions, apiserver.By(store.Collector, o.Name))
	}
	for _, o := range slices.Clone(c.Objects.Of(uid)) {
		apiserver.Remove(c.Server, &c.Objects, apiserver.By(store.Collector, o.Name))
	}
	for _, o := range slices.Clone(c.Services.Of(uid)) {
		apiserver.Remove(c.Server, &c.Services, apiserver.By(store.Collector, o.Name))
	}
	for _, o := range slices.Clone(c.BatchReleases.Of(uid)) {
		c.deleteBatchRelease(apiserver.By(store.Collector, o.Name))
	}
	for _, d := range slices.Clone(c.Deployments.Of(uid)) {
		if d.DeletionTimestamp.IsZero() {
			apiserver.Update(c.Server, &c.Deployments, apiserver.By(store.Collector, d.Name), func(d *store.Deployment) { d.DeletionTimestamp = c.Agenda.Now() })
		}
	}
}

// leave removes an owner that is being deleted, after its objects, unless a finalizer keeps it.
func (c *Collector) leave(name string) {
	if d := c.Deployments.Get(name); d != nil && !d.DeletionTimestamp.IsZero() {
		for _, rs := range slices.Clone(c.ReplicaSets.Of(d.UID)) {
			apiserver.Remove(c.Server, &c.ReplicaSets, apiserver.By(store.Collector, rs.Name))
		}
		if len(d.Finalizers) == 0 {
			apiserver.Remove(c.Server, &c.Deployments, apiserver.By(store.Collector, name))
		}
	}
	if d := c.DaemonSets.Get(name); d != nil && !d.DeletionTimestamp.IsZero() {
		apiserver.Remove(c.Server, &c.DaemonSets, apiserver.By(store.Collector, name))
	}
}

// quarantine is how long a node must be gone before its pods are removed, as in the pod garbage
// collector of Kubernetes.
const quarantine = 40 * time.Second

// nodeChanged removes the pods of a node some time after that is gone.
func (c *Collector) nodeChanged(old, n *store.Node) {
	if n != nil {
		return
	}
	c.Agenda.After(quarantine, agenda.Life, func() {
		if c.Nodes.Get(old.Name) != nil {
			return
		}
		for _, p := range slices.Clone(c.Server.Pods.All()) {
			if p.NodeName == old.Name {
				c.RemovePod(apiserver.By(store.NodeController, p.Name))
			}
		}
	})
}
