// SPDX-License-Identifier: Apache-2.0

package sim

// A queue holds what a controller is to look at, each object once.
type queue struct {
	keys  []string
	first int // those before it were taken
	has   map[string]bool
}

func (q *queue) len() int { return len(q.keys) - q.first }

// at returns the object at a place, which must exist.
func (q *queue) at(i int) string { return q.keys[q.first+i] }

// add enters an object behind the others, if it is not there.
func (q *queue) add(key string) {
	if q.has[key] {
		return
	}
	if q.has == nil {
		q.has = map[string]bool{}
	}
	q.has[key] = true
	q.keys = append(q.keys, key)
}

// take removes the object at a place.
func (q *queue) take(i int) {
	i += q.first
	delete(q.has, q.keys[i])
	copy(q.keys[q.first+1:i+1], q.keys[q.first:i])
	q.keys[q.first] = ""
	if q.first++; q.first == len(q.keys) {
		q.keys, q.first = q.keys[:0], 0
	}
}

// clear removes all.
func (q *queue) clear() {
	clear(q.has)
	q.keys, q.first = q.keys[:0], 0
}
