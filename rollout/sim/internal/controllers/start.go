// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// A Maker makes a controller, the first or a further instance of its role.
type Maker func(env *Env, instance int) *control.Controller

// makers make our controllers. The controllers of pods come first: each acts on all changes before the
// next one looks.
var makers = []struct {
	role store.Role
	make Maker
}{
	{store.ReplicaSetController, newReplicaSetController},
	{store.SetController, newSetController},
	{store.DaemonSetController, newDaemonSetController},
	{store.DaemonHelper, newDaemonHelper},
	{store.DeploymentController, newDeploymentController},
	{store.ArgoController, newArgoController},
	{store.BatchController, newBatchController},
	{store.RolloutController, newRolloutController},
}

// A Crew are the controllers of a world.
type Crew struct {
	*Collector
	env     *Env
	running []*control.Controller
	makers  map[*control.Controller]Maker
}

// Start starts our controllers, without the roles that the world is to be without, and the controllers
// of the caller. That of ReplicationControllers starts once there is one.
func Start(env *Env, own []Reconciler) *Crew {
	env.attend()
	c := &Crew{Collector: NewCollector(env), env: env, makers: map[*control.Controller]Maker{}}
	for _, m := range makers {
		if !env.Without[m.role] {
			c.add(m.make, 0)
		}
	}
	if !env.Without[store.ReplicationManager] {
		onFirst(&env.ReplicationControllers, func() { c.add(newReplicationManager, 0).Resync() })
	}
	for _, r := range own {
		c.add(func(env *Env, instance int) *control.Controller { return newOwn(env, r, instance) }, 0)
	}
	return c
}

// onFirst calls a function when a table gets its first object, or at once if it has had one. Where
// there are none of a kind, its controller does not start, and takes no part in draws.
func onFirst[T any](t *store.Table[T], f func()) {
	if t.Created() > 0 {
		f()
		return
	}
	t.Watch(func(old, _ *T) {
		if old == nil && t.Created() == 1 {
			f()
		}
	})
}

func (c *Crew) add(m Maker, instance int) *control.Controller {
	of := m(c.env, instance)
	c.running = append(c.running, of)
	c.makers[of] = m
	return of
}

// Running are the controllers that run.
func (c *Crew) Running() []*control.Controller { return c.running }

// Step lets a controller send a request, or plan, or else the collector do its work. In a calm world
// it is the first one that has something to do, under faults any. It reports false if none has.
func (c *Crew) Step() bool {
	first := 0
	if n := len(c.running); n > 0 && !c.env.Trouble.Calm() {
		first = c.env.Trouble.IntN(n)
	}
	for i := range c.running {
		if c.running[(first+i)%len(c.running)].Step() {
			return true
		}
	}
	return c.Collector.Step()
}

// Busy reports whether a controller has something to do now, or has yet to see something.
func (c *Crew) Busy() bool {
	for _, o := range c.running {
		if o.Busy() || o.Lag() > 0 {
			return true
		}
	}
	return c.Collector.Busy()
}

// Resync lets all controllers look at all of their objects.
func (c *Crew) Resync() {
	for _, o := range c.running {
		o.Resync()
	}
}

// Second starts another instance of a controller.
func (c *Crew) Second(of *control.Controller) {
	second := c.add(c.makers[of], of.Instance+1)
	second.Resync()
}

// StopSecond stops one of two controllers of a role. It reports whether there was one.
func (c *Crew) StopSecond() bool {
	for i, o := range c.running {
		if o.Instance > 0 {
			o.Stop()
			c.running = append(c.running[:i:i], c.running[i+1:]...)
			return true
		}
	}
	return false
}

// Heal lets one controller of each role stay, finish its pass, and look at everything.
func (c *Crew) Heal() {
	for c.StopSecond() {
	}
	for _, o := range c.running {
		o.Finish()
	}
	for _, o := range c.running {
		o.Heal()
	}
}
