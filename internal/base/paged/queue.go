// SPDX-License-Identifier: Apache-2.0

package paged

// A Due is an element of a list and the time at which it changes.
type Due struct {
	At   int64 // in nanoseconds since 1970
	Item int32
}

// A packed is a Due in twelve bytes, because a queue may hold one for each pod.
type packed struct {
	high int32
	low  uint32
	item int32
}

func (d Due) packed() packed { return packed{int32(d.At >> 32), uint32(d.At), d.Item} }

// A Queue is a binary heap of elements by due time. The zero Queue is empty. Its methods call put
// for each element that moves, with its new place, from 1, or 0 after its removal.
type Queue struct {
	heap List[packed]
}

// A Put notes the place of an element.
type Put = func(item int, place int32)

// Len returns the number of elements.
func (q *Queue) Len() int { return q.heap.Len() }

func (q *Queue) at(k int) Due {
	p := q.heap.At(k)
	return Due{int64(p.high)<<32 | int64(p.low), p.item}
}

// First returns the element that is due first. The queue must not be empty.
func (q *Queue) First() Due { return q.at(0) }

// Clone returns an independent copy.
func (q *Queue) Clone() Queue { return Queue{q.heap.Clone()} }

// Push adds an element.
func (q *Queue) Push(d Due, put Put) {
	q.heap.Append(d.packed())
	q.rise(q.heap.Len()-1, d, put)
}

// Renumber replaces the element at a place, from 1, and keeps its due time.
func (q *Queue) Renumber(place int32, item int) {
	d := q.at(int(place - 1))
	d.Item = int32(item)
	q.heap.Set(int(place-1), d.packed())
}

// Cut removes the element at a place, from 1. The last element takes its place.
func (q *Queue) Cut(place int32, put Put) {
	k, last := int(place-1), q.heap.Len()-1
	d := q.at(last)
	put(int(q.at(k).Item), 0)
	q.heap.Drop()
	if k == last {
		return
	}
	if k > 0 && d.At < q.at((k-1)/2).At {
		q.rise(k, d, put)
		return
	}
	q.sink(k, d, put)
}

// rise moves d from place k towards the first place, as far as its due time requires.
func (q *Queue) rise(k int, d Due, put Put) {
	for k > 0 {
		before := q.at((k - 1) / 2)
		if before.At <= d.At {
			break
		}
		q.settle(k, before, put)
		k = (k - 1) / 2
	}
	q.settle(k, d, put)
}

// sink moves d from place k towards the last place, as far as its due time requires.
func (q *Queue) sink(k int, d Due, put Put) {
	for {
		next := 2*k + 1
		if next >= q.heap.Len() {
			break
		}
		if next+1 < q.heap.Len() && q.at(next+1).At < q.at(next).At {
			next++
		}
		behind := q.at(next)
		if d.At <= behind.At {
			break
		}
		q.settle(k, behind, put)
		k = next
	}
	q.settle(k, d, put)
}

// settle writes d to place k.
func (q *Queue) settle(k int, d Due, put Put) {
	q.heap.Set(k, d.packed())
	put(int(d.Item), int32(k+1))
}
