// SPDX-License-Identifier: Apache-2.0

package sim

// A slab is where many short lists lie that are kept as long as one another: one piece of memory for
// hundreds of them takes a fraction of the time of many, for whoever collects garbage too.
type slab[T any] struct {
	free []T
	last int // length of the last piece
}

// longest is the length of the pieces, once there are many lists.
const longest = 1024

// room returns an empty list with room for n, nil for none.
func (s *slab[T]) room(n int) []T {
	if n == 0 {
		return nil
	}
	if n > len(s.free) {
		s.last = min(max(2*s.last, 4), longest)
		s.free = make([]T, max(n, s.last))
	}
	list := s.free[:0:n]
	s.free = s.free[n:]
	return list
}

// keep returns a copy of a list.
func (s *slab[T]) keep(list []T) []T { return append(s.room(len(list)), list...) }
