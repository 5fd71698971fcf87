// SPDX-License-Identifier: Apache-2.0

// Package trackedtest serves the tests of Trackers: a simple model of their events, and planted
// bugs.
package trackedtest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kplan-go/kplan/internal/verify/random"
)

// Equal is cmp.Equal, with a fast path: for equal values cmp takes longer than both plans.
func Equal(a, b any, opts ...cmp.Option) bool {
	return reflect.DeepEqual(a, b) || cmp.Equal(a, b, opts...)
}

// Diff is cmp.Diff, with the same fast path.
func Diff(a, b any, opts ...cmp.Option) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return cmp.Diff(a, b, opts...)
}

// An Identity distinguishes objects of one kind.
type Identity struct{ Name, UID, Version string }

// Objects are the objects of one kind that a Tracker should have, by name.
type Objects[T any] struct {
	All map[string]*T
	Of  func(*T) Identity
}

// Clone returns an independent copy.
func (o *Objects[T]) Clone() Objects[T] { return Objects[T]{maps.Clone(o.All), o.Of} }

// List returns the objects, in any order, nil if there are none.
func (o *Objects[T]) List() (list []T) {
	if len(o.All) > 0 {
		list = make([]T, 0, len(o.All))
	}
	for _, v := range o.All {
		list = append(list, *v)
	}
	return list
}

// Diff returns the difference between these objects and a list, or "". The order does
// not matter. Empty equals nil, because a Tracker decoded from JSON has nil.
func (o *Objects[T]) Diff(list []T) string {
	is := map[string]*T{}
	for i := range list {
		is[o.Of(&list[i]).Name] = &list[i]
	}
	if len(is) != len(list) {
		return fmt.Sprintf("%d objects have %d names\n", len(list), len(is))
	}
	return Diff(o.All, is, cmpopts.EquateEmpty())
}

// Judge applies the contract of Apply to an event: it returns whether the event is an error, and
// otherwise a function that makes the change.
func (o *Objects[T]) Judge(old, now *T) (apply func(), wrong bool) {
	nothing := func() {}
	v := now
	if v == nil {
		v = old
	}
	if v == nil {
		return nothing, false
	}
	id, later := o.Of(v), 0
	known := o.All[id.Name]
	var was Identity
	if known != nil {
		was = o.Of(known)
		a, err := strconv.Atoi(id.Version)
		b, err2 := strconv.Atoi(was.Version)
		if err == nil && err2 == nil {
			later = a - b
		}
	}
	put, remove := func() { o.All[id.Name] = now }, func() { delete(o.All, id.Name) }
	switch {
	case id.Name == "", now != nil && old != nil && o.Of(old).Name != id.Name:
		return nothing, true
	case now == nil && known == nil:
	case now == nil && (id.UID == was.UID || later > 0):
		return remove, false
	case known == nil && old != nil:
		return nothing, true
	case later < 0:
	case known == nil, now != nil && (id.UID == was.UID || later > 0 || old != nil && o.Of(old).UID == was.UID):
		return put, false
	default:
		return nothing, true
	}
	return nothing, false
}

// An Event is an addition, a change or a removal of an object.
type Event[T any] struct{ Old, New *T }

// A Feed draws events.
type Feed[T any] struct {
	sent    []Event[T]
	version int
}

// Version draws a resource version: none, an old one, or the next.
func (f *Feed[T]) Version(s random.Source) string {
	f.version++
	switch s.Below("version", 8) {
	case 0:
		return ""
	case 1:
		return strconv.Itoa(max(1, f.version-random.Below(s, "back", 30)))
	}
	return strconv.Itoa(f.version)
}

// Event draws an event: for an existing object, for any object, or one that was sent before. draw
// draws an object, and keep makes it the same object as known, with many changes. Most events of
// informers change one field, and some of these do, too.
func (f *Feed[T]) Event(s random.Source, o *Objects[T], draw func() *T, keep func(v, known *T)) Event[T] {
	if len(f.sent) > 0 && s.Below("again", 6) == 0 {
		return f.sent[max(0, len(f.sent)-1-random.Below(s, "which", 20))]
	}
	v := draw()
	known := o.All[o.Of(v).Name]
	e := Event[T]{known, v}
	switch {
	case known != nil && s.Below("goes", 6) == 0:
		e.New = nil
	case known != nil && s.Below("in one respect", 5) == 0:
		e.New = inOneRespect(s, known, v)
	case known != nil && s.Below("kept", 4) > 0:
		keep(v, known)
	case s.Below("any old", 8) == 0:
		e.Old = draw()
		if s.Below("and gone", 2) == 0 {
			e.New = nil
		}
	}
	f.sent = append(f.sent, e)
	return e
}

// Relist draws a complete list after lost events: some objects are gone, changed or new. It returns
// whether the list is an error, and otherwise a function that makes these the objects. One with the
// UID and the version of the known object counts as unchanged. See [Feed.Event] for draw and keep.
func (f *Feed[T]) Relist(s random.Source, o *Objects[T], draw func() *T, keep func(v, known *T)) (list []T, replace func(), wrong bool) {
	next := maps.Clone(o.All)
	if s.Below("lost all", 20) == 0 {
		clear(next)
	}
	for range random.Below(s, "lost", 8) {
		v := draw()
		name := o.Of(v).Name
		known := next[name]
		if known != nil && s.Below("lost removal", 3) == 0 {
			delete(next, name)
			continue
		}
		if known != nil && s.Below("lost update", 4) > 0 {
			keep(v, known)
		}
		next[name] = v
	}
	for _, name := range slices.Sorted(maps.Keys(next)) { // the same list for the same draws
		list = append(list, *next[name])
		if is, known := o.Of(next[name]), o.All[name]; known != nil && is == o.Of(known) && is.Version != "" {
			next[name] = known
		}
	}
	if s.Below("from the last", 2) == 0 {
		slices.Reverse(list)
	}
	if len(list) > 0 && s.Below("listed twice", 20) == 0 {
		return append(list, list[0]), nil, true
	}
	return list, func() { o.All = next }, next[""] != nil
}

// inOneRespect returns a copy of known with one differing field of other, if any.
func inOneRespect[T any](s random.Source, known, other *T) *T {
	v := *known
	if fields := differing(reflect.ValueOf(&v).Elem(), reflect.ValueOf(other).Elem()); len(fields) > 0 {
		f := fields[random.Below(s, "field", len(fields))]
		f[0].Set(f[1])
	}
	return &v
}

// differing returns the fields in which two values differ, including fields of nested structs, as
// pairs. A time is one field.
func differing(a, b reflect.Value) (fields [][2]reflect.Value) {
	if a.Kind() == reflect.Struct && a.NumField() > 0 && a.Field(0).CanSet() {
		for i := range a.NumField() {
			fields = append(fields, differing(a.Field(i), b.Field(i))...)
		}
		return fields
	}
	if reflect.DeepEqual(a.Interface(), b.Interface()) {
		return nil
	}
	return [][2]reflect.Value{{a, b}}
}
