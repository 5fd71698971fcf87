// SPDX-License-Identifier: Apache-2.0

package field

import "math/bits"

// A Sieve is given texts one after another, as the caller reads them, and nearly always proves that
// all are different, at a lower cost than [Duplicate]. It keeps only a hash of the end of each
// text, where names and UIDs differ. Of many texts that do not ascend it keeps the hashes in a
// list, because a table that does not fit into the CPU cache is faster to fill in one go. Empty
// texts are skipped. The zero Sieve is for many texts.
type Sieve struct {
	n      int                  // number of texts, 0 for many
	few    [2 * fewTexts]uint32 // hash table with open addressing of the hashes of few texts; 0 is empty
	room   int                  // how many texts still fit into few
	slots  []uint32             // the same table for more texts
	passes int                  // how many more slots the search may pass
	ascent ascent               // of many texts; broken for fewer texts if two may be equal
	before int                  // how many of many texts were given to ascent
	marks  []uint32             // of many texts; the first before of them are set by [Sieve.Duplicate]
}

// fewTexts is the number of texts up to which a Sieve allocates no memory, and manyTexts is the
// number from which on it has no table.
const (
	fewTexts  = 16
	manyTexts = 1 << 13
)

// Begin prepares the zero Sieve for n texts.
func (s *Sieve) Begin(n int) {
	s.n = n
	switch {
	case n <= fewTexts:
		s.room = n
	case n < manyTexts:
		s.slots, s.passes = make([]uint32, 1<<bits.Len(uint(2*n))), 4*n
	}
}

// Add adds the next text.
func (s *Sieve) Add(text string) {
	switch {
	case s.room > 0:
		s.addFew(text)
	case s.slots != nil:
		s.add(text)
	case s.n > 0 && s.n <= fewTexts:
		s.ascent = broken() // more texts than announced
	case !s.ascent.broken():
		s.ascent.add(text)
		s.before++
	case s.n >= manyTexts:
		if s.marks == nil {
			s.marks = make([]uint32, s.before, max(s.n, s.before))
		}
		s.marks = append(s.marks, mark(text))
	}
}

func (s *Sieve) add(text string) {
	if text == "" {
		return
	}
	h := tailHash(text)
	mark, mask := uint32(h)|1, uint64(len(s.slots)-1)
	for i := h >> 32 & mask; ; i = (i + 1) & mask {
		switch s.slots[i] {
		case 0:
			s.slots[i] = mark
			return
		case mark:
			s.passes = 0 // the two may be equal
		}
		if s.passes--; s.passes < 0 {
			*s = Sieve{ascent: broken()}
			return
		}
	}
}

func (s *Sieve) addFew(text string) {
	if text == "" {
		return
	}
	s.room--
	h := tailHash(text)
	mark, i := uint32(h)|1, h>>32%uint64(len(s.few))
	for s.few[i] != 0 {
		if s.few[i] == mark {
			s.ascent = broken() // the two may be equal
			return
		}
		i = (i + 1) % uint64(len(s.few))
	}
	s.few[i] = mark
}

// Different reports whether all texts are certainly different. False proves nothing.
func (s *Sieve) Different() bool { return s.slots != nil || !s.ascent.broken() }

// Duplicate is [Duplicate] for the n texts that were added, including empty ones.
func (s *Sieve) Duplicate(n int, text func(i int) string) (first, second int, found bool) {
	if s.Different() {
		return 0, 0, false
	}
	if len(s.marks) != n {
		return Duplicate(n, text)
	}
	for i := range s.before {
		s.marks[i] = mark(text(i))
	}
	return duplicateOfMany(s.marks, text)
}

// tailHash returns a hash of the last eight bytes of a text and of its length.
func tailHash(s string) uint64 {
	n := len(s)
	switch {
	case n >= 8:
		return mix(word(s[n-8:]), uint64(n))
	case n >= 4:
		return mix(half(s)<<32|half(s[n-4:]), uint64(n))
	case n > 0:
		return mix(uint64(s[0])<<16|uint64(s[n/2])<<8|uint64(s[n-1]), uint64(n))
	}
	return 0
}
