// SPDX-License-Identifier: Apache-2.0

package sim

import "slices"

// adjacent reports whether the values that are changed where they are stand side by side in the order
// of the rows. Those of owners do not: nobody reads all of them, and to move them whenever there
// are more of them takes long.
func (t *table[T]) adjacent() bool { return t.inPlace && t.owner == nil }

// keepFree puts a value where one is free.
func (t *table[T]) keepFree(o *T) *T {
	if len(t.free) == 0 {
		some := make([]T, min(256, 8+len(t.rows)/4))
		for i := range some {
			t.free = append(t.free, &some[len(some)-1-i])
		}
	}
	last := len(t.free) - 1
	kept := t.free[last]
	t.free = t.free[:last]
	*kept = *o
	return kept
}

// fresh returns where an object can be made that is to be inserted.
func (t *table[T]) fresh() *T {
	if t.inPlace {
		return &t.before
	}
	return new(T)
}

// grow makes room for more objects at once, because there are many, and values are large.
func (t *table[T]) grow(n int) {
	if !t.atOnce {
		return
	}
	// Who finds objects by their owners, or follows them, does not read the rows. To close their gaps each time
	// that a few objects are added would take as long as all are many.
	if t.owner == nil && t.journal == nil || 2*t.gone > len(t.rows) {
		t.all()
	}
	t.rows, t.numbers, t.places = slices.Grow(t.rows, n), slices.Grow(t.numbers, n), slices.Grow(t.places, n)
	if !t.adjacent() || cap(t.values)-len(t.values) >= n {
		return
	}
	t.values = slices.Grow(t.values, n)
	for i := range t.rows {
		t.rows[i] = &t.values[i]
	}
}

// changeInPlace lets objects be changed where they are, if all that others remember of one, or look
// for it by, is alike. Whoever looks back finds the object as it is, and who keeps one sees by its
// version whether it has changed.
func changeInPlace[T any](t *table[T], alike func(before, after *T) bool) {
	t.settle = func(o *T) *T {
		if alike(&t.before, o) {
			return o
		}
		changed := new(T)
		*changed, *o = *o, t.before
		return changed
	}
}

// versionOf returns the version of the store behind the last write of an object that is changed where
// it is, or 0 of another one.
func (t *table[T]) versionOf(number int32) int64 {
	if int(number) < len(t.written) {
		return t.written[number]
	}
	return 0
}

// noteVersion returns versions by number with that of one more.
func noteVersion(versions []int64, number int32, version int64) []int64 {
	for int(number) >= len(versions) {
		versions = append(versions, 0)
	}
	versions[number] = version
	return versions
}
