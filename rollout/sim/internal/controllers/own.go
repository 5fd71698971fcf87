// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"time"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// A Reconciler is a controller of the caller.
type Reconciler struct {
	Name string
	// For is the kind of the objects that it reconciles; for [store.KindObject], Object has the kind.
	For    store.Kind
	Object string
	// All lets it look at all objects after any change, and not only at the changed one and its
	// owner.
	All bool
	// Reconcile looks at an object, and returns writes and after which time to look again.
	Reconcile func(v View, name string) ([]Write, time.Duration, error)
	// Forget drops all that it keeps in memory, as a crash does, or is nil.
	Forget func()
}

// A View is the part of a store that a Reconciler sees.
type View struct {
	*store.Store
	At  store.View
	Now time.Time // by the clock of the controller
}

// An ownController carries out the writes that a Reconciler asks for.
type ownController struct {
	*control.Controller
	env  *Env
	r    Reconciler
	told bool // whether it got an event since it has read everything
}

// newOwn returns a controller of the caller.
func newOwn(env *Env, r Reconciler, instance int) *control.Controller {
	c := &ownController{env: env, r: r}
	c.Controller = control.New(env.Server, c, store.Role(r.Name), instance, store.KindObject, store.KindDeployment, store.KindReplicaSet,
		store.KindPod, store.KindNode, store.KindDaemonSet, store.KindSet, store.KindRevision)
	onFirst(&env.ReplicationControllers, func() { c.Read(store.KindReplicationController) })
	return c.Controller
}

// Forget implements control.Worker.
func (c *ownController) Forget() {
	if c.r.Forget != nil {
		c.r.Forget()
	}
}

// Keys implements control.Worker.
func (c *ownController) Keys() []string {
	switch c.r.For {
	case store.KindObject:
		return ownNames(c, &c.Objects, c.isOfKind)
	case store.KindDeployment:
		return ownNames(c, &c.Deployments, nil)
	case store.KindReplicaSet, store.KindReplicationController:
		return ownNames(c, c.ReplicaTable(c.r.For.String()), nil)
	case store.KindPod:
		return ownNames(c, &c.Server.Pods, isNoDaemon)
	case store.KindNode:
		return ownNames(c, &c.Nodes, nil)
	case store.KindDaemonSet:
		return ownNames(c, &c.DaemonSets, nil)
	case store.KindSet:
		return ownNames(c, &c.Sets, nil)
	case store.KindRevision:
		return ownNames(c, &c.Revisions, nil)
	}
	return nil
}

func (c *ownController) isOfKind(o *cluster.Object) bool { return o.Kind == c.r.Object }

func isNoDaemon(p *store.Pod) bool { return !p.OfDaemonSet }

// ownNames returns the names of the objects of a table that a controller sees, or of some.
func ownNames[T any](c *ownController, t *store.Table[T], is func(*T) bool) (list []string) {
	for _, o := range control.All(c.Controller, t) {
		if is == nil || is(o) {
			list = append(list, *t.Meta(o).Name)
		}
	}
	return list
}

// Watch enters the changed objects, and the owners of changed objects.
func (c *ownController) Watch() {
	watchOwn(c, &c.Objects, c.isOfKind, func(o *cluster.Object) string { return o.ControllerName })
	watchOwn(c, &c.Deployments, nil, nil)
	for _, t := range c.ReplicaTables() {
		watchOwn(c, t, nil, func(o *replicaset.ReplicaSet) string { return o.ControllerName })
	}
	watchOwn(c, &c.Server.Pods, isNoDaemon, func(o *store.Pod) string { return o.ControllerName })
	watchOwn(c, &c.Revisions, nil, func(o *revision.ControllerRevision) string { return o.ControllerName })
	watchOwn(c, &c.Nodes, nil, nil)
	watchOwn(c, &c.DaemonSets, nil, nil)
	watchOwn(c, &c.Sets, nil, nil)
	if c.told {
		c.told = false
		c.Resync()
	}
}

// watchOwn enters the objects that the changes of a table concern: the changed objects, if the
// controller is responsible for them, or else their owners. An owner may be of another kind: a
// Reconciler that finds no object of a name has nothing to do.
func watchOwn[T any](c *ownController, t *store.Table[T], is func(*T) bool, owner func(*T) string) {
	control.EachTold(c.Controller, t, func(old, o *T) {
		if c.r.All {
			c.told = true
			return
		}
		for _, o := range [...]*T{old, o} {
			switch {
			case o == nil:
			case t.Kind() == c.r.For && (is == nil || is(o)):
				c.Enter(*t.Meta(o).Name)
			case owner != nil && owner(o) != "":
				c.Enter(owner(o))
			}
		}
	})
}

// Begin implements control.Worker.
func (c *ownController) Begin(name string) control.Pass {
	c.Plans++
	writes, again, err := c.r.Reconcile(View{c.Store, c.View, c.Now()}, name)
	c.Tracef("%s %d asks for %v for %s, %d behind: %v", c.Role, c.Instance, writes, name, c.Lag(), err)
	switch {
	case again > 0:
		c.WakeAt(c.Now().Add(again), name)
	case err != nil:
		c.Retry(name)
	case len(writes) == 0:
		c.Succeeded(name)
	}
	if len(writes) == 0 {
		return nil
	}
	next := 0
	return func() bool {
		w := writes[next]
		if c.Ask(func() apiserver.Answer { return c.send(w) }) != apiserver.Done {
			c.Retry(name)
			return false
		}
		if next++; next == len(writes) && err == nil {
			c.Succeeded(name)
		}
		return next < len(writes)
	}
}
