// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"slices"
)

// memory is how many changes of a kind are remembered at least. Older ones are forgotten once all
// readers have seen them.
const memory = 48

// trim forgets old changes, if there are many.
func (t *Table[T]) trim() {
	if n := min(len(t.log)-memory, t.seenBy(t.store.seen(t.kind))); n >= memory {
		t.log = slices.Delete(t.log, 0, n)
	}
}

// seenBy is how many of the changes that are remembered a reader has seen that knows of a version.
// Most ask for one of the latest.
func (t *Table[T]) seenBy(version int64) int {
	for n := len(t.log); n >= max(0, len(t.log)-4); n-- {
		if n == 0 || t.log[n-1].Version <= version {
			return n
		}
	}
	n, _ := slices.BinarySearchFunc(t.log, version+1, func(c Change[T], v int64) int { return cmp.Compare(c.Version, v) })
	return n
}

// changesAfter is how many changes there were after a version.
func (t *Table[T]) changesAfter(version int64) int { return len(t.log) - t.seenBy(version) }

// Since calls a function for each change after one version, up to another.
func (t *Table[T]) Since(from, to int64, f func(Change[T])) {
	if t.store.touched[t.kind] <= from {
		return
	}
	for i, n := t.seenBy(from), t.seenBy(to); i < n; i++ {
		f(t.log[i])
	}
}

// Difference calls a function for each object that was another one at one version than at a later
// one, as a list after a lost connection shows it.
func (t *Table[T]) Difference(from, to int64, f func(Change[T])) {
	i, n := t.seenBy(from), t.seenBy(to)
	if n-i < 2 {
		t.Since(from, to, f)
		return
	}
	first, last := map[*Entry[T]]*T{}, map[*Entry[T]]*T{}
	var changed []*Entry[T]
	for _, c := range t.log[i:n] {
		if _, known := last[c.entry]; !known {
			first[c.entry] = c.Old
			changed = append(changed, c.entry)
		}
		last[c.entry] = c.New
	}
	slices.SortFunc(changed, func(a, b *Entry[T]) int { return a.serial - b.serial })
	for _, e := range changed {
		if first[e] != nil || last[e] != nil {
			f(Change[T]{Version: to, Old: first[e], New: last[e], entry: e})
		}
	}
}

// GetAt is Get as of a version.
func (t *Table[T]) GetAt(version int64, name string) *T {
	for _, c := range t.log[t.seenBy(version):] {
		if *t.meta(either(c.Old, c.New)).Name == name {
			return c.Old
		}
	}
	return t.Get(name)
}

// AllAt is All as of a version.
func (t *Table[T]) AllAt(version int64) []*T {
	later := t.log[t.seenBy(version):]
	if len(later) == 0 {
		return t.All()
	}
	return t.undo(later, slices.Clone(t.entries), func(*T) bool { return true })
}

// OfAt is Of as of a version.
func (t *Table[T]) OfAt(version int64, owner string) []*T {
	later := t.log[t.seenBy(version):]
	if len(later) == 0 {
		return t.Of(owner)
	}
	var entries []*Entry[T]
	if g := t.groups[owner]; g != nil {
		entries = slices.Clone(g.entries)
	}
	return t.undo(later, entries, func(o *T) bool { return *t.meta(o).Owner == owner })
}

// undo returns the objects of entries, and of changes, as they were before the changes, if they are
// wanted.
func (t *Table[T]) undo(later []Change[T], entries []*Entry[T], wanted func(*T) bool) []*T {
	before := map[*Entry[T]]*T{}
	for _, c := range slices.Backward(later) {
		before[c.entry] = c.Old
	}
	for _, c := range later {
		entries = append(entries, c.entry)
	}
	slices.SortFunc(entries, func(a, b *Entry[T]) int { return a.serial - b.serial })
	var objects []*T
	for _, e := range slices.Compact(entries) {
		o := e.Now
		if was, changed := before[e]; changed {
			o = was
		}
		if o != nil && wanted(o) {
			objects = append(objects, o)
		}
	}
	return objects
}
