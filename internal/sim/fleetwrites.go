// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"maps"
	"reflect"

	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// drop deletes an object for a controller.
func (f *Fleet) drop(k Kind, r request) answer {
	w, s := f.w, f.w.store
	switch k {
	case KindDeployment:
		return remove(w, &s.deployments, r)
	case KindReplicaSet:
		return remove(w, &s.replicaSets, r)
	case KindDaemonSet:
		return remove(w, &s.daemonSets, r)
	case KindRevision:
		return remove(w, &s.revisions, r)
	case KindSet:
		return remove(w, &s.sets, r)
	case KindThing:
		return remove(w, &s.things, r)
	}
	if p := w.store.podNamed(r.name, k == KindDaemon); p.Pod != nil {
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

// writePod creates a pod, whose life begins, or changes what is no part of its life. One that gets
// another revision of its set is updated in place, and has to start again.
func (f *Fleet) writePod(r request, p podorder.Pod) answer {
	w := f.w
	if r.verb != Create {
		starts := false
		_, a := update(w, &w.store.pods, r, func(o *podorder.Pod) {
			before := podset.RevisionOf(o)
			takeOver(o, &p)
			if starts = before != podset.RevisionOf(o) && w.store.setOf(o) >= 0; starts {
				o.Ready, o.ReadySince = false, w.now
			}
		})
		if starts {
			w.beginStart(w.store.podNamed(r.name, false))
		}
		return a
	}
	if f.newborn(&p); !f.allows(p.Name) {
		return w.answered(forbidden)
	}
	if _, a := create(w, &w.store.pods, r, &p); a != done {
		return a
	}
	w.beginPod(w.store.podNamed(p.Name, false))
	return done
}
