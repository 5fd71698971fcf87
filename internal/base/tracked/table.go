// SPDX-License-Identifier: Apache-2.0

// Package tracked holds what every incremental planner keeps of the objects that it is told of:
// a table of them by name, and what an event, as informers tell it, does to it.
package tracked

import (
	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/podorder"
)

// A Kind is what a table reads of its objects.
type Kind[T any] interface {
	Word() string // in sentences, such as "pod"
	Path() string // of an event, in errors
	Name(*T) string
	UID(*T) string
	Version(*T) string
}

// Pods is the kind of pods as most planners know them.
type Pods struct{}

// Word is what a pod is called.
func (Pods) Word() string { return "pod" }

// Path is where an event of a pod stands.
func (Pods) Path() string { return "Pod" }

// Name returns the name of a pod.
func (Pods) Name(p *podorder.Pod) string { return p.Name }

// UID returns the UID of a pod.
func (Pods) UID(p *podorder.Pod) string { return p.UID }

// Version returns the resource version of a pod.
func (Pods) Version(p *podorder.Pod) string { return p.ResourceVersion }

// A Table is objects, each with a name of its own. It keeps pointers to them. The zero Table is
// empty. A copy by assignment is no table of its own: see [Table.Clone].
type Table[T any, K Kind[T]] struct {
	kind  K
	items paged.List[*T]
	names paged.Index
}

// Len returns how many objects there are. They are numbered from 0.
func (t *Table[T, K]) Len() int { return t.items.Len() }

// At returns an object.
func (t *Table[T, K]) At(i int) *T { return t.items.At(i) }

// Set puts another object of the same name in place of one.
func (t *Table[T, K]) Set(i int, v *T) { t.items.Set(i, v) }

// Find returns which object has a name, or -1.
func (t *Table[T, K]) Find(name string) int {
	return t.names.Find(name, func(i int) string { return t.kind.Name(t.items.At(i)) })
}

// Add adds an object behind the others.
func (t *Table[T, K]) Add(v *T) {
	i := t.items.Len()
	t.items.Append(v)
	t.names.Add(i, func(i int) string { return t.kind.Name(t.items.At(i)) })
}

// Remove removes an object. The last one takes its place.
func (t *Table[T, K]) Remove(i int) {
	name := func(i int) string { return t.kind.Name(t.items.At(i)) }
	t.names.Remove(i, name)
	if last := t.items.Len() - 1; i != last {
		t.names.Move(last, i, name)
		t.items.Set(i, t.items.At(last))
	}
	t.items.Drop()
}

// List returns copies of all objects, nil if there are none.
func (t *Table[T, K]) List() []T {
	if t.items.Len() == 0 {
		return nil
	}
	list := make([]T, t.items.Len())
	for i := range list {
		list[i] = *t.items.At(i)
	}
	return list
}

// Clone returns a table of its own, in a time that does not depend on how much is in it.
func (t *Table[T, K]) Clone() Table[T, K] {
	return Table[T, K]{items: t.items.Clone(), names: t.names.Clone()}
}
