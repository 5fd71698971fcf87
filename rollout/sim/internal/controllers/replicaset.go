// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// A replicaSetController carries out the plans of package replicaset for ReplicaSets or for
// ReplicationControllers. It keeps its expectations in memory, and some controllers the versions that
// they have written.
type replicaSetController struct {
	*control.Controller
	env      *Env
	table    *store.Table[replicaset.ReplicaSet]
	kind     string // of its objects, as the owners of pods
	expected expectations
	versions map[string]expect.Versions // nil if they are not looked at
	tracked  trackedSets
}

func newReplicaSetController(env *Env, instance int) *control.Controller {
	return newControllerOf(&env.ReplicaSets, store.ReplicaSetController, env, instance)
}

// newReplicationManager returns the controller of ReplicationControllers.
func newReplicationManager(env *Env, instance int) *control.Controller {
	return newControllerOf(&env.ReplicationControllers, store.ReplicationManager, env, instance)
}

func newControllerOf(t *store.Table[replicaset.ReplicaSet], role store.Role, env *Env, instance int) *control.Controller {
	c := &replicaSetController{env: env, table: t, kind: t.Kind().String(), expected: expectations{}}
	if !env.Trouble.Calm() && env.Trouble.IntN(2) == 0 {
		c.versions = map[string]expect.Versions{}
	}
	c.Controller = control.New(env.Server, c, role, instance, t.Kind(), store.KindPod)
	return c.Controller
}

// Forget implements control.Worker.
func (c *replicaSetController) Forget() {
	clear(c.expected)
	clear(c.versions)
}

// Keys implements control.Worker.
func (c *replicaSetController) Keys() []string {
	return names(c.Controller, c.table)
}

// Watch enters the changed ReplicaSets, and the ReplicaSets of changed pods.
func (c *replicaSetController) Watch() {
	control.Each(c.Controller, c.table, func(e store.Change[replicaset.ReplicaSet]) {
		if replicaset.NeedsForget(e.Old, e.New) {
			delete(c.expected, e.Old.Name)
		}
		if e.Old != nil && (e.New == nil || e.Old.UID != e.New.UID) {
			c.tracked.drop(e.Old.UID)
		}
		if e.New != nil {
			c.Enter(e.New.Name)
		}
	})
	if c.Trouble.Calm() {
		control.Each(c.Controller, &c.Server.Pods, func(e store.Change[store.Pod]) {
			c.Fail(c.tracked.told(e.Old, e.New))
			if orphan(e.Old) || orphan(e.New) {
				c.observe(e.Old, e.New)
				return
			}
			c.enterOwner(e.New)
			if e.Old != nil && (e.New == nil || e.Old.ControllerUID != e.New.ControllerUID) {
				c.enterOwner(e.Old)
			}
		})
		return
	}
	control.EachTold(c.Controller, &c.Server.Pods, c.observe)
}

// orphan reports whether a pod has no owner, so that any ReplicaSet that selects it may adopt it.
func orphan(p *store.Pod) bool { return p != nil && p.ControllerUID == "" && !p.OfDaemonSet }

// enterOwner enters the ReplicaSet of a pod.
func (c *replicaSetController) enterOwner(p *store.Pod) {
	if p != nil && p.ControllerKind == c.kind {
		c.Enter(p.ControllerName)
	}
}

// sets returns the ReplicaSets of the namespace of a pod.
func (c *replicaSetController) sets(p *store.Pod) []replicaset.ReplicaSet {
	return values(within(c.table, control.All(c.Controller, c.table), p.Name))
}

// observe lowers expectations, and enters the ReplicaSets that a changed pod concerns: its owner, and
// the one before.
func (c *replicaSetController) observe(old, p *store.Pod) {
	var sets []replicaset.ReplicaSet
	for _, p := range [...]*store.Pod{old, p} {
		switch {
		case p == nil || p.OfDaemonSet:
		case p.ControllerUID == "":
			sets = c.sets(p)
		default:
			if rs := control.See(c.Controller, c.table, p.ControllerName); rs != nil {
				sets = append(sets, *rs)
			}
		}
	}
	c.expected.observe(c.Controller, replicaset.Effects(replicaset.PodEvent{Old: plain(old), New: plain(p)}, sets))
}

