// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"cmp"
	"slices"
)

// members are the numbers of the objects of one owner. What has left is dropped when
// somebody reads them, so that an owner of many loses one as quickly as an owner of few.
type members struct {
	owner    string
	numbers  []int32
	left     int
	moved    bool // whether some that have left are there, and have another owner
	unsorted bool
	kin      *kin // what pods have in common, or nil if there were none
}

// moved notes whose an object is that was written.
func (t *table[T]) moved(number int32, old, new *T) {
	before, after := "", ""
	if old != nil {
		before = t.owner(old)
	}
	if new != nil {
		after = t.owner(new)
	}
	if old != nil && new != nil && before == after {
		t.note(number, old, new, nil)
		return
	}
	if old != nil {
		m := t.owned[before]
		m.left++
		m.moved = m.moved || new != nil
	}
	if new == nil {
		t.note(number, old, new, nil)
		return
	}
	m := t.owned[after]
	if m == nil {
		m = &members{owner: after}
		t.owned[after] = m
	}
	t.note(number, old, new, m)
	if n := len(m.numbers); n > 0 && m.numbers[n-1] >= number {
		m.unsorted = true // it was created before the others, or was here before
	}
	m.numbers = append(m.numbers, number)
}

// note notes what an object counts for behind a write, if anybody asks for that.
func (t *table[T]) note(number int32, old, new *T, m *members) {
	switch {
	case t.brief == nil:
	case new == nil:
		t.briefs[number] = 0
	default:
		for int(number) >= len(t.briefs) {
			t.briefs = append(t.briefs, 0)
		}
		t.briefs[number] = t.brief(t.briefs[number], old, new, m)
	}
}

// of returns the numbers of the objects of an owner, in the order of creation.
func (t *table[T]) of(owner string) []int32 {
	if m := t.membersOf(owner); m != nil {
		return m.numbers
	}
	return nil
}

// membersOf returns the objects of an owner, in the order of creation, or nil if there are none.
func (t *table[T]) membersOf(owner string) *members {
	m := t.owned[owner]
	if m == nil {
		return nil
	}
	if m.unsorted {
		slices.Sort(m.numbers)
		m.numbers, m.unsorted = slices.Compact(m.numbers), false
		m.left, m.moved = m.left+1, true // let us look
	}
	if m.left > 0 {
		m.numbers = slices.DeleteFunc(m.numbers, func(number int32) bool {
			return t.places[number] == gone || m.moved && t.owner(t.numbered(number)) != owner
		})
		m.left, m.moved = 0, false
	}
	if len(m.numbers) == 0 {
		delete(t.owned, owner)
		return nil
	}
	return m
}

// about is how many objects an owner has, more or less.
func (t *table[T]) about(owner string) int {
	if m := t.owned[owner]; m != nil {
		return len(m.numbers) - m.left
	}
	return 0
}

// appendOf appends the values of the objects of an owner as of a version of the store, in the
// order of creation.
func (t *table[T]) appendOf(values []T, owner string, version int64) []T {
	numbers := t.of(owner)
	later := t.past[t.index(version)+1:]
	if len(later) == 0 {
		for _, number := range numbers {
			values = append(values, *t.numbered(number))
		}
		return values
	}
	for _, c := range t.ofAt(numbers, owner, later) {
		values = append(values, *c.old)
	}
	return values
}

// ofAt returns the objects of an owner as they were before later changes.
func (t *table[T]) ofAt(numbers []int32, owner string, later []change[T]) []change[T] {
	seen, rows := map[int32]bool{}, []change[T](nil)
	for _, c := range later {
		if seen[c.number] {
			continue
		}
		seen[c.number] = true
		if c.old != nil && t.owner(c.old) == owner {
			rows = append(rows, change[T]{number: c.number, old: c.old})
		}
	}
	for _, number := range numbers {
		if !seen[number] {
			rows = append(rows, change[T]{number: number, old: t.numbered(number)})
		}
	}
	slices.SortFunc(rows, func(a, b change[T]) int { return cmp.Compare(a.number, b.number) })
	return rows
}
