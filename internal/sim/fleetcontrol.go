// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// wants starts the controller of ours that plays a role, if none does and one may.
func (f *Fleet) wants(r Role) {
	if f.ours[r] {
		return
	}
	f.ours[r] = true
	var make func()
	w, cfg := f.w, &f.cfg
	switch r {
	case DeploymentController:
		make = func() { w.addDeploymentController(cfg.Deployment).plan = cfg.PlanDeploy }
	case ReplicaSetController:
		make = func() { w.addReplicaSetController(cfg.ReplicaSet).plan = cfg.PlanReplicas }
	case DaemonSetController:
		make = func() { w.addDaemonSetController(cfg.DaemonSet).plan = cfg.PlanDaemonSet }
	case SetController:
		make = func() { w.addSetController() }
	case RolloutController:
		make = func() { w.addRolloutControllers(cfg.Rollout) }
		f.ours[BatchController] = true
	case ArgoController:
		make = func() { w.addArgoController(cfg.Argo) }
	case DaemonHelper:
		make = func() { w.addDaemonHelper() }
	default:
		return
	}
	make()
	c := w.controllers[len(w.controllers)-1]
	if r != RolloutController { // which come in pairs
		f.makers[c.worker] = make
	}
}

// A Reconciler is a controller of somebody's own.
type Reconciler struct {
	Name string
	// For is the kind that it is responsible for; of things only those of the Thing.
	For   Kind
	Thing string
	// All lets it look at everything after any change, and not only at what has changed
	// and at the owners of that.
	All bool
	// Reconcile looks at an object, and returns what is to be written and when to look again.
	Reconcile func(v View, name string) (writes []Ask, again time.Duration, err error)
	// Forget drops what is kept in memory, as a crash does, or is nil.
	Forget func()
}

// An Ask is a write that a Reconciler asks for.
type Ask struct {
	Verb   Verb
	Object any // a pointer to a deploy.Deployment, replicaset.ReplicaSet, podorder.Pod or Thing
}

// String says what is asked for.
func (a Ask) String() string {
	k, name, _, _ := identity(a.Object)
	return fmt.Sprintf("%s %v %s", a.Verb, k, name)
}

// identity returns the kind, name, UID and resource version of an object.
func identity(object any) (k Kind, name, uid, version string) {
	switch o := object.(type) {
	case *deploy.Deployment:
		return KindDeployment, o.Name, o.UID, o.ResourceVersion
	case *replicaSet:
		return KindReplicaSet, o.Name, o.UID, o.ResourceVersion
	case *podorder.Pod:
		return KindPod, o.Name, o.UID, o.ResourceVersion
	case *Thing:
		return KindThing, o.Name, o.UID, o.ResourceVersion
	}
	return kinds, "", "", ""
}

// Add adds a controller of somebody's own.
func (f *Fleet) Add(r Reconciler) {
	c := &ownController{controller: &controller{}, r: r}
	reads := []Kind{KindThing, KindDeployment, KindReplicaSet, KindPod, KindNode, KindDaemonSet, KindDaemon, KindSet}
	f.makers[c] = func() { f.Add(r) }
	f.w.addController(c.controller, c, Role(r.Name), reads...)
	f.w.store.pods.tell = append(f.w.store.pods.tell, c.told)
}

// An ownController carries out what a Reconciler asks for.
type ownController struct {
	*controller
	r Reconciler
}

func (c *ownController) forget() {
	if c.r.Forget != nil {
		c.r.Forget()
	}
}

func (c *ownController) keys() []string {
	s, view := c.w.store, &c.view
	switch c.r.For {
	case KindThing:
		return namesOf(&s.things, view, func(o *Thing) bool { return o.Kind == c.r.Thing })
	case KindDeployment:
		return namesOf(&s.deployments, view, nil)
	case KindReplicaSet:
		return namesOf(&s.replicaSets, view, nil)
	case KindPod:
		return namesOf(&s.pods, view, nil)
	case KindNode:
		return namesOf(&s.nodes, view, nil)
	case KindDaemonSet:
		return namesOf(&s.daemonSets, view, nil)
	}
	return nil
}

func namesOf[T any](t *table[T], view *[kinds]int64, is func(*T) bool) (names []string) {
	for _, o := range t.at(view[t.kind]) {
		if is == nil || is(o) {
			names = append(names, *t.key(o).name)
		}
	}
	return names
}

func (c *ownController) told(old, p *podorder.Pod) {
	for _, p := range [...]*podorder.Pod{old, p} {
		if p != nil {
			c.concerns(KindPod, p.Name, p.ControllerName, "")
		}
	}
}

// concerns enters what a change is about.
func (c *ownController) concerns(k Kind, name, owner, thing string) {
	switch {
	case c.r.All:
		if c.queue.len() == 0 {
			c.resync()
		}
	case k == c.r.For:
		if k != KindThing || thing == c.r.Thing {
			c.enter(name)
		}
	case owner != "":
		c.enter(owner) // who has no object of this name does nothing
	}
}