func plain(p *store.Pod) *podorder.Pod {
	if p == nil {
		return nil
	}
	return p.Plain()
}

// snapshot returns the controller's view of a ReplicaSet.
func (c *replicaSetController) snapshot(rs *replicaset.ReplicaSet) *replicaset.Snapshot {
	s := &replicaset.Snapshot{ReplicaSet: *rs, Expectations: c.expected[rs.Name]}
	if rs.ControllerUID != "" {
		for _, o := range control.Of(c.Controller, c.table, rs.ControllerUID) {
			if o.UID != rs.UID {
				s.Siblings = append(s.Siblings, *o)
			}
		}
	}
	own := control.Of(c.Controller, &c.Server.Pods, rs.UID)
	pods := own
	if rs.Selector != nil {
		pods = claimable(c.Controller, &c.Server.Pods, rs.UID, rs.Name)
	}
	if int(orOne(rs.Replicas)) < len(own) { // the pods of siblings are neighbours of the pods that go
		for i := range s.Siblings {
			pods = append(slices.Clip(pods), control.Of(c.Controller, &c.Server.Pods, s.Siblings[i].UID)...)
		}
	}
	s.Pods = make([]podorder.Pod, 0, len(pods))
	for _, p := range pods {
		if !p.OfDaemonSet {
			s.Pods = append(s.Pods, *p.Plain())
		}
	}
	if e := s.Expectations; !e.Fulfilled() && e.Satisfied(c.Now()) {
		c.env.Expired++
	}
	return s
}

// consistent reports whether the view is as new as the writes of this controller.
func (c *replicaSetController) consistent(name string) bool {
	v, ok := c.versions[name]
	if !ok {
		return true
	}
	read := expect.Versions{Children: fmt.Sprint(c.View[store.KindPod]), Owner: fmt.Sprint(c.View[c.table.Kind()])}
	if _, stale := v.Unseen(read); stale {
		return false
	}
	delete(c.versions, name)
	return true
}

// plan returns a pass of a ReplicaSet, made by a Tracker or from a snapshot.
func (c *replicaSetController) plan(rs *replicaset.ReplicaSet, now time.Time) (replicaset.Pass, error) {
	if c.env.PlanReplicaSet == nil {
		if t := c.tracked.of(c, rs); t != nil {
			return t.Pass(now, c.env.ReplicaSet)
		}
	}
	s := c.snapshot(rs)
	pass, err := replicaset.NewPass(*s, now, c.env.ReplicaSet)
	if c.env.PlanReplicaSet != nil && err == nil {
		pass.Plan, err = c.env.PlanReplicaSet(*s, now, c.env.ReplicaSet)
	}
	return pass, err
}

// Begin implements control.Worker.
func (c *replicaSetController) Begin(name string) control.Pass {
	rs := control.See(c.Controller, c.table, name)
	if rs == nil {
		delete(c.expected, name)
		return nil
	}
	if !c.consistent(name) {
		c.Retry(name)
		return nil
	}
	now := c.Now()
	made, err := c.plan(rs, now)
	p := made.Plan
	c.Plans++
	if err != nil {
		c.Fail(fmt.Errorf("%s %s: %w", c.kind, name, err))
		return nil
	}
	planned(c.env, c.Controller, c.table.Kind(), name, p)
	if len(p.Actions) == 0 && !replicaset.NeedsWrite(*rs, p.Status) {
		c.WakeAt(p.RecheckAt, name)
		return nil
	}
	c.expected.expect(c.Controller, name, p.Expect(c.expected[name], now))
	pass := &replicaSetPass{c: c, rs: rs, pass: made}
	return pass.next
}
