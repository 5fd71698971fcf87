// SPDX-License-Identifier: Apache-2.0

// Package tracked holds the common parts of the incremental planners: a table of objects by name,
// and the effect of an informer event on it.
package tracked

import (
	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/podorder"
)

// A Kind reads the fields of objects that a table needs.
type Kind[T any] interface {
	Word() string // in sentences, such as "pod"
	Path() string // of an event, in errors
	Name(*T) string
	UID(*T) string
	Version(*T) string
	Same(a, b *T) bool // for two objects of one name: neither has changed since the other
}

// Pods is the [Kind] of pods.
type Pods struct{}

// Word returns "pod".
func (Pods) Word() string { return "pod" }

// Path returns "Pod".
func (Pods) Path() string { return "Pod" }

// Name returns the name of a pod.
func (Pods) Name(p *podorder.Pod) string { return p.Name }

// UID returns the UID of a pod.
func (Pods) UID(p *podorder.Pod) string { return p.UID }

// Version returns the resource version of a pod.
func (Pods) Version(p *podorder.Pod) string { return p.ResourceVersion }

// Same is [SameVersion].
func (k Pods) Same(a, b *podorder.Pod) bool { return SameVersion(k, a, b) }

// A Table holds pointers to objects with unique names. The zero Table is empty. Copy it with
// [Table.Clone]: an assignment shares memory with the original.
type Table[T any, K Kind[T]] struct {
	kind  K
	items paged.List[*T]
	names paged.Index
}

// Len returns the number of objects. They are numbered from 0.
func (t *Table[T, K]) Len() int { return t.items.Len() }

// At returns the object of a number.
func (t *Table[T, K]) At(i int) *T { return t.items.At(i) }

// Set replaces an object by another one with the same name.
func (t *Table[T, K]) Set(i int, v *T) { t.items.Set(i, v) }

// Find returns the number of the object with a name, or -1.
func (t *Table[T, K]) Find(name string) int {
	return t.names.Find(name, func(i int) string { return t.kind.Name(t.items.At(i)) })
}

// Add appends an object.
func (t *Table[T, K]) Add(v *T) {
	i := t.items.Len()
	t.items.Append(v)
	t.names.Add(i, func(i int) string { return t.kind.Name(t.items.At(i)) })
}

// Remove removes an object. The last object takes its number.
func (t *Table[T, K]) Remove(i int) {
	name := func(i int) string { return t.kind.Name(t.items.At(i)) }
	t.names.Remove(i, name)
	if last := t.items.Len() - 1; i != last {
		t.names.Move(last, i, name)
		t.items.Set(i, t.items.At(last))
	}
	t.items.Drop()
}

// List returns copies of all objects, nil if the table is empty.
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

// Clone returns an independent copy, in a time that does not depend on the number of objects.
func (t *Table[T, K]) Clone() Table[T, K] {
	return Table[T, K]{items: t.items.Clone(), names: t.names.Clone()}
}
