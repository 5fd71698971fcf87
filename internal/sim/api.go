// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
)

// lookup returns the number of the object that a request is about, and the object.
func lookup[T any](t *table[T], r *request) (int32, *T, answer) {
	number := r.known - 1
	if number == gone || t.numbered(number) == nil {
		if number = t.number(r.name); number == gone {
			return gone, nil, notFound
		}
	}
	o := t.numbered(number)
	k := t.key(o)
	return number, o, r.pre.met(k.uid, k.version)
}

// update performs a change of an object, whose maps and slices the function must replace
// and not change.
func update[T any](w *World, t *table[T], r request, f func(*T)) (*T, answer) {
	number, old, a := lookup(t, &r)
	if a != done {
		return nil, w.refused(&r, a)
	}
	return alter(w, t, &r, number, old, f), done
}

// alter changes an object: a copy that takes its place, if it is to stay what it was.
func alter[T any](w *World, t *table[T], r *request, number int32, old *T, f func(*T)) *T {
	changed := old
	settles := t.settle != nil && w.Observer.Write == nil // who may keep what was
	switch {
	case settles:
		t.before = *old
	case !t.inPlace:
		changed = new(T)
		*changed = *old
	case len(t.tell) > 0 || t.watch != nil:
		t.before = *old
		old = &t.before
	}
	f(changed)
	if settles {
		changed = t.settle(changed)
	}
	before := beforeWrite(w, t)
	t.replace(&w.store.versions, number, old, changed)
	wrote(w, t, r, changed, before)
	return changed
}

// create stores an object under its name and gives it a UID.
func create[T any](w *World, t *table[T], r request, o *T) (*T, answer) {
	k := t.key(o)
	r.name, r.verb = *k.name, Create
	if t.number(r.name) != gone {
		return nil, w.refused(&r, exists)
	}
	switch {
	case k.uid == nil:
	case *k.uid == "":
		*k.uid = w.newUID()
	default:
		w.taken(*k.uid)
	}
	o = add(w, t, &r, o)
	t.list()
	return o, done
}

// add stores an object whose name and UID are free.
func add[T any](w *World, t *table[T], r *request, o *T) *T {
	before := beforeWrite(w, t)
	o = t.insert(&w.store.versions, o)
	wrote(w, t, r, o, before)
	return o
}

// remove takes an object out of the store.
func remove[T any](w *World, t *table[T], r request) answer {
	number, _, a := lookup(t, &r)
	if a != done {
		return w.refused(&r, a)
	}
	erase(w, t, &r, number)
	return done
}

// erase takes out an object that was looked up.
func erase[T any](w *World, t *table[T], r *request, number int32) {
	old := t.numbered(number)
	r.verb = Remove
	w.garbage = w.garbage || t.kind != KindPod && t.kind != KindDaemon
	before := beforeWrite(w, t)
	t.remove(&w.store.versions, number)
	wrote(w, t, r, old, before)
}

// beforeWrite returns what there is before a write, if anybody wants to know.
func beforeWrite[T any](w *World, t *table[T]) *State {
	if w.Observer.Write == nil {
		return nil
	}
	before := w.state()
	t.rows = slices.Clone(t.rows) // and those before stay what they are
	return &before
}

// wrote tells that an object was written.
func wrote[T any](w *World, t *table[T], r *request, o *T, before *State) {
	w.Writes++
	if w.Trace != nil {
		w.tracef("%s %s %s %s", r.by.Role, r.verb, t.kind, *t.key(o).name)
	}
	if w.written != nil {
		w.written(r.by.Role)
	}
	if before == nil {
		return
	}
	k := t.key(o)
	event := Write{
		By: r.by, Verb: r.verb, Kind: t.kind, Name: *k.name, Action: r.action, Fresh: r.fresh, Expecting: r.expect, Corrected: r.fixed,
		Planned: r.planned, Plan: r.plan, Before: *before, After: w.state(), Fair: w.fair,
	}
	if k.uid != nil {
		event.UID = *k.uid
	}
	w.fail(w.Observer.Write(event))
}

// refused counts an answer that is no success.
func (w *World) refused(r *request, a answer) answer {
	if w.strict {
		w.fail(fmt.Errorf("a plan does not fit the cluster: %s: %s %s: %v", r.by.Role, r.verb, r.name, a))
	}
	return w.answered(a)
}

// answered counts an answer that is no success.
func (w *World) answered(a answer) answer {
	switch a {
	case conflict:
		w.count(AnsweredConflict)
	case exists:
		w.count(AnsweredExists)
	case notFound, invalid:
		w.count(AnsweredNotFound)
	case forbidden:
		w.count(AnsweredForbidden)
	}
	return a
}

// newUID returns a UID that no object has had.
func (w *World) newUID() string {
	w.serial++
	return w.uidPrefix + strconv.Itoa(w.serial)
}

// taken notes a UID that an object came with.
func (w *World) taken(uid string) {
	if number, ok := strings.CutPrefix(uid, w.uidPrefix); ok {
		if n, err := strconv.Atoi(number); err == nil {
			w.serial = max(w.serial, n)
		}
	}
}

// changePod changes a pod of either table.
func (w *World) changePod(p podRef, r request, f func(*podorder.Pod)) {
	if p.daemon {
		if d := w.store.daemons.numbered(p.number); d != nil {
			alter(w, &w.store.daemons, &r, p.number, d, func(d *daemonset.Pod) { f(&d.Pod) })
		}
		return
	}
	if o := w.store.pods.numbered(p.number); o != nil {
		alter(w, &w.store.pods, &r, p.number, o, f)
	}
}

// podName returns a name that no pod has had.
func (w *World) podName(prefix string) string {
	for {
		w.podNames++
		name := prefix + "-" + strconv.Itoa(w.podNames)
		if w.store.pods.number(name) == gone && w.store.daemons.number(name) == gone {
			return name
		}
	}
}
