// SPDX-License-Identifier: Apache-2.0

package paged

import (
	"math/bits"

	"github.com/kplan-go/kplan/internal/base/field"
)

// An Index finds elements of a list by a text, which several elements may share. It is a hash table
// with open addressing that holds the numbers of the elements and reads their texts in the list.
// The zero Index is empty.
//
// The low bits of a cell hold the number of an element, from 1; the other bits hold the same bits
// of the hash of its text. So a search in a large list reads hardly any text but the one it finds.
type Index struct {
	cells List[uint32] // a quarter or more are free; in a large table, three quarters at most
	taken int
	mask  uint32 // the bits of a cell that hold the number
}

// Clone returns an independent copy.
func (x *Index) Clone() Index { return Index{x.cells.Clone(), x.taken, x.mask} }

// home returns the first cell for a hash. It depends on bits of the hash that cells do not hold.
func (x *Index) home(hash uint32) int {
	return int(uint64(hash*0x9e3779b1) * uint64(x.cells.Len()) >> 32)
}

func (x *Index) next(cell int) int {
	if cell++; cell < x.cells.Len() {
		return cell
	}
	return 0
}

// ahead returns the number of steps from one cell to another, around the end of the table.
func (x *Index) ahead(from, to int) int {
	if to < from {
		return to - from + x.cells.Len()
	}
	return to - from
}

// Find returns the number of an element with this text, or -1.
func (x *Index) Find(text string, of func(int) string) int {
	if x.taken == 0 {
		return -1
	}
	hash := field.Hash(text)
	for c := x.home(hash); ; c = x.next(c) {
		v := x.cells.At(c)
		if v == 0 {
			return -1
		}
		if i := int(v&x.mask) - 1; (v^hash)&^x.mask == 0 && of(i) == text {
			return i
		}
	}
}

// Add adds an element.
func (x *Index) Add(i int, of func(int) string) {
	if n := x.cells.Len(); 4*(x.taken+1) > 3*n {
		x.resize(max(8, n+n/4), of)
	}
	x.fit(i)
	x.insert(i, of)
	x.taken++
}

// resize gives the index another number of cells. It inserts elements in the order of their
// numbers: the objects were often allocated in that order, which makes them faster to read.
func (x *Index) resize(cells int, of func(int) string) {
	var largest uint32
	for c := range x.cells.Len() {
		largest = max(largest, x.cells.At(c)&x.mask)
	}
	there := make([]uint64, largest/64+1)
	for c := range x.cells.Len() {
		v := x.cells.At(c) & x.mask
		there[v/64] |= 1 << (v % 64)
	}
	there[0] &^= 1 // free cells
	x.cells, x.mask = Make[uint32](cells), 1<<bits.Len(max(uint(largest), uint(cells)))-1
	for k, set := range there {
		for ; set != 0; set &= set - 1 {
			x.insert(64*k+bits.TrailingZeros64(set)-1, of)
		}
	}
}

// fit widens the numbers in all cells if i does not fit. Cells lose bits of their hashes, because
// the wider numbers take their place.
func (x *Index) fit(i int) {
	mask := uint32(1)<<bits.Len(uint(i+1)) - 1
	if mask <= x.mask {
		return
	}
	for c := range x.cells.Len() {
		if v := x.cells.At(c); v > 0 {
			x.cells.Set(c, v&^mask|v&x.mask)
		}
	}
	x.mask = mask
}

func (x *Index) insert(i int, of func(int) string) {
	hash := field.Hash(of(i))
	c := x.home(hash)
	for x.cells.At(c) > 0 {
		c = x.next(c)
	}
	x.cells.Set(c, hash&^x.mask|uint32(i+1))
}

// number returns the number in a cell, or -1.
func (x *Index) number(c int) int { return int(x.cells.At(c)&x.mask) - 1 }

// cell returns the cell of an element of the index.
func (x *Index) cell(i int, of func(int) string) int {
	c := x.home(field.Hash(of(i)))
	for x.number(c) != i {
		c = x.next(c)
	}
	return c
}

// Move gives an element another number. The function of still returns its text for the old number.
func (x *Index) Move(from, to int, of func(int) string) {
	x.fit(to)
	c := x.cell(from, of)
	x.cells.Set(c, x.cells.At(c)&^x.mask|uint32(to+1))
}

// Remove removes an element of the index. Elements in the following cells move up, so that no free
// cell lies between an element and its home.
func (x *Index) Remove(i int, of func(int) string) {
	free := x.cell(i, of)
	for c := x.next(free); x.cells.At(c) > 0; c = x.next(c) {
		if home := x.home(field.Hash(of(x.number(c)))); x.ahead(home, c) >= x.ahead(free, c) {
			x.cells.Set(free, x.cells.At(c))
			free = c
		}
	}
	x.cells.Set(free, 0)
	x.taken--
	if n := x.cells.Len(); n > size && 4*x.taken < n {
		x.resize(n/2, of)
	}
}
