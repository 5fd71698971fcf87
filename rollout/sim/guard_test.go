// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	daemonsetquirk "github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/deploy"
	deployquirk "github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/replicaset"
	replicasetquirk "github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/controllers"
	"github.com/kplan-go/kplan/rollout/sim/internal/podset"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/traffic"
	workloadquirk "github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A state is what a store holds that bounds are about. Objects that are stored are never changed.
type state struct {
	deployments []*store.Deployment
	replicaSets []*replicaset.ReplicaSet
	pods        []*store.Pod
	daemonSets  []*store.DaemonSet
	nodes       []*store.Node
	sets        []*store.Set
	rollouts    []*store.Rollout
	batches     []*store.BatchRelease
	services    []*store.Service
	routes      []*traffic.Route
}

func stateOf(s *apiserver.Server) state {
	return state{
		s.Deployments.All(), s.ReplicaSets.All(), s.Pods.All(), s.DaemonSets.All(), s.Nodes.All(), s.Sets.All(), s.Rollouts.All(),
		s.BatchReleases.All(), s.Services.All(), s.Routes.All(),
	}
}

// A planning is a plan of a controller that is being carried out.
type planning struct {
	by      *control.Controller
	number  int
	at      time.Time // by the clock of the controller
	version int64     // of the store when it was made, or behind its last write
	// fresh is whether nothing that the controller reads has changed since, but by the plan.
	fresh bool
	// corrected is whether it was made with all corrections.
	corrected bool
	kruise    bool // by the rules of OpenKruise
}

// A written is a write of a controller, with the plan that it is a part of.
type written struct {
	store.Write
	planning
	before, after state
}

// A guard checks each write of a controller against the true state of the store.
type guard struct {
	server  *apiserver.Server
	env     *controllers.Env
	crew    *controllers.Crew
	last    state
	touched store.View
	plans   map[store.Role]*planning // of a role that one controller plays
	number  int
	stale   bool                 // whether controllers may see the past
	checked map[string]int       // how often each bound was put to the test
	marked  map[string]int       // the plan that marked a pod, by UID
	idle    map[string]time.Time // when it was planned to delete a marked pod that does not serve, by UID
}

// newGuard returns a guard, whose function planned is to be told of all plans.
func newGuard() *guard {
	return &guard{plans: map[store.Role]*planning{}, checked: map[string]int{}, marked: map[string]int{}, idle: map[string]time.Time{}}
}

// watch lets the guard watch a world from now on.
func (g *guard) watch(w *sim.World) {
	g.server, g.env, g.crew = w.Inside()
	g.last = stateOf(g.server)
	g.server.Observe(g.wrote)
}

// planned notes a plan that is about to be carried out.
func (g *guard) planned(p sim.Plan) {
	if g.server == nil {
		return
	}
	role := store.Role(p.By)
	delete(g.plans, role)
	var by *control.Controller
	for _, c := range g.crew.Running() {
		if c.Role == role {
			if by != nil {
				return // one of two, of which the store does not tell
			}
			by = c
		}
	}
	g.number++
	g.plans[role] = &planning{
		by: by, number: g.number, at: by.Now(), version: g.server.Version(), fresh: by.Lag() == 0, corrected: g.corrected(role),
		kruise: g.env.DaemonSet.Dialect == daemonset.OpenKruise || len(g.last.daemonSets) > 0 && g.last.daemonSets[0].Advanced,
	}
}

// corrected reports whether a controller plans with all corrections.
func (g *guard) corrected(role store.Role) bool {
	switch role {
	case store.DeploymentController:
		return g.env.Deployment.Repair == deployquirk.All
	case store.ReplicaSetController:
		return g.env.ReplicaSet.Repair == replicasetquirk.All
	case store.DaemonSetController:
		return g.env.DaemonSet.Repair == daemonsetquirk.All
	}
	return g.env.Rollout == kruise.Options{Repair: workloadquirk.All}
}

// wrote checks a write, and ends the world if it leaves a bound.
func (g *guard) wrote(e store.Write) {
	if e.Object == nil {
		return // nothing is stored
	}
	touched, before := g.touched, g.last
	g.last = stateOf(g.server)
	for k := range g.touched {
		g.touched[k] = g.server.Touched(store.Kind(k))
	}
	g.server.Fail(g.applied(&e, &before))
	p := g.plans[e.By]
	if p == nil {
		return
	}
	for k, seen := range p.by.View {
		p.fresh = p.fresh && (seen == store.Unread || touched[k] <= p.version)
	}
	w := written{e, *p, before, g.last}
	if g.server.Repeating() {
		w.fresh = false
	} else {
		p.version = g.server.Version()
	}
	if w.fresh {
		g.server.Fail(g.check(&w))
	}
}

