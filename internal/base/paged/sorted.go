// SPDX-License-Identifier: Apache-2.0

package paged

import "slices"

// A Sorted is a sorted list of numbers, compared by a function of the caller. Add and Remove take
// O(log n) comparisons and move at most one page of numbers and, rarely, the slice of pages. The
// zero Sorted is empty. Like all lists of this package, it gives memory back as it shrinks.
type Sorted struct {
	list List[int32] // all pages but the last are at least a quarter full
}

// A Compare orders two numbers. It returns 0 only for equal numbers.
type Compare = func(a, b int32) int

// Len returns the number of elements.
func (s *Sorted) Len() int { return s.list.length }

// Clone returns an independent copy.
func (s *Sorted) Clone() Sorted { return Sorted{s.list.Clone()} }

// page returns the last page whose first number is not after v, or 0.
func (s *Sorted) page(v int32, compare Compare) int {
	k, _ := slices.BinarySearchFunc(s.list.pages, v, func(p page[int32], v int32) int {
		return compare(p.items[0], v)
	})
	if k < len(s.list.pages) && s.list.pages[k].items[0] == v {
		return k
	}
	return max(0, k-1)
}

// Add adds a number that the list does not hold.
func (s *Sorted) Add(v int32, compare Compare) {
	l := &s.list
	l.length++
	if len(l.pages) == 0 {
		l.ownPages()
		l.pages = append(l.pages, page[int32]{l.owner, []int32{v}})
		return
	}
	k := s.page(v, compare)
	at, _ := slices.BinarySearchFunc(l.pages[k].items, v, compare)
	if len(l.pages[k].items) == size {
		k, at = s.split(k, at)
	}
	p := l.own(k)
	p.items = slices.Insert(p.items, at, v)
}

// split splits a full page in two, and returns the new page and place of the given place.
func (s *Sorted) split(k, at int) (page, place int) {
	l, half := &s.list, size/2
	if k == len(l.pages)-1 && at == size {
		half = size // numbers that come in order fill their pages
	}
	s.lay(k, k+1, l.pages[k].items[:half], l.pages[k].items[half:])
	if at < half {
		return k, at
	}
	return k + 1, at - half
}

// Remove removes a number that the list holds.
func (s *Sorted) Remove(v int32, compare Compare) {
	l, k := &s.list, s.page(v, compare)
	l.length--
	p := l.own(k)
	at, _ := slices.BinarySearchFunc(p.items, v, compare)
	if p.items = slices.Delete(p.items, at, at+1); len(p.items) < size/4 {
		s.join(k)
	}
}

// join merges a small page with a neighbour, or makes the two pages equally long.
func (s *Sorted) join(k int) {
	l := &s.list
	switch k = max(0, k-1); {
	case l.length == 0:
		l.pages = nil
	case len(l.pages) == 1:
		l.pages[0].items = trim(l.pages[0].items)
	default:
		all := slices.Concat(l.pages[k].items, l.pages[k+1].items)
		if n := len(all); n > size*3/4 {
			s.lay(k, k+2, all[:n/2], all[n/2:])
		} else {
			s.lay(k, k+2, all)
		}
	}
}

// lay replaces the pages from..to by pages with copies of the given numbers.
func (s *Sorted) lay(from, to int, numbers ...[]int32) {
	l := &s.list
	l.ownPages()
	var pages [2]page[int32]
	for i, items := range numbers {
		pages[i] = page[int32]{l.owner, slices.Clone(items)}
	}
	l.pages = trim(slices.Replace(l.pages, from, to, pages[:len(numbers)]...))
}

// AppendFirst appends the first n numbers to a list, or all if there are fewer.
func (s *Sorted) AppendFirst(list []int32, n int) []int32 {
	for k := 0; k < len(s.list.pages) && n > 0; k++ {
		items := s.list.pages[k].items
		items = items[:min(n, len(items))]
		list, n = append(list, items...), n-len(items)
	}
	return list
}

// All yields the numbers in order.
func (s *Sorted) All(yield func(int32) bool) {
	for k := range s.list.pages {
		for _, v := range s.list.pages[k].items {
			if !yield(v) {
				return
			}
		}
	}
}

// Seek returns the first number for which before is false. It returns false if there is no such
// number.
func (s *Sorted) Seek(before func(int32) bool) (int32, bool) {
	for v := range s.From(before) {
		return v, true
	}
	return 0, false
}

// From yields, in order, the numbers for which before is false.
func (s *Sorted) From(before func(int32) bool) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		pages := s.list.pages
		order := func(v int32, _ bool) int {
			if before(v) {
				return -1
			}
			return 1
		}
		k, _ := slices.BinarySearchFunc(pages, false, func(p page[int32], _ bool) int { return order(p.items[0], false) })
		k = max(0, k-1)
		for ; k < len(pages); k++ {
			items := pages[k].items
			at, _ := slices.BinarySearchFunc(items, false, order)
			for _, v := range items[at:] {
				if !yield(v) {
					return
				}
			}
		}
	}
}
