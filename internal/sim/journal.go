// SPDX-License-Identifier: Apache-2.0

package sim

// A journal is what becomes of values that are changed where they are: copies, which stay as
// they are, so that Trackers can keep them. Each controller reads it when it plans. The nil
// journal notes nothing.
type journal[T any] struct {
	latest []*T // by number; nil if they are gone
	events []change[T]
	first  int // number of the first event that is remembered
}

// keep begins a journal of what is in a table.
func (t *table[T]) keep() {
	rows := t.all()
	j := &journal[T]{latest: make([]*T, len(t.places))}
	copies := fill(make([]T, 0, len(rows)), rows)
	for i := range copies {
		j.latest[t.numbers[i]] = &copies[i]
	}
	t.journal = j
}

// note notes how a value is now. It remembers as many events as a few readers would read
// faster than all values.
func (j *journal[T]) note(number int32, now *T) {
	if j == nil {
		return
	}
	if most := 1024 + len(j.latest)/2; len(j.events) >= 2*most {
		j.events, j.first = append(j.events[:0], j.events[most:]...), j.first+most
	}
	for int(number) >= len(j.latest) {
		j.latest = append(j.latest, nil)
	}
	e := change[T]{old: j.latest[number]}
	if now != nil {
		e.new = new(T)
		*e.new = *now
	}
	j.latest[number] = e.new
	j.events = append(j.events, e)
}

// end is the number of the next event.
func (j *journal[T]) end() int { return j.first + len(j.events) }

// since yields the events from a number on, and all values as events if those have been
// forgotten, which begins anew. It returns the number of the next.
func (j *journal[T]) since(from int, anew func(), f func(old, now *T) error) (int, error) {
	if from < j.first {
		anew()
		for _, v := range j.latest {
			if v == nil {
				continue
			}
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
