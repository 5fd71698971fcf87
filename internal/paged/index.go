// SPDX-License-Identifier: Apache-2.0

package paged

import "github.com/kplan-go/kplan/internal/field"

// An Index finds elements of a list by a text: it is a hash table with open addressing of their
// numbers, from 1, and reads the texts where they are. Several may have one text. The zero
// index is empty.
type Index struct {
	cells List[int32] // as many as a power of two, of which a quarter is free at least
	taken int
}

// Clone returns an index of its own.
func (x *Index) Clone() Index { return Index{cells: x.cells.Clone(), taken: x.taken} }

func (x *Index) home(text string) int { return int(field.Hash(text)) & (x.cells.Len() - 1) }

func (x *Index) next(cell int) int { return (cell + 1) & (x.cells.Len() - 1) }

// Find returns the number of an element with this text, or -1.
func (x *Index) Find(text string, of func(int) string) int {
	if x.taken == 0 {
		return -1
	}
	for c := x.home(text); ; c = x.next(c) {
		switch i := int(x.cells.At(c)) - 1; {
		case i < 0:
			return -1
		case of(i) == text:
			return i
		}
	}
}

// Count returns how many elements have this text.
func (x *Index) Count(text string, of func(int) string) (n int) {
	if x.taken == 0 {
		return 0
	}
	for c := x.home(text); x.cells.At(c) > 0; c = x.next(c) {
		if of(int(x.cells.At(c))-1) == text {
			n++
		}
	}
	return n
}

// Add adds an element.
func (x *Index) Add(i int, of func(int) string) {
	if 4*(x.taken+1) > 3*x.cells.Len() {
		old := x.cells
		x.cells = Make[int32](max(8, 2*old.Len()))
		for c := range old.Len() {
			if j := old.At(c); j > 0 {
				x.insert(int(j)-1, of)
			}
		}
	}
	x.insert(i, of)
	x.taken++
}

func (x *Index) insert(i int, of func(int) string) {
	c := x.home(of(i))
	for x.cells.At(c) > 0 {
		c = x.next(c)
	}
	x.cells.Set(c, int32(i+1))
}

// cell returns where an element is that is there.
func (x *Index) cell(i int, of func(int) string) int {
	c := x.home(of(i))
	for int(x.cells.At(c)) != i+1 {
		c = x.next(c)
	}
	return c
}

// Move gives an element another number. It still has its text under the old one.
func (x *Index) Move(from, to int, of func(int) string) {
	x.cells.Set(x.cell(from, of), int32(to+1))
}

// Remove removes an element that is there. Those behind it move up, so that none is cut off
// from its home by a free cell.
func (x *Index) Remove(i int, of func(int) string) {
	free := x.cell(i, of)
	mask := x.cells.Len() - 1
	for c := x.next(free); x.cells.At(c) > 0; c = x.next(c) {
		if home := x.home(of(int(x.cells.At(c)) - 1)); (c-home)&mask >= (c-free)&mask {
			x.cells.Set(free, x.cells.At(c))
			free = c
		}
	}
	x.cells.Set(free, 0)
	x.taken--
}
