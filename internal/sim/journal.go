// SPDX-License-Identifier: Apache-2.0

package sim

// A journal is how the values of a table change, each of which stays as it is, so that Trackers
// can keep them. Each controller reads it when it plans. The nil journal notes nothing.
type journal[T any] struct {
	table  *table[T]
	events []event[T]
	first  int // number of the first event that is remembered
}

// An event is one change.
type event[T any] struct{ old, new *T }

// keep begins a journal of what is in a table. From now on its values are not changed where they
// are any more.
func (t *table[T]) keep() {
	t.all()
	t.inPlace, t.values, t.journal = false, nil, &journal[T]{table: t}
}

// note notes a change. It remembers as many events as a few readers would read faster than all
// values, of which there are n.
func (j *journal[T]) note(old, now *T, n int) {
	if j == nil {
		return
	}
	if most := 1024 + n/2; len(j.events) >= 2*most {
		kept := copy(j.events, j.events[len(j.events)-most:])
		clear(j.events[kept:])
		j.first += len(j.events) - kept
		j.events = j.events[:kept]
	}
	j.events = append(j.events, event[T]{old, now})
}

// end is the number of the next event.
func (j *journal[T]) end() int { return j.first + len(j.events) }

// since yields the events from a number on, and all values as events if those have been
// forgotten, which begins anew. It returns the number of the next.
func (j *journal[T]) since(from int, anew func(), f func(old, now *T) error) (int, error) {
	if from < j.first {
		anew()
		for _, v := range j.table.all() {
			if err := f(nil, v); err != nil {
				return from, err
			}
		}
		return j.end(), nil
	}
	for _, e := range j.events[from-j.first:] {
		if err := f(e.old, e.new); err != nil {
			return from, err
		}
	}
	return j.end(), nil
}