func (g *guard) check(e *written) error {
	if e.corrected {
		if err := g.rollout(e); err != nil {
			return err
		}
	}
	switch a := e.Action.(type) {
	case podset.Action:
		return g.set(e, a)
	case deploy.ScaleReplicaSet:
		if e.corrected {
			return g.scaled(e, a)
		}
	case deploy.CreateReplicaSet:
		if e.corrected {
			return g.surge(e)
		}
	case daemonset.CreatePod:
		return g.daemonCreated(e, a)
	case daemonset.DeletePod:
		return g.daemonDeleted(e, a)
	case replicaset.CreatePods:
		return g.created(e)
	case replicaset.DeletePod:
		return g.deleted(e, a)
	}
	return nil
}

func sizeOf(rs *replicaset.ReplicaSet) int32 {
	if rs.Replicas == nil {
		return 1
	}
	return *rs.Replicas
}

// total returns the pods that the ReplicaSets of a Deployment want.
func (s *state) total(d *store.Deployment) (n int64) {
	for _, rs := range s.replicaSets {
		if rs.ControllerUID == d.UID {
			n += int64(sizeOf(rs))
		}
	}
	return n
}

func budgetOf(d *store.Deployment) rollout.Budget {
	if p := deploy.PartitionedBy(d.Deployment); p != nil {
		return partition.Budget(*d.Replicas, p.RollingUpdate, false)
	}
	if d.Strategy == deploy.Recreate {
		return rollout.Budget{Replicas: *d.Replicas, Unavailable: *d.Replicas}
	}
	return rollout.Resolve(*d.Replicas, d.MaxSurge, d.MaxUnavailable)
}

// ownerOf returns the Deployment of a ReplicaSet.
func (s *state) ownerOf(name string) *store.Deployment {
	for _, rs := range s.replicaSets {
		for _, d := range s.deployments {
			if rs.Name == name && d.UID == rs.ControllerUID {
				return d
			}
		}
	}
	return nil
}

// surge: no more pods are wanted than replicas and surge, or than before.
func (g *guard) surge(e *written) error {
	d := e.after.ownerOf(e.Name)
	if d == nil {
		return nil
	}
	g.checked["surge"]++
	b := budgetOf(d)
	before, after := e.before.total(d), e.after.total(d)
	if _, ok := e.Action.(deploy.CreateReplicaSet); ok && b.Surge == 0 && deploy.PartitionedBy(d.Deployment) != nil {
		before++ // the first pod of a partition does not wait for room
	}
	if limit := max(before, int64(b.Replicas)+int64(b.Surge)); after > limit {
		return fmt.Errorf("surge: %v: %d pods wanted, at most %d may be", e.Action, after, limit)
	}
	return nil
}

// scaled: no fewer pods are available than must be, or than before.
func (g *guard) scaled(e *written, a deploy.ScaleReplicaSet) error {
	if a.To > a.From {
		return g.surge(e)
	}
	d := e.after.ownerOf(e.Name)
	if d == nil {
		return nil
	}
	shared := a.Reason == reason.Scaling && deploy.PartitionedBy(d.Deployment) != nil
	if a.Reason != reason.RolloutDown && a.Reason != reason.Unhealthy && !shared {
		return nil
	}
	g.checked["availability"]++
	available := func(s *state) (n int64) {
		for _, rs := range s.replicaSets {
			if rs.ControllerUID == d.UID {
				n += int64(min(sizeOf(rs), rs.Status.AvailableReplicas))
			}
		}
		return n
	}
	if least := min(available(&e.before), int64(budgetOf(d).MinAvailable())); available(&e.after) < least {
		return fmt.Errorf("availability: %v: %d pods remain available, %d must", e.Action, available(&e.after), least)
	}
	return nil
}

func (s *state) active(uid string) (n int32) {
	for _, p := range s.pods {
		if p.ControllerUID == uid && p.Active() {
			n++
		}
	}
	return n
}

func (s *state) pod(name string) *store.Pod {
	for _, p := range s.pods {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// created: no more pods are created than there may be.
func (g *guard) created(e *written) error {
	pod := e.after.pod(e.Name)
	for _, rs := range e.after.replicaSets {
		if pod != nil && rs.UID == pod.ControllerUID {
			g.checked["creation"]++
			if n := e.after.active(rs.UID); n > sizeOf(rs) {
				return fmt.Errorf("creation: %d pods of %s, which wants %d", n, rs.Name, sizeOf(rs))
			}
		}
	}
	return nil
}

// deleted: a pod is deleted only if there are too many, and only an own one.
func (g *guard) deleted(e *written, a replicaset.DeletePod) error {
	pod := e.before.pod(a.Name)
	for _, rs := range e.before.replicaSets {
		if rs.UID == pod.ControllerUID {
			g.checked["deletion"]++
			if n := e.after.active(rs.UID); n < sizeOf(rs) {
				return fmt.Errorf("deletion: %d pods of %s are left, which wants %d", n, rs.Name, sizeOf(rs))
			}
			return nil
		}
	}
	return fmt.Errorf("deletion: %s has no replica set", a.Name)
}
