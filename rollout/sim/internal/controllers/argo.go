// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// argoKind is the kind of the owner in the ReplicaSets of a Rollout of Argo. The other constants are
// keys of annotations of these ReplicaSets.
const (
	argoKind     = "Rollout"
	argoRevision = "rollout.argoproj.io/revision"
	argoDesired  = "rollout.argoproj.io/desired-replicas"
	argoDeadline = "scale-down-deadline"
)

// An argoController carries out the plans of package argo. It keeps nothing in memory.
type argoController struct {
	*control.Controller
	env *Env
}

// newArgoController returns a controller of Rollouts of Argo.
func newArgoController(env *Env, instance int) *control.Controller {
	c := &argoController{env: env}
	c.Controller = control.New(env.Server, c, store.ArgoController, instance, store.KindArgoRollout, store.KindReplicaSet, store.KindService, store.KindPod)
	return c.Controller
}

// Forget implements control.Worker.
func (c *argoController) Forget() {}

// Keys implements control.Worker.
func (c *argoController) Keys() []string {
	return names(c.Controller, &c.ArgoRollouts)
}

// Watch enqueues each changed Rollout, and the Rollout of each changed ReplicaSet. After a change of a
// Service it enqueues all Rollouts.
func (c *argoController) Watch() {
	control.EachTold(c.Controller, &c.ArgoRollouts, func(_, r *cluster.ArgoRollout) {
		if r != nil {
			c.Enter(r.Name)
		}
	})
	control.EachTold(c.Controller, &c.ReplicaSets, func(old, rs *replicaset.ReplicaSet) {
		for _, rs := range [...]*replicaset.ReplicaSet{old, rs} {
			if rs != nil && rs.ControllerKind == argoKind {
				c.Enter(rs.ControllerName)
			}
		}
	})
	if c.Touched(store.KindService) {
		c.Resync()
	}
}

// snapshot returns the Rollout as the controller sees it, and its ReplicaSets by their hashes.
func (c *argoController) snapshot(r *cluster.ArgoRollout, now time.Time) (*argo.Snapshot, map[string]*replicaset.ReplicaSet) {
	s, sets := &argo.Snapshot{Rollout: r.Rollout, Routes: r.Routes}, map[string]*replicaset.ReplicaSet{}
	for _, rs := range control.Of(c.Controller, &c.ReplicaSets, r.UID) {
		o := seenByArgo(rs)
		if sets[o.Hash] != nil {
			continue // two of one template, of which the older counts
		}
		s.Sets, sets[o.Hash] = append(s.Sets, o), rs
	}
	// By default analyses succeed at once: see Env.passesAnalyses. This does not change r.
	if run := runOf(r, &s.Rollout.Status); run != nil && c.env.passesAnalyses() && unended(*run) {
		run.Phase = argo.RunSuccessful
	}
	s.Active, s.Preview, s.StableService = c.service(r.ActiveService), c.service(r.PreviewService), c.service(r.StableService)
	s.CanaryService, s.Ping, s.Pong = c.service(r.CanaryService), c.service(r.PingService), c.service(r.PongService)
	if r.RestartAt.After(r.Status.RestartedAt) {
		s.Pods = c.pods(s.Sets, sets, now)
	}
	return s, sets
}

// seenByArgo returns a ReplicaSet as package argo reads it.
func seenByArgo(rs *replicaset.ReplicaSet) argo.ReplicaSet {
	o := argo.ReplicaSet{
		Name: rs.Name, Hash: rs.Template.Hash, CreationTimestamp: rs.CreationTimestamp, ReadyReplicas: rs.Status.ReadyReplicas,
		Size:       argo.Size{Replicas: orOne(rs.Replicas), AvailableReplicas: rs.Status.AvailableReplicas, StatusReplicas: rs.Status.Replicas},
		Conditions: rs.Status.Conditions,
	}
	o.Revision, _ = strconv.ParseInt(rs.Annotations[argoRevision], 10, 64)
	if n, err := strconv.ParseInt(rs.Annotations[argoDesired], 10, 32); err == nil {
		o.DesiredReplicas = ptr.To(int32(n))
	}
	if at, err := time.Parse(time.RFC3339, rs.Annotations[argoDeadline]); err == nil {
		o.ScaleDownAt = at
	}
	return o
}

// service returns a Service that the controller sees, or nil.
func (c *argoController) service(name string) *argo.Service {
	o := control.See(c.Controller, &c.Services, name)
	if o == nil {
		return nil
	}
	// Simulated Services have no annotations: a hash in the selector stands for the annotation.
	_, managed := o.Selector[argo.HashLabel]
	return &argo.Service{Name: o.Name, Selector: o.Selector, Managed: managed}
}

// pods returns the pods that a restart looks at.
func (c *argoController) pods(list []argo.ReplicaSet, sets map[string]*replicaset.ReplicaSet, now time.Time) (pods []argo.Pod) {
	for i := range list {
		rs := sets[list[i].Hash]
		for _, p := range control.Of(c.Controller, &c.Server.Pods, rs.UID) {
			if !p.Finished() {
				available, deleting := p.Available(rs.MinReadySeconds, now), !p.DeletionTimestamp.IsZero()
				pods = append(pods, argo.Pod{Name: p.Name, CreationTimestamp: p.CreationTimestamp, Available: available, Deleting: deleting})
			}
		}
	}
	return pods
}

// Begin implements control.Worker.
func (c *argoController) Begin(name string) control.Pass {
	r := control.See(c.Controller, &c.ArgoRollouts, name)
	if r == nil {
		return nil
	}
	now := c.Now()
	s, sets := c.snapshot(r, now)
	if r.BlueGreen != nil && s.Active == nil {
		return nil // upstream reports it as invalid, and reads it again when there is a Service
	}
	p, err := argo.Reconcile(*s, now, c.env.Argo)
	c.Plans++
	if err != nil {
		c.Fail(fmt.Errorf("rollout %s of Argo: %w", name, err))
		return nil
	}
	p = begun(r, p)
	planned(c.env, c.Controller, store.KindArgoRollout, name, p)
	if at := p.RecheckAt; !at.IsZero() {
		c.WakeAt(at.Add(1), name) // a pause is over strictly after its end
	}
	if len(p.Actions) == 0 && reflect.DeepEqual(p.Status, r.Status) {
		c.Succeeded(name)
		return nil
	}
	pass := &argoPass{c: c, r: r, plan: p, version: r.ResourceVersion, sets: sets}
	return pass.next
}
