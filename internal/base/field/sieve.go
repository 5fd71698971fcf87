// SPDX-License-Identifier: Apache-2.0

package field

import "math/bits"

// A Sieve is told texts, one after another, while each is at hand anyway, and nearly always
// knows that all are different, for less than [Duplicate] takes to find out which are not: it
// keeps nothing of a text but a hash of its end, which is where names and UIDs differ. Of many
// texts that do not ascend it only keeps the hashes, since a table that does not fit into the
// fast memory is better filled alone. Empty texts are not compared. The zero Sieve is for many.
type Sieve struct {
	n      int                  // texts, 0 for many
	few    [2 * fewTexts]uint32 // hash table with open addressing of the hashes of few texts; 0 is empty
	room   int                  // how many of these may still come
	slots  []uint32             // the same of more texts
	passes int                  // how many more slots may be passed by
	ascent ascent               // of many texts, broken if fewer may be the same
	before int                  // how many of many texts ascended, or may have
	marks  []uint32             // of all of them, those of the first before only from [Sieve.Duplicate] on
}

// fewTexts is how many texts need no memory of their own, and manyTexts is how many have no table.
const (
	fewTexts  = 16
	manyTexts = 1 << 13
)

// Begin makes of the zero Sieve one for n texts.
func (s *Sieve) Begin(n int) {
	s.n = n
	switch {
	case n <= fewTexts:
		s.room = n
	case n < manyTexts:
		s.slots, s.passes = make([]uint32, 1<<bits.Len(uint(2*n))), 4*n
	}
}

// Add takes the next text.
func (s *Sieve) Add(text string) {
	switch {
	case s.room > 0:
		s.addFew(text)
	case s.slots != nil:
		s.add(text)
	case s.n > 0 && s.n <= fewTexts:
		s.ascent = broken() // more than there were to be
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
			s.passes = 0 // they may be the same
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
			s.ascent = broken() // they may be the same
			return
		}
		i = (i + 1) % uint64(len(s.few))
	}
	s.few[i] = mark
}

// Different reports whether all texts are certainly different. If not, they may be still.
func (s *Sieve) Different() bool { return s.slots != nil || !s.ascent.broken() }

// Duplicate is [Duplicate] for the n texts that the sieve has been told of, those that are not
// compared among them.
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

// tailHash is a hash of the end of a text, which is all of it up to eight bytes.
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
