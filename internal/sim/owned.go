// SPDX-License-Identifier: Apache-2.0

package sim

import "slices"

// members are the numbers of the objects of one owner. What has left is dropped when
// somebody reads them, so that an owner of many loses one as quickly as an owner of few.
type members struct {
	owner    string
	numbers  []int32
	left     int
	moved    bool // whether some that have left are there, and have another owner
	unsorted bool
	dropped  bool  // whether they are none, and others will take their place
	number   int32 // of the owner among those of its kind, when it was looked up last; or gone
	kin      kin   // what pods have in common
	known    bool  // whether there was one that could tell
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
		m := t.homes[number]
		m.left++
		m.moved = m.moved || new != nil
	}
	if new == nil {
		return
	}
	m := t.owned[after]
	if m == nil {
		m = &members{owner: after, number: gone}
		t.owned[after] = m
	}
	for int(number) >= len(t.homes) {
		t.homes = append(t.homes, nil)
	}
	t.homes[number], t.orphaned = m, t.orphaned || after == ""
	t.note(number, old, new, m)
	if n := len(m.numbers); n > 0 && m.numbers[n-1] >= number {
		m.unsorted = true // it was created before the others, or was here before
	}
	m.numbers = append(m.numbers, number)
}

// note notes what an object counts for behind a write, if anybody asks for that.
func (t *table[T]) note(number int32, old, new *T, m *members) {
	if t.brief == nil {
		return
	}
	for int(number) >= len(t.briefs) {
		t.briefs = append(t.briefs, 0)
	}
	t.briefs[number] = t.brief(t.briefs[number], old, new, m)
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
	if m := t.owned[owner]; m != nil {
		return t.tidy(m)
	}
	return nil
}

// tidy drops what has left, and returns nil if nothing is left.
func (t *table[T]) tidy(m *members) *members {
	if m.unsorted {
		slices.Sort(m.numbers)
		m.numbers, m.unsorted = slices.Compact(m.numbers), false
		m.left, m.moved = m.left+1, true // let us look
	}
	if m.left > 0 {
		m.numbers = slices.DeleteFunc(m.numbers, func(number int32) bool {
			return t.places[number] == gone || m.moved && t.owner(t.numbered(number)) != m.owner
		})
		m.left, m.moved = 0, false
	}
	if len(m.numbers) == 0 {
		delete(t.owned, m.owner)
		m.dropped = true
		return nil
	}
	return m
}

// orphans returns the numbers of the objects that nobody owns.
func (t *table[T]) orphans() []int32 {
	if !t.orphaned {
		return nil
	}
	numbers := t.of("")
	t.orphaned = len(numbers) > 0
	return numbers
}

// recalled is membersOf for who remembers what it was when it was last looked up.
func (t *table[T]) recalled(last **members, owner string) *members {
	if m := *last; m != nil && !m.dropped && m.owner == owner {
		return t.tidy(m)
	}
	*last = t.membersOf(owner)
	return *last
}

// owning returns the number of the owner of an object, which is the one with a name, or gone.
func owning[T, O any](t *table[T], number int32, owners *table[O], name string) int32 {
	var m *members
	if number >= 0 && int(number) < len(t.homes) {
		m = t.homes[number]
	}
	if m != nil && m.number != gone {
		if o := owners.numbered(m.number); o != nil && *owners.key(o).name == name {
			return m.number
		}
	}
	n := owners.number(name)
	if m != nil {
		m.number = n
	}
	return n
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
	return t.appendAt(values, t.of(owner), owner, version)
}

// appendAt is appendOf for those that the owner has now.
func (t *table[T]) appendAt(values []T, numbers []int32, owner string, version int64) []T {
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
	before, all := map[int32]*T{}, []int32(nil)
	for _, c := range later {
		if _, seen := before[c.number]; seen {
			continue
		}
		before[c.number] = c.old
		if c.old != nil && t.owner(c.old) == owner {
			all = append(all, c.number)
		}
	}
	for _, number := range numbers {
		if _, seen := before[number]; !seen {
			before[number] = t.numbered(number)
			all = append(all, number)
		}
	}
	slices.Sort(all)
	rows := make([]change[T], len(all))
	for i, number := range all {
		rows[i] = change[T]{number: number, old: before[number]}
	}
	return rows
}