func (c *ownController) watch(from *[kinds]int64, skip bool) {
	s := c.w.store
	changed(c, &s.things, from, skip, func(o *Thing) (string, string) { return o.ControllerName, o.Kind })
	changed(c, &s.deployments, from, skip, func(o *Deployment) (string, string) { return "", "" })
	changed(c, &s.replicaSets, from, skip, func(o *replicaSet) (string, string) { return o.ControllerName, "" })
	changed(c, &s.pods, from, skip, func(o *podorder.Pod) (string, string) { return o.ControllerName, "" })
	changed(c, &s.daemons, from, skip, func(o *daemonset.Pod) (string, string) { return o.ControllerName, "" })
	changed(c, &s.nodes, from, skip, func(o *Node) (string, string) { return "", "" })
	changed(c, &s.daemonSets, from, skip, func(o *DaemonSet) (string, string) { return "", "" })
	changed(c, &s.sets, from, skip, func(o *Set) (string, string) { return "", "" })
}

// changed enters what the changes of a kind concern.
func changed[T any](c *ownController, t *table[T], from *[kinds]int64, skip bool, of func(*T) (owner, thing string)) {
	if from[t.kind] == c.view[t.kind] || c.w.store.touched[t.kind] <= min(from[t.kind], c.view[t.kind]) {
		return
	}
	t.between(from[t.kind], c.view[t.kind], skip, func(old, o *T) {
		if c.w.fleet.deaf(c.controller) {
			return
		}
		for _, o := range [...]*T{old, o} {
			if o != nil {
				owner, thing := of(o)
				c.concerns(t.kind, *t.key(o).name, owner, thing)
			}
		}
	})
}

func (c *ownController) begin(name string) func() bool {
	c.w.Plans++
	writes, again, err := c.r.Reconcile(View{c.w, c.view, c.now()}, name)
	if c.w.Trace != nil {
		c.w.tracef("%s %d asks for %v, %d behind: %v %v", c.Role, c.Instance, name, c.lag(), writes, err)
	}
	switch {
	case again > 0:
		c.wakeAt(c.now().Add(again), name)
	case err != nil:
		c.retry(name)
	}
	if len(writes) == 0 {
		return nil
	}
	next := 0
	return func() bool {
		if c.carry(writes[next]) != done {
			c.retry(name)
			return false
		}
		if next++; next == len(writes) {
			c.retries = 0
		}
		return next < len(writes)
	}
}

// carry asks for a write. What is gone already needs not be deleted.
func (c *ownController) carry(a Ask) answer {
	return c.ask(func() answer {
		w := c.w
		k, name, uid, version := identity(a.Object)
		r := c.request(a.Verb, name, precondition{uid, version}, a)
		if a.Verb == Create {
			r.pre = precondition{}
		}
		if a.Verb == Delete {
			return goneToo(w.fleet.drop(k, r))
		}
		switch o := a.Object.(type) {
		case *deploy.Deployment:
			w.fleet.wants(DeploymentController)
			return write(w, &w.store.deployments, r, &Deployment{Deployment: *o, CreatedAt: w.now}, updateDeployment)
		case *replicaSet:
			w.fleet.wants(ReplicaSetController)
			n := *o
			n.CreationTimestamp = w.now
			return write(w, &w.store.replicaSets, r, &n, updateReplicaSet)
		case *podorder.Pod:
			return w.fleet.writePod(r, *o)
		case *Thing:
			n := *o
			n.CreationTimestamp = w.now
			return write(w, &w.store.things, r, &n, updateThing)
		}
		w.fail(fmt.Errorf("%s cannot write a %T", c.Role, a.Object))
		return invalid
	})
}

// drop deletes an object for a controller.
func (f *Fleet) drop(k Kind, r request) answer {
	w, s := f.w, f.w.store
	switch k {
	case KindDeployment:
		return remove(w, &s.deployments, r)
	case KindReplicaSet:
		return remove(w, &s.replicaSets, r)
	case KindThing:
		return remove(w, &s.things, r)
	}
	if p := w.podNamed(r.name, false); p.Pod != nil {
		return w.deletePod(p, r)
	}
	return w.answered(notFound)
}

// write creates an object, or lets a function take over into the stored one what is wanted.
func write[T any](w *World, t *table[T], r request, o *T, into func(stored, o *T, verb Verb)) answer {
	if r.verb == Create {
		k := t.key(o)
		*k.uid = ""
		_, a := create(w, t, r, o)
		return a
	}
	_, a := update(w, t, r, func(stored *T) { into(stored, o, r.verb) })
	return a
}

func updateDeployment(stored, o *Deployment, v Verb) {
	if v == UpdateStatus {
		stored.Status = o.Status
		return
	}
	n := o.Deployment
	n.UID, n.Status, n.Generation, n.ResourceVersion = stored.UID, stored.Status, stored.Generation, stored.ResourceVersion
	if !reflect.DeepEqual(n, stored.Deployment) {
		n.Generation++
	}
	stored.Deployment = n
}

