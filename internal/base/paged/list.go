// SPDX-License-Identifier: Apache-2.0

// Package paged holds a list that is cheap to copy: the copy and the original share their
// pages until one of them writes to a page.
package paged

import "slices"

// size is how many elements a page has. A write to a shared page copies as many.
const size = 256

// A List is a list of any length. The zero List is empty. It is a value of its own only as
// long as it is not assigned: copy it with [List.Clone].
type List[T any] struct {
	owner  *owner // of the pages that may be written to
	shared bool   // pages too is that of a clone as well
	pages  []page[T]
	length int
}

// An owner tells pages that a list has copied since it was last cloned from those that it
// shares. It has a size, because otherwise all would be at one address.
type owner struct{ _ byte }

type page[T any] struct {
	owner *owner
	items []T
}

// Make returns a list of n zero values.
func Make[T any](n int) (l List[T]) {
	items := make([]T, n)
	l.length = n
	for len(items) > 0 {
		k := min(len(items), size)
		l.pages = append(l.pages, page[T]{items: items[:k:k]})
		items = items[k:]
	}
	return l
}

// Len returns the number of elements.
func (l *List[T]) Len() int { return l.length }

// At returns an element.
func (l *List[T]) At(i int) T { return l.pages[uint(i)/size].items[uint(i)%size] }

// Set replaces an element.
func (l *List[T]) Set(i int, v T) { l.own(i / size).items[i%size] = v }

// Ref returns an element to be changed in place, until one is appended or dropped or the list is
// cloned.
func (l *List[T]) Ref(i int) *T { return &l.own(i / size).items[i%size] }

// Append adds an element to the end.
func (l *List[T]) Append(v T) {
	if l.length == size*len(l.pages) {
		l.ownPages()
		p := page[T]{owner: l.owner}
		if len(l.pages) > 1 { // it is going to be full, too
			p.items = make([]T, 0, size)
		}
		l.pages = append(l.pages, p)
	}
	p := l.own(l.length / size)
	p.items = append(p.items, v)
	l.length++
}

// Drop removes the last element.
func (l *List[T]) Drop() {
	l.length--
	k := l.length / size
	p := l.own(k)
	last := l.length % size
	clear(p.items[last:]) // what it refers to may go
	p.items = p.items[:last]
	if k == 0 {
		p.items = trim(p.items)
	}
	if last == 0 {
		l.pages[k] = page[T]{}
		l.pages = trim(l.pages[:k])
	}
}

// trim returns what is left of a slice, in less memory if most of it has gone.
func trim[T any](s []T) []T {
	if cap(s) <= 16 || 4*len(s) > cap(s) {
		return s
	}
	return append(make([]T, 0, 2*len(s)), s...)
}

// Clone returns a list of the same elements, in a time that does not depend on their number.
func (l *List[T]) Clone() List[T] {
	l.owner, l.shared = new(owner), true
	return *l
}

// own returns a page that may be written to.
func (l *List[T]) own(k int) *page[T] {
	p := &l.pages[k]
	if p.owner != l.owner { // so all are after a clone
		l.ownPages()
		p = &l.pages[k]
		p.items, p.owner = slices.Clone(p.items), l.owner
	}
	return p
}

func (l *List[T]) ownPages() {
	if l.shared {
		l.pages, l.shared = slices.Clone(l.pages), false
	}
}
