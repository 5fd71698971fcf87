// SPDX-License-Identifier: Apache-2.0

// Package apply holds the common parts of the functions that carry out the actions of a plan: how
// an API server finds an object, names a new one and refuses a write.
package apply

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/kplan-go/kplan"
)

// UID returns the UID of an object created at now. Equal arguments give equal UIDs, and an object
// that takes the name of another one later has a different UID.
func UID(name string, now time.Time) string {
	return name + "-" + strconv.FormatInt(now.Unix(), 36) + "-" + strconv.FormatInt(int64(now.Nanosecond()), 36)
}

// Refused returns the error of a write that cannot be made.
func Refused(path, value, detail string) error {
	return &kplan.FieldError{Path: path, Value: value, Detail: detail}
}

// With returns a copy of m with the entries of set, or nil if both are empty.
func With(m, set map[string]string) map[string]string {
	if len(m)+len(set) == 0 {
		return nil
	}
	all := make(map[string]string, len(m)+len(set))
	maps.Copy(all, m)
	maps.Copy(all, set)
	return all
}

// Having returns m if it is not nil and has all entries of set, as after most writes of an object
// that is up to date. Otherwise it returns [With].
func Having(m, set map[string]string) map[string]string {
	there := m != nil
	for key, value := range set {
		v, ok := m[key]
		there = there && ok && v == value
	}
	if there {
		return m
	}
	return With(m, set)
}

// Without returns a copy of m without some keys, or nil if no other key is left.
func Without(m map[string]string, keys ...string) map[string]string {
	all := With(m, nil)
	for _, key := range keys {
		delete(all, key)
	}
	return With(nil, all)
}

// NilIfEmpty returns a list, or nil if it is empty.
func NilIfEmpty[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// A List holds the objects of one kind while actions are carried out on them. Its time grows with
// the objects plus the actions, not with their product.
type List[T any] struct {
	items   []T
	key     func(*T) (name, uid string)
	numbers map[[2]string]int // nil until the second search
	asked   bool
	gone    map[int]bool
}

// NewList returns a list of copies of the items. The function key returns the name and UID of an
// object.
func NewList[T any](items []T, key func(*T) (name, uid string)) *List[T] {
	return &List[T]{items: slices.Clone(items), key: key}
}

// Find returns the object with a name and UID, or nil. The object may be written to until the next
// object is added.
func (l *List[T]) Find(name, uid string) *T {
	if i := l.find([2]string{name, uid}); i >= 0 {
		return &l.items[i]
	}
	return nil
}

// Remove removes the object with a name and UID.
func (l *List[T]) Remove(name, uid string) {
	if i := l.find([2]string{name, uid}); i >= 0 {
		if l.gone == nil {
			l.gone = map[int]bool{}
		}
		l.gone[i] = true
	}
}

// Add adds an object.
func (l *List[T]) Add(item T) {
	l.items = append(l.items, item)
	if l.numbers != nil {
		l.note(len(l.items) - 1)
	}
}

// All returns the objects that were not removed, in order, with added objects last.
func (l *List[T]) All() []T {
	if len(l.gone) == 0 {
		return l.items
	}
	left := make([]T, 0, len(l.items)-len(l.gone))
	for i := range l.items {
		if !l.gone[i] {
			left = append(left, l.items[i])
		}
	}
	return NilIfEmpty(left)
}

// find returns the number of the first object with a name and UID, or -1. The first search reads
// all objects; later ones use a map.
func (l *List[T]) find(key [2]string) int {
	if !l.asked {
		l.asked = true
		for i := range l.items {
			if name, uid := l.key(&l.items[i]); key[0] == name && key[1] == uid {
				return i
			}
		}
		return -1
	}
	if l.numbers == nil {
		l.numbers = make(map[[2]string]int, len(l.items))
		for i := range l.items {
			l.note(i)
		}
	}
	if i, ok := l.numbers[key]; ok && !l.gone[i] {
		return i
	}
	return -1
}

func (l *List[T]) note(i int) {
	name, uid := l.key(&l.items[i])
	if before, ok := l.numbers[[2]string{name, uid}]; !ok || l.gone[before] {
		l.numbers[[2]string{name, uid}] = i
	}
}

// Finalizers returns a copy of a list with a finalizer at its end, or without it.
func Finalizers(list []string, finalizer string, remove bool) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(f string) bool { return f == finalizer })
	if !remove {
		list = append(list, finalizer)
	}
	return NilIfEmpty(list)
}

// Meant returns the error of a write to an object that does not exist or has another name or UID
// than the write names. A write without a UID fits any.
func Meant(kind string, there bool, name, uid, asked, askedUID string) error {
	if there && name == asked && (askedUID == "" || askedUID == uid) {
		return nil
	}
	return Refused("Action.Name", asked, "must be the name of the "+kind+" with the UID of the action")
}
