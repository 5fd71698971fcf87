// SPDX-License-Identifier: Apache-2.0

package sim

import "time"

// An item is what a controller notes of an object that it looks at.
type item struct {
	key    string
	queued bool
	passes patience  // in a calm world, how often it was looked at since all has rested
	rests  int32     // which time that was
	number int32     // what the store knew the object by when it was last looked at
	alarm  time.Time // the next instant at which work on it is to begin, or in a strict world the last
	putOff putOff    // of a strict world
}

// A putOff is where an alarm is that most plans put off a bit: in the agenda only if nothing is there
// that comes before, or else the agenda would hold the alarms of all plans.
type putOff struct {
	serial int64     // by which it is to be entered, as of when it was set; 0 if it is there
	errand int32     // what is there and comes before, or 0
	until  time.Time // when that comes
}

// A queue holds what a controller is to look at, each object once.
type queue struct {
	items []*item
	first int // those before it were taken
	known map[string]*item
	last  *item // that was asked for, which often is the next one too
	// The same by the numbers that the store knows objects by.
	numbered []*item
}

func (q *queue) len() int { return len(q.items) - q.first }

// at returns the object at a place, which must exist.
func (q *queue) at(i int) *item { return q.items[q.first+i] }

// item returns what is noted of an object.
func (q *queue) item(key string) *item {
	if q.last != nil && q.last.key == key {
		return q.last
	}
	o := q.known[key]
	if o == nil {
		if q.known == nil {
			q.known = map[string]*item{}
		}
		o = &item{key: key, number: gone}
		q.known[key] = o
	}
	q.last = o
	return o
}

// add enters an object behind the others, if it is not there.
func (q *queue) add(key string) { q.enter(q.item(key)) }

func (q *queue) enter(o *item) {
	if !o.queued {
		o.queued = true
		q.items = append(q.items, o)
	}
}

// addNumbered is add for an object whose number is known, or gone.
func (q *queue) addNumbered(number int32, key string) {
	if number == gone {
		q.add(key)
		return
	}
	for int(number) >= len(q.numbered) {
		q.numbered = append(q.numbered, nil)
	}
	o := q.numbered[number]
	if o == nil {
		o = q.item(key)
		q.numbered[number] = o
	}
	q.enter(o)
}

// take removes the object at a place.
func (q *queue) take(i int) {
	i += q.first
	q.items[i].queued = false
	copy(q.items[q.first+1:i+1], q.items[q.first:i])
	q.items[q.first] = nil
	if q.first++; q.first == len(q.items) {
		q.items, q.first = q.items[:0], 0
	}
}

// clear removes all.
func (q *queue) clear() {
	for q.len() > 0 {
		q.take(0)
	}
}
