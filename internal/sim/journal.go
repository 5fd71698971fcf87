// SPDX-License-Identifier: Apache-2.0

package sim

import "slices"

// A journal is how the values of a table change, each of which stays as it is, so that Trackers
// can keep them. Each controller reads it when it plans. The nil journal notes nothing.
type journal[T any] struct {
	table   *table[T]
	events  []event[T]
	first   int    // number of the first event that is remembered
	full    int    // how many there are when some are to be forgotten
	readers []*int // up to where each has read, of those that are not too late
}

// An event is one change.
type event[T any] struct{ old, new *T }

// keep begins a journal of what is in a table. From now on its values are not changed where they
// are any more.
func (t *table[T]) keep() {
	t.all()
	t.inPlace, t.values, t.journal = false, nil, &journal[T]{table: t}
}

// note notes a change of one of n values.
func (j *journal[T]) note(old, now *T, n int) {
	if j == nil {
		return
	}
	if len(j.events) >= j.full {
		j.forget(1024 + n/2) // as many as a few readers would read faster than all values
	}
	j.events = append(j.events, event[T]{old, now})
}

// forget forgets what all readers have read: events keep what values were, which takes more memory than
// what they are. Of the others it keeps the last ones, so many at most. A reader that has yet to read
// earlier ones begins anew, and one that never reads again is no reader any more.
func (j *journal[T]) forget(most int) {
	first := j.end()
	for _, at := range j.readers {
		first = min(first, *at)
	}
	first = max(first, j.end()-most, j.first)
	j.readers = slices.DeleteFunc(j.readers, func(at *int) bool { return *at < first })
	kept := copy(j.events, j.events[first-j.first:])
	clear(j.events[kept:])
	j.events, j.first, j.full = j.events[:kept], first, 1024+2*kept
	j.events = slices.Grow(j.events, j.full-kept)
}

// end is the number of the next event.
func (j *journal[T]) end() int { return j.first + len(j.events) }

// since yields the events from a number on, and all values as events if those have been
// forgotten, which begins anew. Then the number is that of the next event.
func (j *journal[T]) since(at *int, anew func(), f func(old, now *T) error) error {
	if *at < j.first {
		anew()
		for _, v := range j.table.all() {
			if err := f(nil, v); err != nil {
				return err
			}
		}
		if !slices.Contains(j.readers, at) {
			j.readers = append(j.readers, at)
		}
		*at = j.end()
		return nil
	}
	for ; *at < j.end(); *at++ {
		e := &j.events[*at-j.first]
		if err := f(e.old, e.new); err != nil {
			return err
		}
	}
	return nil
}
