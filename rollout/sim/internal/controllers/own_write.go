// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"maps"
	"reflect"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// A Write is one that a Reconciler asks for.
type Write struct {
	Verb store.Verb // Create, Update, UpdateStatus or Delete
	// Object is a pointer to a podorder.Pod, replicaset.ReplicaSet, deploy.Deployment,
	// cluster.Object, daemonset.DaemonSet, daemonset.Pod, revision.ControllerRevision or
	// cluster.Set. Except for Create, its UID and resource version, if set, must be equal to
	// the stored ones.
	Object any
}

// String names the verb and the object.
func (w Write) String() string {
	t := targetOf(w.Object)
	return fmt.Sprintf("%s %v %s", w.Verb, t.kind, t.name)
}

// A target is the object that a write is about.
type target struct {
	known              bool // whether objects of its type can be written
	kind               store.Kind
	name, uid, version string
}

func targetOf(object any) target {
	if v := reflect.ValueOf(object); v.Kind() != reflect.Pointer || v.IsNil() {
		return target{}
	}
	switch o := object.(type) {
	case *deploy.Deployment:
		return target{true, store.KindDeployment, o.Name, o.UID, o.ResourceVersion}
	case *replicaset.ReplicaSet:
		return target{true, kindOfSet(o), o.Name, o.UID, o.ResourceVersion}
	case *podorder.Pod:
		return target{true, store.KindPod, o.Name, o.UID, o.ResourceVersion}
	case *daemonset.Pod:
		return target{true, store.KindPod, o.Name, o.UID, o.ResourceVersion}
	case *daemonset.DaemonSet:
		return target{true, store.KindDaemonSet, o.Name, o.UID, ""}
	case *revision.ControllerRevision:
		return target{true, store.KindRevision, o.Name, o.UID, o.ResourceVersion}
	case *cluster.Set:
		return target{true, store.KindSet, o.Name, o.UID, ""}
	case *cluster.Object:
		return target{true, store.KindObject, o.Name, o.UID, o.ResourceVersion}
	}
	return target{}
}

func kindOfSet(o *replicaset.ReplicaSet) store.Kind {
	if o.Kind == replicaset.KindController {
		return store.KindReplicationController
	}
	return store.KindReplicaSet
}

// send asks for a write. An object that is gone already needs not be deleted.
func (c *ownController) send(w Write) apiserver.Answer {
	t := targetOf(w.Object)
	r := c.Request(w.Verb, t.name, w)
	switch {
	case !t.known:
		c.Fail(fmt.Errorf("%s cannot write a %T", c.Role, w.Object))
		return apiserver.Invalid
	case w.Verb == store.Create:
		return c.write(r, w.Object)
	}
	r.UID, r.Version = t.uid, t.version
	switch w.Verb {
	case store.Update, store.UpdateStatus:
		return c.write(r, w.Object)
	case store.Delete:
		return c.Delete(t.kind, r).OrGone()
	}
	c.Fail(fmt.Errorf("%s cannot %q a %T", c.Role, w.Verb, w.Object))
	return apiserver.Invalid
}

// write creates or changes an object. A new one has the generation 1, if no other is given.
func (c *ownController) write(r apiserver.Request, object any) apiserver.Answer {
	now := c.Agenda.Now()
	switch o := object.(type) {
	case *deploy.Deployment:
		n := store.Deployment{Deployment: *o, CreatedAt: now}
		n.Generation = max(n.Generation, 1)
		return writeOwn(c, &c.Deployments, r, n, takeDeployment)
	case *replicaset.ReplicaSet:
		n := *o
		n.Generation, n.CreationTimestamp = max(n.Generation, 1), now
		return writeOwn(c, c.ReplicaTable(o.Kind), r, n, takeReplicaSet)
	case *podorder.Pod:
		return c.writePod(r, o)
	case *daemonset.Pod:
		return c.writeDaemonPod(r, o)
	case *daemonset.DaemonSet:
		c.env.KeepDaemonTemplate(o)
		n := store.DaemonSet{DaemonSet: *o}
		n.Generation = max(n.Generation, 1)
		return writeOwn(c, &c.DaemonSets, r, n, takeDaemonSet)
	case *revision.ControllerRevision:
		n := *o
		n.CreationTimestamp = now
		return writeOwn(c, &c.Revisions, r, n, takeRevision)
	case *cluster.Set:
		n := store.Set{Set: *o}
		n.Generation = max(n.Generation, 1)
		return writeOwn(c, &c.Sets, r, n, takeSet)
	case *cluster.Object:
		n := *o
		n.Generation, n.CreationTimestamp = max(n.Generation, 1), now
		return writeOwn(c, &c.Objects, r, n, takeObject)
	}
	return apiserver.Invalid
}

// writeOwn creates an object, or lets a function take over from it all that the writer decides: its
// status, or all but that.
func writeOwn[T any](c *ownController, t *store.Table[T], r apiserver.Request, o T, take func(stored, o *T, status bool)) apiserver.Answer {
	if r.Verb == store.Create {
		*t.Meta(&o).UID = ""
		_, a := apiserver.Create(c.Server, t, r, &o)
		return a
	}
	_, a := apiserver.Update(c.Server, t, r, func(stored *T) { take(stored, &o, r.Verb == store.UpdateStatus) })
	return a
}

func takeDeployment(stored, o *store.Deployment, status bool) {
	if status {
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

func takeReplicaSet(stored, o *replicaset.ReplicaSet, status bool) {
	if status {
		stored.Status = o.Status
		return
	}
	o.UID, o.Status, o.Generation, o.ResourceVersion = stored.UID, stored.Status, stored.Generation, stored.ResourceVersion
	if o.CreationTimestamp = stored.CreationTimestamp; !reflect.DeepEqual(o, stored) {
		o.Generation++
	}
	*stored = *o
}

func takeDaemonSet(stored, o *store.DaemonSet, status bool) {
	if status {
		stored.Status = o.Status
		return
	}
	n := o.DaemonSet
	n.UID, n.Status, n.Generation = stored.UID, stored.Status, stored.Generation
	if !reflect.DeepEqual(n, stored.DaemonSet) {
		n.Generation++
	}
	stored.DaemonSet, stored.TemplateID = n, "" // the hash is given
}

func takeSet(stored, o *store.Set, status bool) {
	if status {
		stored.Status, stored.StableRevision, stored.UpdateRevision = o.Status, o.StableRevision, o.UpdateRevision
		return
	}
	n := o.Set
	n.UID, n.Status, n.Generation = stored.UID, stored.Status, stored.Generation
	n.StableRevision, n.UpdateRevision = stored.StableRevision, stored.UpdateRevision
	if !reflect.DeepEqual(n, stored.Set) {
		n.Generation++
	}
	stored.Set = n
}

// takeRevision takes over all but the data of a revision, which an API server does not let change.
func takeRevision(stored, o *revision.ControllerRevision, _ bool) {
	o.UID, o.CreationTimestamp, o.ResourceVersion, o.Data = stored.UID, stored.CreationTimestamp, stored.ResourceVersion, stored.Data
	*stored = *o
}

func takeObject(stored, o *cluster.Object, status bool) {
	if status {
		stored.Status = o.Status
		return
	}
	o.UID, o.Status, o.Generation, o.ResourceVersion = stored.UID, stored.Status, stored.Generation, stored.ResourceVersion
	if o.CreationTimestamp = stored.CreationTimestamp; !maps.Equal(o.Spec, stored.Spec) {
		o.Generation++
	}
	*stored = *o
}
