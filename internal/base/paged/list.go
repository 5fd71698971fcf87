// SPDX-License-Identifier: Apache-2.0

// Package paged holds a list that is cheap to copy: the copy and the original share their
// pages until one of them writes to a page.
package paged

import "slices"

// size is the number of elements of a page: a write to a shared page copies so many.
const size = 256

// A List is a list of any length. The zero List is empty. Copy it with [List.Clone]: an assignment
// shares memory with the original.
type List[T any] struct {
	owner  *owner // of the pages that this list may write to
	shared bool   // the slice of pages is shared with a clone
	pages  []page[T]
	length int
}

// An owner marks the pages that a list has copied since its last clone; all other pages are shared.
// It is not of size zero, so that each owner has its own address.
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

// At returns the element at an index.
func (l *List[T]) At(i int) T { return l.pages[uint(i)/size].items[uint(i)%size] }

// Set replaces the element at an index.
func (l *List[T]) Set(i int, v T) { l.own(i / size).items[i%size] = v }

// Ref returns a pointer to an element. It may be written to until an element is appended or dropped
// or the list is cloned.
func (l *List[T]) Ref(i int) *T { return &l.own(i / size).items[i%size] }

// Append adds an element to the end.
func (l *List[T]) Append(v T) {
	if l.length == size*len(l.pages) {
		l.ownPages()
		p := page[T]{owner: l.owner}
		if len(l.pages) > 1 { // a second page is going to be full
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
	clear(p.items[last:]) // lets the garbage collector free it
	p.items = p.items[:last]
	if k == 0 {
		p.items = trim(p.items)
	}
	if last == 0 {
		l.pages[k] = page[T]{}
		l.pages = trim(l.pages[:k])
	}
}

// trim copies a slice that uses at most a quarter of its memory into a smaller one.
func trim[T any](s []T) []T {
	if cap(s) <= 16 || 4*len(s) > cap(s) {
		return s
	}
	return append(make([]T, 0, 2*len(s)), s...)
}

// Clone returns an independent copy, in a time that does not depend on the number of elements.
func (l *List[T]) Clone() List[T] {
	l.owner, l.shared = new(owner), true
	return *l
}

// own returns a page for writing. It copies the page if it is shared.
func (l *List[T]) own(k int) *page[T] {
	p := &l.pages[k]
	if p.owner != l.owner { // true for all pages after a clone
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
