// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

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
	Verb Verb
	// Object is a pointer to a deploy.Deployment, replicaset.ReplicaSet, podorder.Pod,
	// daemonset.DaemonSet, daemonset.Pod, revision.ControllerRevision, Set or Thing.
	Object any
}

// String says what is asked for.
func (a Ask) String() string {
	k, name, _, _ := identity(a.Object)
	return fmt.Sprintf("%s %v %s", a.Verb, k, name)
}

// identity returns the kind, name, UID and resource version of an object; the last of the kinds if
// nobody writes such ones.
func identity(object any) (k Kind, name, uid, version string) {
	switch o := object.(type) {
	case *deploy.Deployment:
		return KindDeployment, o.Name, o.UID, o.ResourceVersion
	case *replicaSet:
		return KindReplicaSet, o.Name, o.UID, o.ResourceVersion
	case *podorder.Pod:
		return KindPod, o.Name, o.UID, o.ResourceVersion
	case *daemonset.DaemonSet:
		return KindDaemonSet, o.Name, o.UID, ""
	case *daemonset.Pod:
		return KindDaemon, o.Name, o.UID, o.ResourceVersion
	case *revision.ControllerRevision:
		return KindRevision, o.Name, o.UID, o.ResourceVersion
	case *Set:
		return KindSet, o.Name, o.UID, o.ResourceVersion
	case *Thing:
		return KindThing, o.Name, o.UID, o.ResourceVersion
	}
	return kinds, "", "", ""
}

// Add adds a controller of somebody's own.
func (f *Fleet) Add(r Reconciler) {
	f.remembers()
	c := &ownController{controller: &controller{}, r: r}
	reads := []Kind{KindThing, KindDeployment, KindReplicaSet, KindPod, KindNode, KindDaemonSet, KindDaemon, KindSet, KindRevision}
	f.makers[c] = func() { f.Add(r) }
	f.w.addController(c.controller, c, Role(r.Name), reads...)
	f.w.store.pods.tell = append(f.w.store.pods.tell, c.told)
	f.w.store.daemons.tell = append(f.w.store.daemons.tell, c.toldOfDaemon)
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
	case KindSet:
		return namesOf(&s.sets, view, nil)
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

func (c *ownController) toldOfDaemon(old, p *daemonset.Pod) {
	for _, p := range [...]*daemonset.Pod{old, p} {
		if p != nil {
			c.concerns(KindDaemon, p.Name, p.ControllerName, "")
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
	changed(c, &s.revisions, from, skip, func(o *revision.ControllerRevision) (string, string) { return o.ControllerName, "" })
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
		if k == kinds {
			w.fail(fmt.Errorf("%s cannot write a %T", c.Role, a.Object))
			return invalid
		}
		r := c.request(a.Verb, name, precondition{uid, version}, a)
		if a.Verb == Create {
			r.pre = precondition{}
		}
		if a.Verb == Delete {
			return goneToo(w.fleet.drop(k, r))
		}
		return c.store(r, a.Object)
	})
}

// store carries out a request to create or change an object.
func (c *ownController) store(r request, object any) answer {
	w, s := c.w, c.w.store
	switch o := object.(type) {
	case *deploy.Deployment:
		w.fleet.wants(DeploymentController)
		return write(w, &s.deployments, r, &Deployment{Deployment: *o, CreatedAt: w.now}, updateDeployment)
	case *replicaSet:
		w.fleet.wants(ReplicaSetController)
		n := *o
		n.CreationTimestamp = w.now
		return write(w, &s.replicaSets, r, &n, updateReplicaSet)
	case *podorder.Pod:
		return w.fleet.writePod(r, *o)
	case *daemonset.DaemonSet:
		w.fleet.wants(DaemonSetController)
		w.keepDaemonTemplate(o)
		return write(w, &s.daemonSets, r, &DaemonSet{DaemonSet: *o}, updateDaemonSet)
	case *daemonset.Pod:
		return w.fleet.writeDaemonPod(r, *o)
	case *revision.ControllerRevision:
		n := *o
		n.CreationTimestamp = w.now
		return write(w, &s.revisions, r, &n, updateRevision)
	case *Set:
		w.fleet.wants(SetController)
		n := *o
		return write(w, &s.sets, r, &n, updateSet)
	case *Thing:
		n := *o
		n.CreationTimestamp = w.now
		return write(w, &s.things, r, &n, updateThing)
	}
	return invalid
}
