// SPDX-License-Identifier: Apache-2.0

package paged

// A Due is when something becomes of an element of a list.
type Due struct {
	At   int64 // in nanoseconds since 1970
	Item int32
}

// A packed is a Due in twelve bytes, for there may be as many as pods.
type packed struct {
	high int32
	low  uint32
	item int32
}

func (d Due) packed() packed { return packed{int32(d.At >> 32), uint32(d.At), d.Item} }

// A Queue is a heap of what is due: each is at or behind the instant of the one at half its
// place. The zero Queue is empty. Its methods tell put of each element that moves in it, with
// its place from 1, or 0 if it has left.
type Queue struct {
	heap List[packed]
}

// Put notes the place of an element in a queue.
type Put = func(item int, place int32)

// Len returns how many wait.
func (q *Queue) Len() int { return q.heap.Len() }

func (q *Queue) at(k int) Due {
	p := q.heap.At(k)
	return Due{int64(p.high)<<32 | int64(p.low), p.item}
}

// First returns who is due first, of those that there are.
func (q *Queue) First() Due { return q.at(0) }

// Clone returns a queue of its own.
func (q *Queue) Clone() Queue { return Queue{q.heap.Clone()} }

// Push adds an element.
func (q *Queue) Push(d Due, put Put) {
	q.heap.Append(d.packed())
	q.rise(q.heap.Len()-1, d, put)
}

// Renumber gives the element at a place another number.
func (q *Queue) Renumber(place int32, item int) {
	d := q.at(int(place - 1))
	d.Item = int32(item)
	q.heap.Set(int(place-1), d.packed())
}

// Cut takes the element at a place out. The last one takes its place.
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

// rise puts d at k or before.
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

// sink puts d at k or behind.
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

// settle writes d at k.
func (q *Queue) settle(k int, d Due, put Put) {
	q.heap.Set(k, d.packed())
	put(int(d.Item), int32(k+1))
}
