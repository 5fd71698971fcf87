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

// grow makes room for more values at once, because they are large.
func (t *table[T]) grow(n int) {
	if !t.atOnce {
		return
	}
	// Who finds objects by their owners, or follows them, does not read the rows. To close their gaps each time
	// that a few objects are added would take as long as all are many.
	if t.owner == nil && t.journal == nil || 2*t.gone > len(t.rows) {
		t.all()
	}
	if !t.adjacent() || cap(t.values)-len(t.values) >= n {
		return
	}
	t.values = slices.Grow(t.values, n)
	for i := range t.rows {
		t.rows[i] = &t.values[i]
	}
}

// change changes an object where it is, and returns where it is to be: apart from what it was if it is
// not to stay.
func (t *table[T]) change(o *T, f func(*T)) *T {
	t.before = *o
	if f(o); t.stay(&t.before, o) {
		return o
	}
	changed := new(T)
	*changed, *o = *o, t.before
	return changed
}

// always lets all objects stay where they are.
func always[T any](_, _ *T) bool { return true }

// versionOf returns the version of the store behind the last write of an object that is changed where
// it is, or 0 of another one.
func (t *table[T]) versionOf(number int32) int64 {
	if int(number) < len(t.written) {
		return t.written[number]
	}
	return 0
}