func updateReplicaSet(stored, o *replicaset.ReplicaSet, v Verb) {
	if v == UpdateStatus {
		stored.Status = o.Status
		return
	}
	n := *o
	n.UID, n.Status, n.Generation, n.CreationTimestamp = stored.UID, stored.Status, stored.Generation, stored.CreationTimestamp
	if n.ResourceVersion = stored.ResourceVersion; !reflect.DeepEqual(n, *stored) {
		n.Generation++
	}
	*stored = n
}

func updateThing(stored, o *Thing, v Verb) {
	if v == UpdateStatus {
		stored.Status = maps.Clone(o.Status)
		return
	}
	n := *o
	n.UID, n.Status, n.Generation, n.CreationTimestamp = stored.UID, stored.Status, stored.Generation, stored.CreationTimestamp
	if !maps.Equal(n.Spec, stored.Spec) {
		n.Generation++
	}
	*stored = n
}

// writePod creates a pod, whose life begins, or changes what is no part of its life.
func (f *Fleet) writePod(r request, p podorder.Pod) answer {
	w := f.w
	if r.verb != Create {
		_, a := update(w, &w.store.pods, r, func(o *podorder.Pod) {
			o.Labels, o.Annotations = p.Labels, p.Annotations
			o.ControllerKind, o.ControllerName, o.ControllerUID = p.ControllerKind, p.ControllerName, p.ControllerUID
		})
		return a
	}
	if !f.allows(p.Name) {
		return w.answered(forbidden)
	}
	p.UID, p.CreationTimestamp, p.Ready, p.Phase = "", w.now, false, podorder.Pending
	if _, a := create(w, &w.store.pods, r, &p); a != done {
		return a
	}
	w.beginPod(w.podNamed(p.Name, false))
	return done
}

// A View is what somebody sees of a fleet. What it returns must not be changed, and stays what
// it is only until the fleet goes on.
type View struct {
	w    *World
	view [kinds]int64
	now  time.Time
}

// View is what there is.
func (f *Fleet) View() View { return View{f.w, *f.w.latest(), f.w.now} }

// Now is the time by the clock of whoever looks.
func (v View) Now() time.Time { return v.now }

// Deployments returns all of them, in the order of their creation.
func (v View) Deployments() []*Deployment { return rows(&v, &v.w.store.deployments) }

// ReplicaSets returns all of them.
func (v View) ReplicaSets() []*replicaset.ReplicaSet { return rows(&v, &v.w.store.replicaSets) }

// Pods returns all that belong to no DaemonSet.
func (v View) Pods() []*podorder.Pod { return rows(&v, &v.w.store.pods) }

// DaemonSets returns all of them.
func (v View) DaemonSets() []*DaemonSet { return rows(&v, &v.w.store.daemonSets) }

// DaemonPods returns the pods of DaemonSets.
func (v View) DaemonPods() []*daemonset.Pod { return rows(&v, &v.w.store.daemons) }

// Nodes returns all of them.
func (v View) Nodes() []*Node { return rows(&v, &v.w.store.nodes) }

// Sets returns the CloneSets and StatefulSets.
func (v View) Sets() []*Set { return rows(&v, &v.w.store.sets) }

// Rollouts returns all of them.
func (v View) Rollouts() []*Rollout { return rows(&v, &v.w.store.rollouts) }

// Things returns the objects of other kinds.
func (v View) Things() []*Thing { return rows(&v, &v.w.store.things) }

func rows[T any](v *View, t *table[T]) []*T { return slices.Clip(t.at(v.view[t.kind])) }

// Deployment returns the one with a name, or nil.
func (v View) Deployment(name string) *Deployment {
	return v.w.store.deployments.namedAt(v.view[KindDeployment], name)
}

// ReplicaSet returns the one with a name, or nil.
func (v View) ReplicaSet(name string) *replicaset.ReplicaSet {
	return v.w.store.replicaSets.namedAt(v.view[KindReplicaSet], name)
}

// Thing returns the one with a name, or nil.
func (v View) Thing(name string) *Thing {
	return v.w.store.things.namedAt(v.view[KindThing], name)
}

// Pod returns the one with a name, or nil.
func (v View) Pod(name string) *podorder.Pod {
	return v.w.store.pods.namedAt(v.view[KindPod], name)
}

// PodsOf returns the pods that an owner controls, or those that nobody does.
func (v View) PodsOf(uid string) []podorder.Pod {
	return v.w.store.pods.appendOf(nil, uid, v.view[KindPod])
}

// ReplicaSetsOf returns the ReplicaSets that an owner controls.
func (v View) ReplicaSetsOf(uid string) []replicaset.ReplicaSet {
	return v.w.store.replicaSets.appendOf(nil, uid, v.view[KindReplicaSet])
}
