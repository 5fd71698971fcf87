// SPDX-License-Identifier: Apache-2.0

package paged

// A Bag holds numbers in any order. The zero Bag is empty. Its methods call put for each number
// that moves, with the new place of the number, from 1, or 0 after its removal.
type Bag struct {
	items List[int32]
}

// Len returns the number of elements.
func (b *Bag) Len() int { return b.items.Len() }

// At returns the number at a place, from 0.
func (b *Bag) At(k int) int { return int(b.items.At(k)) }

// AppendTo appends the numbers to a list.
func (b *Bag) AppendTo(list []int32) []int32 {
	for k := range b.items.pages {
		list = append(list, b.items.pages[k].items...)
	}
	return list
}

// Clone returns an independent copy.
func (b *Bag) Clone() Bag { return Bag{b.items.Clone()} }

// Add adds a number.
func (b *Bag) Add(item int, put Put) {
	b.items.Append(int32(item))
	put(item, int32(b.items.Len()))
}

// Renumber replaces the number at a place, from 1.
func (b *Bag) Renumber(place int32, item int) { b.items.Set(int(place-1), int32(item)) }

// Cut removes the number at a place, from 1. The last number takes its place.
func (b *Bag) Cut(place int32, put Put) {
	item, last := b.At(int(place-1)), b.At(b.Len()-1)
	b.items.Set(int(place-1), int32(last))
	put(last, place)
	put(item, 0)
	b.items.Drop()
}
