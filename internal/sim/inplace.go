// SPDX-License-Identifier: Apache-2.0

package sim

import "slices"

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
	// Who follows objects does not read the rows. To close their gaps each time that a few objects are added
	// would take as long as all are many.
	if t.journal == nil || 2*t.gone > len(t.rows) {
		t.all()
	}
	t.rows, t.numbers, t.places = slices.Grow(t.rows, n), slices.Grow(t.numbers, n), slices.Grow(t.places, n)
	if !t.inPlace || cap(t.values)-len(t.values) >= n {
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
